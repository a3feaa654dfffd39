"""docs/settings.md names every setting with its true default, docs/errors.md every code with its true status."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import override
from rest_framework import exceptions

import accounts
import agents
import chat
import corpora
import workers
from accounts import problems
from accounts.problems import Problem
from agents.llm.base import ModelError
from corpora.advice import ADVICE
from corpora.uploads.intake import UploadRefused
from tests.e2e.screenshots import walks
from tests.imports import HOUSE
from workers.ingestion.extract import failures

ROOT = Path(__file__).resolve().parent.parent
FIXED = {"DJANGO_SETTINGS_MODULE"}
GENERATED = {"SECRET_KEY"}  # the default is made once and kept
DRF_MAY_RAISE = (exceptions.ParseError, exceptions.UnsupportedMediaType, exceptions.NotAcceptable)


def tables(document: str, section: str = "") -> dict[str, list[str]]:
    """The rows of a document's tables by the names in their first cell; of one section alone if it is given."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    if section:
        text = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("| `")]
    return {name: [cell.strip() for cell in row] for row in rows for name in re.findall(r"`([^`]+)`", row[0])}


# ── settings ────────────────────────────────────────────────────────────────────────────────────────────────────


def modules() -> Iterator[Path]:
    for folder in HOUSE:
        yield from (path for path in (ROOT / folder).rglob("*.py") if "tests" not in path.relative_to(ROOT).parts)


READERS = ("env", "switch", "json_object", "address")  # a module without them is not parsed: 0.2 s, not 1.4
DEFAULTS: dict[str, ast.expr] = {"json_object": ast.Dict([], []), "address": ast.Constant("")}


@cache
def read_variables() -> dict[str, ast.expr | None]:
    """Every environment variable that the product reads, with the expression of its default."""
    found: dict[str, ast.expr | None] = {}
    for source in (path.read_text(encoding="utf-8") for path in modules()):
        if not any(name in source for name in READERS):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and reads_environment(node.func):
                name = node.args[0]
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    given = [*node.args[1:], *(one.value for one in node.keywords if one.arg == "default")]
                    default = given[0] if given else DEFAULTS.get(ast.unparse(node.func))
                    found[name.value] = found.get(name.value) or default
    return {name: default for name, default in found.items() if name not in FIXED}


def reads_environment(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute):
        return ast.unparse(function) in ("switch", "json_object", "address")
    owner = ast.unparse(function.value)
    return owner == "env" or (owner == "os.environ" and function.attr in ("get", "setdefault"))


def shown_default(expression: ast.expr | None) -> str | None:
    """How the table writes a default, or None for one that depends on other settings."""
    try:
        value: Any = eval(ast.unparse(expression), {}) if expression else None  # arithmetic on constants
    except NameError:
        return None
    if value in (None, "", []):
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{','.join(value) if isinstance(value, list) else value}`"


def test_every_setting_is_documented() -> None:
    assert set(read_variables()) - set(tables("settings.md")) == set()


def test_every_documented_setting_exists() -> None:
    places = (
        ".env.example",
        "compose.yml",
        "conftest.py",
        "pyproject.toml",
        "tests/e2e/conftest.py",
        "workers/tests/test_local_models.py",
    )
    named_elsewhere = "".join((ROOT / place).read_text(encoding="utf-8") for place in places)
    unknown = {name for name in tables("settings.md") if name not in read_variables() and name not in named_elsewhere}
    assert unknown == set()


def test_every_line_of_the_example_environment_is_documented() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE)) - set(tables("settings.md")) == set()


@pytest.mark.parametrize("name", sorted(set(read_variables()) - GENERATED))
def test_a_documented_default_is_the_true_one(name: str) -> None:
    shown = shown_default(read_variables()[name])
    if shown is not None:
        assert tables("settings.md")[name][1] == shown


# ── errors ──────────────────────────────────────────────────────────────────────────────────────────────────────


def everything_imported() -> None:
    for app in (accounts, agents, chat, corpora, workers):
        for module in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
            if not re.search(r"\.(tests|migrations|management)\b|sandbox_child|sandbox_zygote", module.name):
                importlib.import_module(module.name)


def heirs(kind: type[Any]) -> Iterator[type[Any]]:
    for child in kind.__subclasses__():
        yield child
        yield from heirs(child)


def answers() -> dict[str, int]:
    """Every code of the API with its status."""
    everything_imported()
    codes = {
        problem.code: problem.status_code for problem in (Problem, *heirs(Problem)) if problem is not UploadRefused
    }
    refused = problems.forbidden_problem("")
    drf = {error.default_code: error.status_code for error in DRF_MAY_RAISE}
    return codes | drf | UploadRefused.STATUS | {refused.code: refused.status_code}


def codes_in_the_workers() -> set[str]:
    """Codes that are written in the workers' source: `lease.fail("…")`, `error_code="…"`."""
    found = set()
    for path in (ROOT / "workers").rglob("*.py"):
        if "tests" not in path.relative_to(ROOT).parts:
            source = path.read_text(encoding="utf-8")
            found |= set(re.findall(r"(?:fail|retry_later)\(\s*\"(\w+)\"|error_code=\"(\w+)\"", source))
    return {code for pair in found for code in pair if code}


def test_every_code_of_the_api_is_documented_with_its_status() -> None:
    rows = tables("errors.md", "Answers of the API")
    assert {code: int(row[1]) for code, row in rows.items()} == answers()


def test_every_title_of_a_problem_is_in_the_language_of_its_detail() -> None:
    with override("es"):
        said = {code: problems.body_of(400, code, "")["title"] for code in answers()}
    english = {code: code.replace("_", " ").capitalize() for code in said}
    assert [code for code in said if said[code] == english[code]] == []


def test_every_code_of_a_failed_document_is_documented() -> None:
    documented = set(tables("errors.md", "Documents that could not be processed"))
    stored = set(failures.CODES) | set(ADVICE) | (codes_in_the_workers() - {"interrupted"})
    assert documented == stored


def test_every_code_of_a_model_is_documented() -> None:
    everything_imported()
    documented = set(tables("errors.md", "Models that did not answer"))
    assert documented == {error.code for error in (ModelError, *heirs(ModelError))} | {"interrupted"}


def test_every_state_in_which_a_process_is_not_ready_is_documented() -> None:
    from config.health import REFUSED

    assert set(tables("errors.md", "Services that must not be used")) == set(REFUSED)


def test_every_way_to_be_degraded_is_documented() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "retrieval").rglob("*.py"))
    in_use = set(re.findall(r"\"(\w+_unavailable)\"", source))
    assert set(tables("errors.md", "Answers without their context")) == in_use


def test_every_link_within_the_repository_leads_somewhere() -> None:
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            if "://" not in link and not link.startswith("mailto:"):
                assert (path.parent / link).exists(), f"{path.name}: {link}"


def test_every_picture_is_taken_by_a_walk_and_what_is_shown_is_there() -> None:
    kept = {path.stem for path in (ROOT / "docs" / "pages").glob("*.png")}
    texts = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {name for path in texts for name in re.findall(r"pages/([\w-]+)\.png", path.read_text(encoding="utf-8"))}
    assert kept == set(walks())
    assert shown <= kept
    assert len(shown) > 20
