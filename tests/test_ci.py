"""What CI leaves to the night or to the next commits is left by names that are there, and six commits show all."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import in_turn
from tests.services import of_the_database

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", [*of_the_database.ROOMS, *of_the_database.ELSEWHERE])
def test_a_room_that_is_named_is_there(name: str) -> None:
    path, _, test = name.partition("::")
    assert (ROOT / path).exists()
    assert not test or f"def {test}(" in (ROOT / path).read_text()


@pytest.mark.parametrize("name", in_turn.LONG)
def test_what_takes_turns_is_there(name: str) -> None:
    path, _, test = name.partition("::")
    assert list(ROOT.glob(f"{path}*"))
    assert not test or f"def {test}" in (ROOT / path).read_text()


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_six_turns_show_everything_and_each_all_that_is_quick(database: str) -> None:
    long = [f"tests/test_stray_words.py::test_one[{n}]" for n in range(15)]
    faults = [f"tests/services/test_moves.py::test_one[{n}]" for n in range(7)]
    wall = [f"tests/tenancy/test_roles.py::test_one[{n}]" for n in range(7)]
    quick = ["tests/e2e/test_walk.py::test_one", "chat/tests/test_ask.py::test_one"]
    names = [*long, *faults, *wall, *quick]
    shown = [set(names) - set(in_turn.not_of(turn, names, database)) for turn in range(7)]
    assert set.union(*shown[:6]) == set(names)
    assert set.union(*shown[:4]).issuperset(faults)
    assert shown[0].difference(faults) == shown[6].difference(faults) != shown[1].difference(faults)
    every_time = wall if database == "postgresql" else quick
    assert all(one.issuperset(every_time) for one in shown)
    assert all(2 <= len(one & set(long)) <= 3 for one in shown)
    assert all(1 <= len(one & set(faults)) <= 2 for one in shown)


@pytest.mark.parametrize("again", [False, True])
def test_what_failed_is_shown_again_whosever_turn_it_is(monkeypatch: pytest.MonkeyPatch, again: bool) -> None:
    """pytest has chosen it by then, so that it is the first of few, and may have been the third of many."""
    monkeypatch.setenv(in_turn.TURN, "2")
    items: list[Any] = [SimpleNamespace(nodeid="tests/test_stray_words.py::test_one[7]")]
    config: Any = SimpleNamespace(
        hook=SimpleNamespace(pytest_deselected=lambda items: None), getoption=lambda name: {"lf": again}[name]
    )
    in_turn.pytest_collection_modifyitems(config, items)
    assert len(items) == again


def test_of_a_test_that_commits_the_first_case_is_chosen() -> None:
    def item(nodeid: str, *, commits: bool) -> Any:
        marker = SimpleNamespace(kwargs={"transaction": commits})
        return SimpleNamespace(nodeid=nodeid, get_closest_marker=lambda _name: marker)

    items = [
        item("chat/tests/test_ask.py::test_one[a]", commits=True),
        item("chat/tests/test_ask.py::test_one[b]", commits=True),
        item("chat/tests/test_ask.py::test_other", commits=False),
        item("foreign/tests/test_attacked.py::test_one", commits=True),
        item("tests/tenancy/test_mutant.py::test_one[a]", commits=False),
        item("tests/tenancy/test_mutant.py::test_one[b]", commits=False),
    ]
    left: list[Any] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    chosen = [*items]
    of_the_database.pytest_collection_modifyitems(SimpleNamespace(hook=hook), chosen)  # type: ignore[arg-type]
    assert (chosen, left) == ([items[0], *items[4:]], items[1:4])


def test_what_waits_beside_others_is_there() -> None:
    named = re.search(r"for one in (.+); do\n    UNHURRIED", (ROOT / ".ci/run").read_text())
    assert named
    assert all((ROOT / f"tests/services/test_{one}.py").exists() for one in named[1].split())
