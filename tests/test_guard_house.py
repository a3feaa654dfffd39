"""No room is a crowd, and the newcomer's map names every wing (docs/architecture.md)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.imports import HOUSE, ROOT

MOST_SIBLINGS = 16
FURNITURE = {"__init__", "__pycache__", "apps", "management", "migrations", "templatetags", "tests"}  # of every app

# Folders that still hold more, with how many and why; one that has become smaller must be written so here.
CROWDS: dict[str, tuple[int, str]] = {}


def folders() -> Iterator[Path]:
    for app in HOUSE:
        for package in sorted((ROOT / app).rglob("__init__.py")):
            folder = package.parent
            if not FURNITURE.intersection(folder.relative_to(ROOT).parts):
                yield folder


def siblings(folder: Path) -> set[str]:
    """Modules and packages that a newcomer must know."""
    modules = {path.stem for path in folder.glob("*.py")}
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    return (modules | packages) - FURNITURE


def wings_of_the_map() -> list[str]:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.split("\n## Wings\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `([\w/]+)` \|", section, re.MULTILINE)


NAMES = [str(folder.relative_to(ROOT)) for folder in folders()]


def test_the_map_names_every_wing_once_and_none_that_is_not_there() -> None:
    assert sorted(wings_of_the_map()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_no_folder_is_a_crowd(name: str) -> None:
    count = len(siblings(ROOT / name))
    if name in CROWDS:
        assert count == CROWDS[name][0] > MOST_SIBLINGS
    else:
        assert count <= MOST_SIBLINGS, sorted(siblings(ROOT / name))
