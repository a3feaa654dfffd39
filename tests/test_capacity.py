"""docs/capacity.md adds up: each sum, the tenfold of each decade, and constants that are what their sources say."""

import re
from pathlib import Path

import pytest

from tests.test_connection_arithmetic import value

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "capacity.md").read_text(encoding="utf-8")
TABLES = [[cell.strip() for cell in line.strip("| ").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
SUMS = [cell for row in TABLES for cell in row if re.fullmatch(r"[\d(][\d.()×+/ ]* = [\d.]+", cell)]
DECADES = [row for row in TABLES if len(row) == 5 and " = " in row[1]]
SOURCES = [row for row in TABLES if len(row) == 3 and row[2].startswith("`docs/")]


@pytest.mark.parametrize("said", SUMS)
def test_each_sum_is_right(said: str) -> None:
    left, _, right = said.rpartition(" = ")
    assert value(left) == pytest.approx(value(right), rel=0.02)


def test_every_row_of_a_table_of_sums_has_one() -> None:
    told = [row for row in TABLES if len(row) in (2, 5) and not {"what", "---"}.intersection(row)]
    assert len(told) == len(SUMS) > 40


@pytest.mark.parametrize("row", DECADES, ids=lambda row: row[0])
def test_each_decade_is_ten_times_the_one_before(row: list[str]) -> None:
    first = value(row[1].rpartition(" = ")[2])
    for power, said in enumerate(row[2:], start=1):
        assert value(said) == pytest.approx(first * 10**power, rel=0.02)


@pytest.mark.parametrize("row", SOURCES, ids=lambda row: row[0])
def test_a_constant_is_said_where_it_is_said_to_come_from(row: list[str]) -> None:
    page, _, quoted = row[2].partition("`: ")
    text = " ".join((ROOT / page.strip("`")).read_text(encoding="utf-8").split())
    for words in quoted.split("; "):
        assert words in text


def test_sums_use_the_constants_of_the_table() -> None:
    """A constant that is changed in the table is changed in the sums."""
    used = set(re.findall(r"[\d.]+", " ".join(one.rpartition(" = ")[0] for one in SUMS)))
    for row in TABLES:
        if len(row) == 3 and row[0] != "constant":
            for number in re.findall(r"\d[\d.]*", row[1]):
                assert number in used, row[0]
