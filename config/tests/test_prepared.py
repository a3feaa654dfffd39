"""Prepared querysets answer as those that they were made of, now and not from memory."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.db.models import Q, QuerySet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Membership, User
from config.prepared import Prepared
from corpora.models import Corpus
from tests import factories

pytestmark = pytest.mark.django_db
CORPORA = 6


def ids_of(organization: UUID, ids: list[UUID], name: str) -> QuerySet[Corpus, Any]:
    named = Q(name=name) | Q(id__in=ids, corpus_type="global")
    return (
        Corpus.objects.filter(named, organization_id=organization, deleted_at=None)
        .order_by("pk")
        .values_list("pk", "name")
    )


@pytest.fixture
def corpora() -> list[Corpus]:
    organization = factories.OrganizationFactory()
    return [factories.CorpusFactory(shared_in=organization, name=f"c{n}") for n in range(CORPORA)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(chosen=st.lists(st.integers(0, CORPORA), max_size=CORPORA), named=st.integers(0, CORPORA), home=st.booleans())
def test_the_rows_are_those_of_the_queryset(corpora: list[Corpus], chosen: list[int], named: int, home: bool) -> None:
    known = [one.pk for one in corpora] + [uuid4()]
    organization = corpora[0].organization_id if home else uuid4()
    values: dict[str, Any] = {"organization": organization, "ids": [known[n] for n in chosen], "name": f"c{named}"}
    prepared = Prepared(ids_of)
    assert prepared(**values) == list(ids_of(**values))
    assert prepared(**values) == list(ids_of(**values)), "the second time too, with the statement at hand"


def test_a_row_that_changes_is_seen_at_the_next_call(corpora: list[Corpus]) -> None:
    prepared = Prepared(ids_of)
    asked: dict[str, Any] = {"organization": corpora[0].organization_id, "ids": [corpora[0].pk], "name": ""}
    assert prepared(**asked)
    Corpus.objects.filter(pk=corpora[0].pk).update(corpus_type="global", deleted_at="2026-01-01T00:00:00Z")
    assert prepared(**asked) == []


def test_values_of_one_call_never_answer_another(corpora: list[Corpus]) -> None:
    prepared = Prepared(ids_of)
    strange = factories.CorpusFactory(shared_in=factories.OrganizationFactory())
    for corpus in (*corpora, strange):
        found = prepared(organization=corpus.organization_id, ids=[corpus.pk], name="")
        assert [pk for pk, _name in found] == [corpus.pk]
    assert prepared(organization=corpora[0].organization_id, ids=[strange.pk], name="") == []


def test_an_empty_list_meets_nothing(corpora: list[Corpus]) -> None:
    prepared = Prepared(lambda ids: Corpus.objects.filter(id__in=ids))
    assert prepared(ids=[]) == []
    assert prepared(ids=[corpora[0].pk]) == [corpora[0]]


def test_models_come_with_what_was_selected_beside_them(django_assert_num_queries: Any) -> None:
    member = factories.MembershipFactory()
    prepared = Prepared(lambda user: Membership.objects.select_related("user", "organization").filter(user_id=user))
    prepared(user=uuid4())
    with django_assert_num_queries(1):
        found = prepared(user=member.user_id)
        assert (found[0].user.email, found[0].organization.name) == (member.user.email, member.organization.name)


def test_a_value_that_cannot_be_bound_is_refused() -> None:
    prepared = Prepared(lambda user: User.objects.filter(pk=user))
    with pytest.raises(TypeError, match="NoneType"):
        prepared(user=None)  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
def test_threads_share_the_statement_and_not_the_connection() -> None:
    corpora = [factories.CorpusFactory(shared_in=factories.OrganizationFactory()) for _ in range(20)]
    prepared = Prepared(lambda pk: Corpus.objects.filter(pk=pk))

    def ask(corpus: Corpus) -> bool:
        try:
            return prepared(pk=corpus.pk) == [corpus]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(ask, corpora * 5))
