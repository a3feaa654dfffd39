"""The sample organization: complete, repeatable, and as API.md's JSON says."""

import json
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from accounts import keys
from accounts.models import ApiKey, Membership, Organization, User
from agents.models import Agent, Assignment
from chat.answering.questions import ChatQuestion
from corpora.models import Corpus, Document
from tests.asking import search_for
from workers import sample

pytestmark = pytest.mark.django_db(transaction=True)


def demo(*options: str) -> str:
    out = StringIO()
    call_command("demo", *options, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def told() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(demo("--json"))
    return made


def test_the_json_has_the_fields_of_the_contract(told: dict[str, Any]) -> None:
    assert set(told) == {"organization", "users", "agents", "corpora"}
    assert set(told["organization"]) == {"slug", "name"}
    assert [set(one) for one in told["users"]] == [{"email", "password", "role", "api_key"}] * 3
    assert [one["role"] for one in told["users"]] == ["admin", "member", "member"]
    assert all(set(one) == {"id", "slug"} for one in told["agents"])
    assert all(set(one) == {"id", "name"} for one in told["corpora"])
    slugs = {one["slug"] for one in told["agents"]}
    assert {"escritor-de-libros", "investigador-tecnico", "tutor"} <= slugs


def test_every_document_is_indexed_and_every_login_works(told: dict[str, Any]) -> None:
    assert Document.objects.count() >= 10
    assert set(Document.objects.values_list("status", flat=True)) == {"indexed"}
    for login in told["users"]:
        user = User.objects.get(email=login["email"])
        assert user.check_password(login["password"])
        membership = keys.membership_of_key(login["api_key"])
        assert membership is not None
        assert (membership.user, membership.role) == (user, login["role"])


def test_its_agents_answer_from_its_documents(told: dict[str, Any]) -> None:
    alicia, bob = (Membership.objects.get(user__email__startswith=name) for name in ("alicia", "bob"))
    question = ChatQuestion("¿Cuántos días dura un préstamo?")
    for slug in ("escritor-de-libros", "investigador-tecnico", "asistente-corporativo"):
        assert search_for(bob, slug, question).retrieval.sufficient, slug
    novel = ChatQuestion("¿Cómo se llama la protagonista de la novela?")
    tiers = {one.corpus_type for one in search_for(alicia, sample.WRITER, novel).retrieval.chunks}
    assert "personal" in tiers
    tiers = {one.corpus_type for one in search_for(bob, sample.WRITER, novel).retrieval.chunks}
    assert "personal" not in tiers


def test_its_tutor_answers_students_and_its_other_agents_do_not_answer_what_they_have_not_read(
    told: dict[str, Any],
) -> None:
    bob = Membership.objects.get(user__email__startswith="bob")

    def answers(slug: str, question: str, **said: Any) -> bool:
        return bool(search_for(bob, slug, ChatQuestion(question, **said)).retrieval.sufficient)

    of_loops = ("¿Qué hace break?", "¿Qué hace continue?", "¿Qué hace range?")
    of_all = ("¿Para qué sirve elif?", "¿Cómo se define una función?", "¿Qué es un diccionario?")
    assert [one for one in (*of_loops, *of_all) if not answers("tutor", one)] == []
    assert [one for one in of_loops if not answers("tutor", one, filters={"unit": ["3"]})] == [], "of its unit alone"
    elsewhere = (
        "Resume el artículo 10 de la Ley General de Sanidad",
        "And for how long?",
        "¿Quién puede acceder a ella?",
        "¿Cuál es la capital de Mongolia?",
    )
    readers = ("entrevistador-tecnico", "asistente-corporativo")
    assert [(slug, one) for slug in readers for one in elsewhere if answers(slug, one)] == []


def test_a_second_run_changes_nothing_and_says_the_same(told: dict[str, Any]) -> None:
    before = {
        model: model.objects.count() for model in (Organization, User, Agent, Corpus, Document, Assignment, ApiKey)
    }
    versions = set(Document.objects.values_list("pk", "version"))
    assert json.loads(demo("--json")) == told
    assert {model: model.objects.count() for model in before} == before
    assert set(Document.objects.values_list("pk", "version")) == versions


def test_what_was_lost_is_made_again(told: dict[str, Any]) -> None:
    lost = told["users"][1]
    ApiKey.objects.filter(membership__user__email=lost["email"]).update(revoked_at="2026-01-01T00:00Z")
    Assignment.objects.all().delete()
    (Path(settings.DATA_DIR) / "demo.json").unlink()
    again = json.loads(demo("--json"))
    assert again["agents"] == told["agents"]
    assert Assignment.objects.exists()
    for login in again["users"]:
        assert keys.membership_of_key(login["api_key"])
        assert User.objects.get(email=login["email"]).check_password(login["password"])


def test_credentials_are_kept_for_their_owner_alone(told: dict[str, Any]) -> None:
    kept = Path(settings.DATA_DIR) / "demo.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_for_people_it_is_told_in_lines(told: dict[str, Any]) -> None:
    said = demo()
    assert "Biblioteca Aurora" in said
    for login in told["users"]:
        assert login["email"] in said
        assert login["password"] in said
        assert login["api_key"] in said
