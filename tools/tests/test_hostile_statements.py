"""Each hostile statement is refused by the reading, whichever the dialect, and by each engine run as it is."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.engines.duck import DuckFiles
from tools.engines.failures import EngineFailed
from tools.engines.sqlite import SqliteFile
from tools.sql.gate import read_sql
from tools.sql.statements import SqlRefused
from tools.tests.hostile import EMAIL, GROUPS, STATEMENTS, TEXTS_IN_MYSQL, WORD
from tools.tests.reading import ROWS, TABLES, csv_files, duck_request, sqlite_file, sqlite_request

DIALECTS = ("postgres", "mysql", "sqlite", "duckdb")
each_group = pytest.mark.parametrize("group", GROUPS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("machine")
    (folder / "file.csv").write_text(f"word\n{WORD}\n")
    return folder


def test_there_are_hundreds_of_them() -> None:
    assert len({line for _group, line in STATEMENTS}) == len(STATEMENTS) > 300


@pytest.mark.parametrize("dialect", DIALECTS)
@each_group
def test_the_reading_refuses_each(group: str, dialect: str) -> None:
    through = [line for line in of_group(group) if is_let_through(line, dialect)]
    assert through == (list(TEXTS_IN_MYSQL) if (group, dialect) == ("spellings", "mysql") else [])


@pytest.mark.parametrize("statement", TEXTS_IN_MYSQL)
def test_what_is_a_text_in_mysql_is_sent_as_one(statement: str) -> None:
    """In the name of a result too, which is between backticks."""
    without_names = re.sub(r"`(?:[^`]|``)*`", "", read_sql(statement, "mysql", TABLES).sql)
    assert "_utf8mb4 x'" in without_names
    assert not re.search(r"secret|session_user|--", without_names)


def is_let_through(statement: str, dialect: str) -> bool:
    try:
        read_sql(statement, dialect, TABLES)
    except SqlRefused:
        return False
    return True


def of_group(group: str) -> list[str]:
    return [line for one, line in STATEMENTS if one == group]


@each_group
def test_sqlite_itself_gives_nothing_away_and_changes_nothing(group: str, folder: Path, tmp_path: Path) -> None:
    place = sqlite_file(tmp_path)
    before = place.read_bytes()
    leaks = [
        line for line in of_group(group) if leaks_from(SqliteFile, sqlite_request(place, sql=filled(line, folder)))
    ]
    assert leaks == []
    assert place.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [place.name]


@each_group
def test_duckdb_itself_gives_nothing_away_and_changes_nothing(group: str, folder: Path, tmp_path: Path) -> None:
    """But for what never ends or fills the memory, which takes a child along (test_engines.py)."""
    files = csv_files(tmp_path)
    before = [Path(one["path"]).read_bytes() for one in files]
    asked = [line for line in of_group(group) if "RECURSIVE" not in line and "00000000" not in line]
    assert [line for line in asked if leaks_from(DuckFiles, duck_request(files, sql=filled(line, folder)))] == []
    assert [Path(one["path"]).read_bytes() for one in files] == before
    assert len(list(tmp_path.iterdir())) == len(files)


def filled(statement: str, folder: Path) -> str:
    return statement.replace("{file}", str(folder / "file.csv"))


def leaks_from(engine: Callable[[Any], Any], request: dict[str, Any]) -> bool:
    try:
        found = repr(engine(request).query(request))
    except EngineFailed:
        return False
    return EMAIL in found or WORD in found


def test_what_may_be_read_is_read_so_that_the_tests_above_are_worth_something(tmp_path: Path) -> None:
    everything = {"main": {table: list(head) for table, (head, *_rows) in ROWS.items()}}
    asked = {"sql": "SELECT word FROM secret", "reading": everything}
    assert leaks_from(SqliteFile, sqlite_request(sqlite_file(tmp_path), **asked))
    assert leaks_from(DuckFiles, duck_request(csv_files(tmp_path), **asked))
    assert is_let_through("SELECT id, email FROM customers", "sqlite")
