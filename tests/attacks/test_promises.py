"""docs/security.md promises nothing that no test holds: what it names is there, and every attack is named."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`((?:[a-z0-9_]+/)+[a-z0-9_.]+)`")


def named_paths() -> set[str]:
    return set(NAMED.findall(DOCUMENT))


def test_what_it_names_is_there() -> None:
    missing = {path for path in named_paths() if not (ROOT / path).exists()}
    assert missing == set()


def test_every_attack_is_named() -> None:
    attacks = {f"tests/attacks/{path.name}" for path in (ROOT / "tests" / "attacks").glob("test_*.py")}
    assert attacks - named_paths() == set()


def test_every_promise_names_a_test() -> None:
    """A row of a table of promises ends with the tests that hold it."""
    promised = DOCUMENT.split("## What is promised", 1)[1].split("### Against whoever gets hold", 1)[0]
    rows = [
        line for line in promised.splitlines() if line.startswith("| ") and not line.startswith(("| promise", "| ---"))
    ]
    assert len(rows) > 20
    assert [row for row in rows if not re.search(r"tests/", row.rsplit("|", 2)[1])] == []


def test_every_finding_is_attacked() -> None:
    """The fifteen of the attack on 0.1.0, each by its number in the docstring of a test."""
    sources = [*(ROOT / "tests" / "attacks").glob("test_*.py"), ROOT / "tests" / "services" / "test_attacks.py"]
    told = re.findall(r'"""([\d, ab]+)[.]', "".join(path.read_text(encoding="utf-8") for path in sources))
    attacked = {int(number) for one in told for number in re.findall(r"\d+", one)}
    assert attacked >= set(range(1, 16)), sorted(set(range(1, 16)) - attacked)
