"""Whose document is next: the organization with the least in work, then the user, then age (ADR 0002)."""

import time
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Membership, Organization, User
from corpora.models import Corpus, Document
from tests import factories
from tests.analyzing import analyze
from tests.live import patience
from workers.queue import claims, turns
from workers.queue.claims import Kind
from workers.queue.turns import Turn

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_was_served(monkeypatch: pytest.MonkeyPatch) -> None:
    turns._served.clear()


def waiting(corpus: Corpus, by: Membership | None = None, seconds: float = 0, **fields: object) -> Document:
    return factories.DocumentFactory(
        corpus=corpus, uploaded_by=by.user if by else None, status="pending",
        not_before=timezone.now() - timedelta(seconds=seconds), **fields,
    )  # fmt: skip


def taken(kind: Kind = Kind.INGEST) -> UUID | None:
    lease = claims.claim_next(kind)
    return lease.document_id if lease else None


def test_another_organization_does_not_wait_behind_a_backlog() -> None:
    many, few = (factories.MembershipFactory() for _ in range(2))
    backlog = [waiting(factories.CorpusFactory(personal_of=many), many, 1000 - n) for n in range(5)]
    note = waiting(factories.CorpusFactory(personal_of=few), few)
    assert taken() == backlog[0].pk, "nobody has anything in work, so the oldest"
    assert taken() == note.pk
    assert taken() == backlog[1].pk


def test_also_when_nothing_is_in_work_at_the_moment() -> None:
    """One worker: between two documents nobody has any in work."""
    many, few = (factories.MembershipFactory() for _ in range(2))
    corpus = factories.CorpusFactory(personal_of=many)
    backlog = [waiting(corpus, many, 1000 - n) for n in range(5)]
    assert taken() == backlog[0].pk
    Document.objects.filter(pk=backlog[0].pk).update(status="indexed", version=1, chunk_count=1, lease_expires_at=None)
    note = waiting(factories.CorpusFactory(personal_of=few), few)
    assert taken() == note.pk


def test_a_colleague_does_not_wait_behind_a_backlog_of_the_same_corpus() -> None:
    alice = factories.MembershipFactory()
    bob = factories.MembershipFactory(organization=alice.organization)
    corpus = factories.CorpusFactory(shared_in=alice.organization)
    backlog = [waiting(corpus, alice, 1000 - n) for n in range(5)]
    note = waiting(corpus, bob)
    assert [taken(), taken(), taken()] == [backlog[0].pk, note.pk, backlog[1].pk]


def test_erasures_are_as_fair() -> None:
    many, few = (factories.MembershipFactory() for _ in range(2))
    corpus = factories.CorpusFactory(personal_of=many)
    for n in range(5):
        factories.DocumentFactory(corpus=corpus, deleted_at=timezone.now() - timedelta(seconds=1000 - n))
    note = factories.DocumentFactory(corpus=factories.CorpusFactory(personal_of=few), deleted_at=timezone.now())
    assert note.pk in {taken(Kind.ERASE), taken(Kind.ERASE)}


def test_what_is_not_due_is_nobodys_turn() -> None:
    owner = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=owner)
    waiting(corpus, owner, seconds=-60)
    waiting(corpus, owner, attempts=3)
    waiting(corpus, owner, deleted_at=timezone.now())
    factories.DocumentFactory(corpus=corpus)
    assert [taken(kind) for kind in (Kind.INGEST, Kind.INGEST_SMALL, Kind.METADATA)] == [None] * 3


def test_the_short_lane_takes_small_documents_only() -> None:
    owner = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=owner)
    waiting(corpus, owner, 60, size=10_000_000)
    small = waiting(corpus, owner, size=300)
    assert taken(Kind.INGEST_SMALL) == small.pk
    assert taken(Kind.INGEST_SMALL) is None


@pytest.mark.parametrize("kind", [Kind.INGEST, Kind.INGEST_SMALL])
def test_a_killed_workers_document_comes_before_its_senders_backlog(kind: Kind) -> None:
    owner = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=owner)
    killed = waiting(corpus, owner, 500)
    assert taken() == killed.pk
    for n in range(300):
        waiting(corpus, owner, 400 - n)
    Document.objects.filter(pk=killed.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert taken(kind) == killed.pk


ids = st.builds(UUID, int=st.integers(1, 4))
some_turns = st.lists(st.builds(Turn, st.uuids(), ids, ids, st.integers(0, 9)), max_size=12)


@given(some_turns, some_turns)
def test_nobody_with_less_in_work_stands_behind_one_with_more(waits: list[Turn], in_work: list[Turn]) -> None:
    turns._served.clear()
    organizations = Counter(one.organization for one in in_work)
    in_order = turns.in_order(Kind.INGEST, waits, in_work)
    assert sorted(in_order, key=repr) == sorted(waits, key=repr)
    for first, second in pairwise(in_order):
        ahead, behind = organizations[first.organization], organizations[second.organization]
        assert ahead <= behind


@given(st.lists(ids, min_size=1, max_size=30), st.integers(1, 4))
def test_one_worker_serves_organizations_in_turns(senders: list[UUID], organizations: int) -> None:
    """However long the backlogs: no organization is served twice while another one that waits is not."""
    turns._served.clear()
    left = [Turn(uuid4(), UUID(int=one.int % organizations), one, age) for age, one in enumerate(senders)]
    served: list[UUID] = []
    while left:
        turn = turns.in_order(Kind.INGEST, left, [])[0]
        turns.note(Kind.INGEST, turn)
        left.remove(turn)
        served.append(turn.organization)
        for other in {one.organization for one in left}:
            behind = served.count(turn.organization) - served.count(other)
            since = [one.organization for one in left].count(other)
            assert behind <= 1 or since == 0 or turn.organization == other


def backlog_of_many(documents: int, organizations: int) -> None:
    """Rows alone: thousands of files would only take time."""
    houses = Organization.objects.bulk_create(
        Organization(name=f"O{n}", slug=f"o{n}-{uuid4().hex}") for n in range(organizations)
    )
    users = User.objects.bulk_create(User(email=f"{uuid4().hex}@example.com") for _ in houses)
    corpora = Corpus.objects.bulk_create(
        Corpus(organization=house, owner=user, corpus_type="personal", name="C")
        for house, user in zip(houses, users, strict=True)
    )
    now = timezone.now()
    Document.objects.bulk_create(
        (
            Document(
                corpus=(corpus := corpora[n // 10 % organizations if n % 10 == 0 else 0]),
                uploaded_by_id=corpus.owner_id,
                filename=f"{n}.txt", size=100_000, sha256=uuid4().hex, media_type="text/plain",
                not_before=now - timedelta(seconds=documents - n),
            )
            for n in range(documents)
        ),
        batch_size=500,
    )  # fmt: skip


def test_a_turn_is_quick_with_20_000_documents_of_1_000_organizations() -> None:
    backlog_of_many(20_000, 1_000)
    analyze()
    assert taken() is not None
    with CaptureQueriesContext(
        connection,
    ) as asked:
        started = time.perf_counter()
        assert taken() is not None
        took = time.perf_counter() - started
    assert len([one for one in asked if "SAVEPOINT" not in one["sql"]]) <= 3
    assert took < patience(0.1), took


def test_a_turn_costs_no_more_with_a_long_backlog_of_one() -> None:
    backlog_of_many(20_000, 1)
    started = time.perf_counter()
    assert taken() is not None
    assert time.perf_counter() - started < patience(0.05)
    assert taken(Kind.INGEST_SMALL) is None
