"""No page shows an id, JSON, a value of the code or a sentence of the other language, to admins or to members."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from accounts import audit, members
from chat.models import Trace
from corpora.models import Document
from tests.bodies import body_of
from tests.factories import DocumentFactory, UserFactory
from tests.matrix import PAGES
from tests.people import People
from tests.stray_words import JSON, UUID, foreign_to, raw_values, stray_in
from tests.test_admin_isolation import ROWS, url
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]
each_language = pytest.mark.parametrize("language", ["es", "en"])
NOT_PAGES = ("/api/docs/", "/download/", "/image/", "/exports/")
OWN_PAGES = ("index", "chat_usage", "chat_playground", "agents_matrix", "corpora_trash")


@pytest.fixture
def world(people: People) -> World:
    made = World.furnished(people)
    here = people.alice.organization
    members.change_role(people.bob, "admin", people.ada)
    members.change_role(people.bob, "member", people.ada)
    document = Document.objects.get(pk=made.ids["shared_document"])
    for state in Document.Status.values:
        DocumentFactory(corpus=document.corpus, status=state, error_code="no_text" if state == "failed" else "")
    audit.record(people.ada, "changed", here, fields=["name"])
    return made


def speaking(client: Client, language: str) -> Client:
    client.cookies["django_language"] = language
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    return client


def admin_pages(world: World, models: list[type[Model]]) -> Iterator[str]:
    by = world.people.ada
    yield from (reverse(f"admin:{name}") for name in OWN_PAGES)
    yield reverse("admin:accounts_limits", args=[by.organization_id])
    for model in models:
        row = ROWS[model](by) if model in ROWS else model._default_manager.first()
        if isinstance(row, Trace):
            Trace.objects.filter(pk=row.pk).update(
                is_personal=False, query="A loan", attempts=ATTEMPTS, candidates=CANDIDATES, dropped={"threshold": 2},
                timings={"embed": 2.0, "search": 3.0, "total": 5.0}, gate="low_confidence", confidence="HIGH",
                degraded="embedding_unavailable", usage={"answer": {"prompt_tokens": 9, "completion_tokens": 1}},
            )  # fmt: skip
        yield url(model, "changelist")  # with a row in it: an empty list has no headings
        if row is not None:
            yield url(model, "change", row.pk)
            yield url(model, "delete", row.pk)
            yield url(model, "history", row.pk)
        yield url(model, "changelist") + "?q=nothing-like-this"
        yield url(model, "add")


ATTEMPTS: list[dict[str, Any]] = [
    {"granularity": 512, "passages": 3, "score": 0.4, "confidence": "LOW", "gate": "low_confidence", "kept": False,
     "decision": "low_recall", "metrics": {"faithfulness": 0.5, "context_precision": 0.5, "context_recall": 0.5}},
    {"granularity": 1024, "passages": 3, "score": 0.9, "confidence": "HIGH", "gate": "sufficient", "kept": True,
     "decision": "accepted", "metrics": {"faithfulness": 0.9, "context_precision": 0.9, "context_recall": 0.9}},
]  # fmt: skip
CANDIDATES: list[dict[str, Any]] = [
    {"chunk": "00000000-0000-4000-8000-000000000000", "corpus_type": "global", "dense": 0.5, "bm25": 2.0,
     "fused": 0.1, "relevance": 0.4, "kept": False, "reason": reason}
    for reason in ("threshold", "rank", "budget", "duplicate")
]  # fmt: skip


def strays(client: Client, paths: list[str], language: str, own_ids: set[str]) -> list[str]:
    found, seen = [], 0
    for path in dict.fromkeys(paths):
        answer = client.get(path)
        if answer.status_code != 200 or "html" not in answer.headers.get("Content-Type", ""):
            continue
        seen += 1
        html = body_of(answer).decode()
        found += [f"{path}: {one}" for one in stray_in(html, language)]
    assert seen >= len(paths) // 2, "the pages open"
    return found


@each_language
def test_no_page_of_the_admin_has_a_stray_word(world: World, language: str) -> None:
    client = speaking(world.caller("admin"), language)
    models = [model for model in admin.site._registry if model in ROWS]
    assert strays(client, list(admin_pages(world, models)), language, set()) == []


@each_language
def test_no_page_of_operators_has_a_stray_word(world: World, language: str) -> None:
    client = Client()
    client.force_login(UserFactory(is_superuser=True))
    models = [model for model in admin.site._registry if model not in ROWS]
    paths = [*(url(model, "changelist") for model in models), *(url(model, "add") for model in models)]
    assert strays(speaking(client, language), paths, language, set()) == []


@each_language
@pytest.mark.parametrize("caller", ["owner", "admin"])
def test_no_page_of_the_application_has_a_stray_word(world: World, language: str, caller: str) -> None:
    client = speaking(world.caller(caller), language)
    paths = [
        world.filled(case.path)
        for case in PAGES
        if case.method == "GET" and not any(part in case.path for part in NOT_PAGES)
    ]
    assert strays(client, paths, language, set()) == []


def test_what_should_not_be_there_is_found() -> None:
    """A test that finds nothing on any page must be able to."""
    page = """<main><p>%s</p><p>low_confidence</p><p>failed</p><p>Agent</p><input placeholder="Type to search">
    <p>{"role": "member"}</p><details><summary>Detalles técnicos</summary><p>{"folded": 1}</p></details></main>"""
    found = list(stray_in(page % "a1b2c3d4-0000-4000-8000-000000000000", "es"))
    kinds = ["id", "raw value", "raw value", "not es", "not es", "not es", "JSON"]  # "failed" is two things
    assert [one.split(" in ")[0] for one in found] == kinds
    assert list(stray_in("<p>Escribe para buscar</p>", "en"))
    assert not list(stray_in("<p>Type to search</p>", "en"))
    assert UUID.pattern
    assert JSON.pattern
    assert "failed" in raw_values("es")
    assert foreign_to("es")
