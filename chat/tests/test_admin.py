"""The admin of operations: traces without words, usage of the own organization, conversations of nobody."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Membership, Organization, User
from agents.models import Agent
from chat.admin.usage import bars, usage
from chat.models import Citation, Conversation, Message, Project, Trace

pytestmark = pytest.mark.django_db
CANARY = "CANARY-of-a-question"


def admin_of(slug: str) -> Membership:
    organization = Organization.objects.create(name=slug.title(), slug=slug)
    user = User.objects.create(email=f"admin@{slug}.example.org")
    return Membership.objects.create(user=user, organization=organization, role="admin")


def ask(member: Membership, days_ago: int = 0, **trace: Any) -> Trace:
    """One question and its answer, with words that must not be seen."""
    agent, _new = Agent.objects.get_or_create(
        organization=member.organization, slug="tutor", defaults={"name": f"Tutor of {member.organization}"}
    )
    talk = Conversation.objects.create(organization=member.organization, owner=member.user, agent=agent, title=CANARY)
    when = timezone.now() - timedelta(days=days_ago)
    Message.objects.create(conversation=talk, role="user", content=CANARY, created_at=when)
    status = "failed" if trace.get("degraded") else "complete"
    answer = Message.objects.create(
        conversation=talk, role="assistant", content=CANARY, status=status, error_code="model_timeout", created_at=when
    )
    Citation.objects.create(
        message=answer, n=1, chunk_id=answer.pk, corpus_id=answer.pk, corpus_type="personal",
        corpus_name=CANARY, title=CANARY, snippet=CANARY, relevance=0.9,
    )  # fmt: skip
    defaults: dict[str, Any] = {
        "scope_size": 2, "granularity": 800, "gate": "sufficient", "confidence": "high", "score": 0.87,
        "is_personal": False,
        "created_at": when, "candidates": [{"chunk": str(answer.pk), "relevance": 0.9}], "dropped": {"duplicate": 3},
        "timings": {"embed": 3.4, "search": 12.0},
    }  # fmt: skip
    return Trace.objects.create(message=answer, agent=agent, **{**defaults, **trace})


@pytest.fixture
def alice() -> Membership:
    return admin_of("library")


@pytest.fixture
def client(alice: Membership) -> Client:
    client = Client()
    client.force_login(alice.user)
    return client


def test_conversations_have_no_admin() -> None:
    private = (Conversation, Message, Citation, Project)
    assert not any(admin.site.is_registered(model) for model in private)


def test_a_trace_shows_the_question_and_numbers_but_nothing_of_the_answer_nor_whose_it_was(
    client: Client, alice: Membership
) -> None:
    carol = Membership.objects.create(
        user=User.objects.create(email="carol@example.org"), organization=alice.organization
    )
    trace = ask(carol, query="¿Cuánto dura un préstamo?")
    for path in (
        reverse("admin:chat_trace_changelist"),
        reverse("admin:chat_trace_change", args=[trace.pk]),
        reverse("admin:chat_usage"),
    ):
        page = client.get(path).content.decode()
        assert CANARY not in page
        assert "carol" not in page
    page = client.get(reverse("admin:chat_trace_changelist")).content.decode()
    assert all(text in page for text in ("0.87", "¿Cuánto dura un préstamo?"))
    page = client.get(reverse("admin:chat_trace_change", args=[trace.pk])).content.decode()
    assert all(text in page for text in ("0.87", "dice lo mismo que otro 3", "12,0 ms", "¿Cuánto dura un préstamo?"))


def test_a_trace_is_read_only(client: Client, alice: Membership) -> None:
    trace = ask(alice)
    path = reverse("admin:chat_trace_change", args=[trace.pk])
    assert client.post(path, {"score": "1"}).status_code == 404
    assert client.get(reverse("admin:chat_trace_delete", args=[trace.pk])).status_code == 404


def test_usage_counts_the_last_days_of_the_own_organization(client: Client, alice: Membership) -> None:
    for days_ago in (0, 0, 29, 30):
        ask(alice, days_ago)
    ask(alice, degraded="index_unavailable", confidence="none", gate="degraded", cost=Decimal("0.25"))
    ask(admin_of("elsewhere"), cost=Decimal(7))
    page = client.get(reverse("admin:chat_usage"))
    shown = page.context["usage"]
    assert shown.questions == 4
    assert shown.people == 1
    assert len(shown.per_day) == 30
    assert (shown.per_day[0].count, shown.per_day[-1].count) == (1, 3)
    assert [(bar.label, bar.count) for bar in shown.per_agent] == [("Tutor of Library", 4)]
    assert [bar.count for bar in shown.per_confidence] == [3, 0, 0, 1]
    assert [bar.count for bar in shown.per_gate] == [3, 0, 0, 0, 1]
    assert [bar.count for bar in shown.failures] == [1, 1]
    assert shown.cost == Decimal("0.25")
    assert "Elsewhere" not in page.content.decode()


def test_usage_of_an_operator_counts_all_organizations() -> None:
    ask(admin_of("library"))
    ask(admin_of("elsewhere"))
    operator = Client()
    operator.force_login(User.objects.create(email="operator@example.org", is_superuser=True))
    assert operator.get(reverse("admin:chat_usage")).context["usage"].questions == 2


def test_usage_of_an_empty_installation_can_be_drawn(client: Client) -> None:
    assert client.get(reverse("admin:chat_usage")).status_code == 200
    assert (usage(None).questions, usage(None).cost) == (0, None)


def test_a_member_has_no_usage_page(alice: Membership) -> None:
    bob = Membership.objects.create(user=User.objects.create(email="bob@example.org"), organization=alice.organization)
    member = Client()
    member.force_login(bob.user)
    assert member.get(reverse("admin:chat_usage")).status_code == 404


def test_bars_are_relative_to_the_longest_and_none_vanishes() -> None:
    assert [bar.percent for bar in bars([("a", 1000), ("b", 500), ("c", 1), ("d", 0)])] == [100, 50, 1, 0]
    assert [bar.percent for bar in bars([("a", 0)])] == [0]
    assert bars([]) == ()
