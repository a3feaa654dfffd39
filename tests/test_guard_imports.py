"""The drawing of imports has no circle, and who holds which key holds it alone (DESIGN, "Who holds which key").

The floors and most of the keys are contracts of import-linter, in pyproject.toml. Here stands what it cannot say, and
the proof that each contract bites.
"""

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.imports import HOUSE, ROOT, Module, circles, drawing, modules, within

CONTRACTS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]
CONNECTIONS = "Only embeddings, the re-ranker and the model clients open connections"
# Not imported by anybody yet, which is why import-linter does not let a contract name them.
OTHER_CONNECTIONS = {"http", "httpcore", "requests", "ssl", "urllib3", "websockets"}

# Circles that still are, each with its reason; one that is gone must go from here.
CIRCLES: dict[frozenset[str], str] = {}

# Where a `Scope` is made, besides `agents`.
SCOPES_MADE: dict[str, str] = {
    "corpora.scope": "where it is defined",
    "retrieval.confirmation": "a prepared query gets the values of the scope in hand, one by one",
    "retrieval.context.presentation": "the same",
    "retrieval.places.statements": "the same",
}

# One line for each contract that breaks it: (module, line).
PLANTED: dict[str, tuple[str, str]] = {
    "Each floor imports only from the floors below it": ("accounts/models.py", "import chat.models"),
    "Nobody looks up at views, serializers, pages or admin, but those among themselves": (
        "agents/models.py",
        "def look_up():\n    from agents.pages import agents",
    ),
    "Only retrieval.index knows Qdrant": ("retrieval/search.py", "import qdrant_client"),
    CONNECTIONS: ("retrieval/context/snippets.py", "def ask():\n    import aiohttp"),
    "Only config.metrics makes metrics": ("chat/models.py", "from prometheus_client import Counter"),
    "Only workers.ingestion.extract and showing parse documents, both in the sandbox alone": (
        "workers/ingestion/pipeline.py",
        "import docx",
    ),
    "Only sign_on.saml reads signed XML": ("sign_on/people.py", "from signxml.verifier import XMLVerifier"),
    "Only tools.sql reads SQL, and only tools.engines opens data sources, each in a child of its own": (
        "agents/models.py",
        "import sqlglot",
    ),
    "Only tools.statistics computes with statsmodels, in a child of its own": (
        "agents/api/analytics/trends.py",
        "import pandas",
    ),
    "The pure rooms know no Django and no rows": ("retrieval/text/terms.py", "from corpora.models import Document"),
}


def test_the_drawing_of_imports_has_no_circle() -> None:
    assert set(circles(drawing(modules()))) == set(CIRCLES)


def test_a_circle_is_seen_also_where_an_import_hides() -> None:
    sources = {
        "a": "from b import thing",
        "b": "def late():\n    import c.d",
        "c": "",
        "c.d": "if TYPE_CHECKING:\n    from a import Kind",
        "e": "import a",
    }
    house = {name: Module(name, ast.parse(source), is_package=name == "c") for name, source in sources.items()}
    assert circles(drawing(house)) == [frozenset({"a", "b", "c.d"})]


def test_a_relative_import_is_followed() -> None:
    package = Module("a", ast.parse("from . import b"), is_package=True)
    module = Module("a.b.c", ast.parse("from .. import d\nfrom .e import f"), is_package=False)
    assert list(package.imports()) == [("a.b", "a")]
    assert list(module.imports()) == [("a.d", "a"), ("a.b.e.f", "a.b.e")]


def test_only_agents_makes_a_scope() -> None:
    makers = {name for name, module in modules().items() if makes(module, "Scope") and not within(name, ["agents"])}
    assert makers == {name for name in SCOPES_MADE if makes(modules()[name], "Scope")}


def makes(module: Module, kind: str) -> bool:
    calls = (node.func for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return any(ast.unparse(function).rpartition(".")[2] == kind for function in calls)


def test_a_scope_that_is_made_is_seen() -> None:
    for source in ("Scope(a, b)", "scope.Scope(a)", "def made():\n    return corpora.scope.Scope(a)"):
        assert makes(Module("chat.somewhere", ast.parse(source), is_package=False), "Scope")
    assert not makes(Module("chat.somewhere", ast.parse("EmptyScope(a)"), is_package=False), "Scope")


def test_no_other_library_opens_connections_elsewhere() -> None:
    contract = next(one for one in CONTRACTS if one["name"] == CONNECTIONS)
    importers = {
        name
        for name, module in modules().items()
        if {meanings[0].partition(".")[0] for meanings in module.imports()} & OTHER_CONNECTIONS
    }
    assert {name for name in importers if not within(name, contract["allowed_importers"])} == set()


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter says of the house with one violation of each contract in it."""
    house = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", house)
    for app in HOUSE:
        shutil.copytree(ROOT / app, house / app, ignore=shutil.ignore_patterns("__pycache__", "static", "locale"))
    for module, line in PLANTED.values():
        with (house / module).open("a") as source:
            source.write(f"\n\n{line}\n")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=house, capture_output=True, text=True, check=False)
    return " ".join(done.stdout.split())


def test_every_contract_is_planted_against() -> None:
    assert set(PLANTED) == {contract["name"] for contract in CONTRACTS}


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_violation_breaks_the_contract(contract: str, verdict: str) -> None:
    assert f"{contract} BROKEN" in verdict
