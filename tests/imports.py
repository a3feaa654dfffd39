"""The drawing of imports, read from the source: also what is imported within a function or for types alone."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOUSE = (
    "config",
    "accounts",
    "provisioning",
    "corpora",
    "retrieval",
    "tools",
    "webhooks",
    "sign_on",
    "foreign",
    "agents",
    "chat",
    "evaluation",
    "workers",
)
ELSEWHERE = {"tests", "migrations"}

Drawing = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    tree: ast.Module
    is_package: bool

    def imports(self) -> Iterator[tuple[str, ...]]:
        """What each import may mean: of `from a.b import c` the module `a.b.c`, else a name in `a.b`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name,) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = self._origin(node)
                yield from ((f"{origin}.{alias.name}", origin) for alias in node.names)

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        above = self.name.split(".")[: None if self.is_package else -1]
        package = above[: len(above) - node.level + 1]
        return ".".join([*package, *([node.module] if node.module else [])])


@cache
def modules() -> Mapping[str, Module]:
    """Every module of the house by its dotted name."""
    paths = (path for app in HOUSE for path in (ROOT / app).rglob("*.py"))
    named = [(path, path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return {
        module.name: module
        for module in (read(path, parts) for path, parts in named if not ELSEWHERE.intersection(parts))
    }


def read(path: Path, parts: tuple[str, ...]) -> Module:
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    return Module(name, ast.parse(path.read_text(encoding="utf-8")), is_package)


def drawing(house: Mapping[str, Module]) -> Drawing:
    """Which modules of the house each module imports."""
    return {
        module.name: frozenset(
            next((name for name in meanings if name in house), module.name) for meanings in module.imports()
        )
        - {module.name}
        for module in house.values()
    }


def above(package: str, module: str) -> bool:
    return module.startswith(f"{package}.")


def circles(drawn: Drawing) -> list[frozenset[str]]:
    """Modules that reach each other, and therefore themselves."""
    reached = {name: reach(drawn, name) for name in drawn}
    together = {frozenset(other for other in reached[name] if name in reached[other]) for name in drawn}
    return list(together - {frozenset()})


def reach(drawn: Drawing, start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(drawn[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += drawn.get(name, ())
    return found


def within(name: str, rooms: Iterable[str]) -> bool:
    return any(name == room or above(room, name) for room in rooms)
