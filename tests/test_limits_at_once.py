"""64 parallel requests at a limit of 5: exactly 5 pass, for each limit, on the embedded default as one process."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from accounts.limits.declared import LIMITS, Per
from tests.at_once import ALLOWED, AT_ONCE, SETTINGS, WAYS, Way, browser, hexadecimal, let_in, session_of
from tests.fakes.fixtures import ModelServer
from tests.live import Caller
from tests.processes import Site

AT_NIGHT = (pytest.mark.slow, pytest.mark.nightly, pytest.mark.xdist_group("limits at once"))


class Embedded:
    """`manage.py serve` on a folder."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.sessions: dict[str, str] = {}

    def callers(self, email: str, *, by_session: bool = False) -> Sequence[Caller]:
        if not by_session:
            return [self.site.caller(email)]
        if email not in self.sessions:
            self.sessions[email] = session_of(self.site.manage, email)
        return [browser(self.site.port, self.sessions[email])]

    def execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.site.folder / "acervo.sqlite3", timeout=30)) as database, database:
            return database.execute(statement.replace("%s", "?"), values).fetchall()

    def kept(self, id: str) -> str:
        return hexadecimal(id)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, model_server_process: ModelServer) -> Iterator[Embedded]:
    folder: Path = tmp_path_factory.mktemp("limits")
    model_server_process.reset()
    model = {"OPENAI_BASE_URL": model_server_process.openai_url, "OPENAI_API_KEY": "sk-test-key"}
    site = Site(folder, EMBEDDING_MODEL="lexical", **model, **SETTINGS)
    site.start()
    yield Embedded(site)
    site.terminate()


def test_every_limit_has_its_way() -> None:
    assert {way.limit for way in WAYS} == set(LIMITS)


@pytest.mark.parametrize("per", [pytest.param(one, marks=AT_NIGHT) for one in Per], ids=str)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_of_64_at_once_exactly_5_are_let_in(
    house: Embedded, model_server_process: ModelServer, way: Way, per: Per
) -> None:
    passed, refused, statuses = let_in(house, way, per, model_server_process)
    assert (passed, refused) == (ALLOWED, AT_ONCE - ALLOWED), statuses
