"""No room is a crowd, and the newcomer's map names every wing (docs/architecture.md)."""

import ast
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
BENCH = [str(path.parent.relative_to(ROOT)) for path in sorted((ROOT / "bench").rglob("__init__.py"))]


def test_the_map_names_every_wing_once_and_none_that_is_not_there() -> None:
    assert sorted(wings_of_the_map()) == sorted(NAMES)


@pytest.mark.parametrize("name", [*NAMES, *BENCH])
def test_no_folder_is_a_crowd(name: str) -> None:
    count = len(siblings(ROOT / name))
    if name in CROWDS:
        assert count == CROWDS[name][0] > MOST_SIBLINGS
    else:
        assert count <= MOST_SIBLINGS, sorted(siblings(ROOT / name))


# Public names that stand in several modules because somebody looks them up there by that name.
CALLED_BY_NAME = {
    "Command": "Django's commands",
    "main": "programs of their own",
    "warm_up": "the parsers, by workers.ingestion.extract.entry",
}


def public_names() -> dict[str, list[str]]:
    """Where each public function and class of a module's top stands."""
    places: dict[str, list[str]] = {}
    for app in HOUSE:
        for path in sorted((ROOT / app).rglob("*.py")):
            if not {"migrations", "tests"}.intersection(path.relative_to(ROOT).parts):
                for node in ast.parse(path.read_text(encoding="utf-8")).body:
                    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                        places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    return {name: where for name, where in places.items() if not name.startswith("_")}


def test_a_name_means_one_thing() -> None:
    """It is found by grep and understood at the call (DESIGN.md, "One word, one meaning")."""
    shared = {name: where for name, where in public_names().items() if len(set(where)) > 1}
    assert {name: where for name, where in shared.items() if name not in CALLED_BY_NAME} == {}
    assert set(CALLED_BY_NAME) <= set(shared)
