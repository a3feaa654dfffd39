"""What was kept before searches were judged: released where it certainly had nothing to do with a personal corpus."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.tenancy.owner import as_owner

BEFORE = [("chat", "0003_answers_of_their_conversation"), ("evaluation", "0002_leases")]
ASKED = "¿Cuánto dura un préstamo?"


@pytest.fixture
def old(transactional_db: None) -> Iterator[Any]:
    """The models as they were."""
    with as_owner():
        latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
        yield MigrationExecutor(connection).migrate(BEFORE).apps.get_model
        MigrationExecutor(connection).migrate(latest)
        call_command("flush", interactive=False, verbosity=0)  # makes the content types anew; other tests keep them


def ask(old: Any, organization: Any, name: str, condensed: str = "", tier: str = "global") -> None:
    """One question of a new user, its answer with a source of the tier, its trace, and the case that was made of it."""
    user = old("accounts", "User").objects.create(email=f"{name}@example.org", name=name)
    agent, _new = old("agents", "Agent").objects.get_or_create(organization=organization, slug="tutor")
    talk = old("chat", "Conversation").objects.create(organization=organization, owner=user, agent=agent, title=name)
    answer = old("chat", "Message").objects.create(conversation=talk, role="assistant")
    old("chat", "Citation").objects.create(
        message=answer, n=1, chunk_id=answer.pk, corpus_id=answer.pk, corpus_type=tier, relevance=0.5
    )
    old("chat", "Trace").objects.create(
        message=answer, agent=agent, query=f"{ASKED} {name}", condensed_query=condensed,
        scope_size=1, granularity=800, confidence="high", score=0.9,
    )  # fmt: skip
    questions, _new = old("evaluation", "QuestionSet").objects.get_or_create(organization=organization, name="Casa")
    old("evaluation", "Question").objects.create(question_set=questions, text=name, message=answer)
    if name == "owner":
        old("corpora", "Corpus").objects.create(organization=organization, owner=user, corpus_type="personal", name="x")
    if name == "former":
        old("accounts", "AuditEvent").objects.create(
            organization=organization, actor=user, action="created", object_type="corpus", object_id="x",
            changes={"corpus_type": "personal"},
        )  # fmt: skip


def test_what_cannot_be_judged_is_personal_and_has_no_words(old: Any) -> None:
    organization = old("accounts", "Organization").objects.create(name="Liceo", slug="liceo")
    for name in ("owner", "former", "nobody's"):
        ask(old, organization, name)
    ask(old, organization, "reader", tier="personal")
    ask(old, organization, "follower", condensed="¿Y la indemnización de Ofelia?")
    old("evaluation", "Question").objects.create(
        question_set=old("evaluation", "QuestionSet").objects.get(), text="by hand"
    )

    executor = MigrationExecutor(connection)
    now = executor.migrate(executor.loader.graph.leaf_nodes()).apps.get_model
    talks, traces = now("chat", "Conversation").objects, now("chat", "Trace").objects
    assert {one.title for one in talks.filter(is_personal=False)} == {"nobody's", "follower"}
    assert {one.query for one in traces.filter(is_personal=False)} == {f"{ASKED} nobody's"}
    assert [(one.query, one.condensed_query) for one in traces.filter(is_personal=True)] == [("", "")] * 4
    cases = now("evaluation", "Question").objects.values_list("text", flat=True)
    assert set(cases) == {"nobody's", "follower", "by hand"}
