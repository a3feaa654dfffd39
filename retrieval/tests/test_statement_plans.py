"""What PostgreSQL does for a question's statements: as much for a scope of many documents as for one of few."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import QuerySet

from accounts.models import Membership, Organization
from accounts.tenancy.scope import system_scope, tenant_scope
from corpora.models import Chunk, Corpus, Document, Section
from corpora.scope import Scope
from retrieval.confirmation import PAGE, _chunks_in_scope
from retrieval.places.statements import _scope_values, _sections_in_scope
from retrieval.tests.shelf import scope_of
from tests.analyzing import analyze
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = pytest.mark.django_db

SHARED, OTHERS = 4, 1_000  # corpora: of the scope, of documents many; of others, of few
DOCUMENTS, CHUNKS, GRANULARITY = 400, 25, 512
KEY = "articulo:3"


@pytest.fixture(autouse=True)
def _on_postgresql() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("plans of PostgreSQL")


def fill(corpora: list[Corpus], count: int) -> list[Document]:
    """So many short documents, each with an article 3."""
    documents = Document.objects.bulk_create(
        Document(
            corpus=corpora[n % len(corpora)],
            filename=f"{n}.md",
            status="indexed",
            version=1,
            size=1,
            chunk_count=CHUNKS,
        )
        for n in range(count)
    )
    Chunk.objects.bulk_create(
        Chunk(
            id=uuid4(),
            document=one,
            version=1,
            granularity=GRANULARITY,
            index=n,
            text="x",
            token_count=1,
            start=n * 100,
            end=n * 100 + 100,
        )
        for one in documents
        for n in range(CHUNKS)
    )
    Section.objects.bulk_create(
        Section(document=one, version=1, index=3, level=1, title="Artículo 3", key=KEY, start=300, end=400)
        for one in documents
    )
    return documents


def visits(node: dict[str, Any]) -> Iterator[int]:
    """How often each step of a plan was begun."""
    yield node["Actual Loops"]
    for below in node.get("Plans", []):
        yield from visits(below)


def most_visits(asked: QuerySet[Any, Any]) -> int:
    ((plan,),) = (json.loads(asked.explain(format="json", analyze=True)),)
    return max(visits(plan["Plan"]))


@pytest.fixture
def reader() -> Membership:
    return MembershipFactory()


@pytest.fixture
def library(reader: Membership) -> tuple[Scope, list[Document]]:
    with system_scope():
        corpora = CorpusFactory.create_batch(SHARED, shared_in=reader.organization)
        documents = fill(corpora, DOCUMENTS)
        others = Organization.objects.bulk_create(Organization(name=str(n), slug=str(n)) for n in range(OTHERS))
        fill(
            Corpus.objects.bulk_create(Corpus(name="x", organization=one, corpus_type="global") for one in others),
            OTHERS,
        )
        analyze()
    return scope_of(reader, *corpora), documents


def test_passages_are_looked_up_and_not_those_of_every_document(library: tuple[Scope, list[Document]]) -> None:
    scope, documents = library
    chosen = documents[:: DOCUMENTS // PAGE][:PAGE]
    chunks = Chunk.objects.filter(document__in=chosen, index=1)
    ids: list[UUID] = list(chunks.values_list("id", flat=True))
    with tenant_scope(scope.organization_id, scope.user_id):
        asked = _chunks_in_scope(ids, [one.pk for one in chosen], **_scope_values(scope))
        assert len(asked) == PAGE
        assert most_visits(asked) <= 4 * PAGE


def test_a_place_of_a_document_is_looked_up_in_it_alone(library: tuple[Scope, list[Document]]) -> None:
    scope, documents = library
    with tenant_scope(scope.organization_id, scope.user_id):
        asked = _sections_in_scope(GRANULARITY, [one.pk for one in documents[:3]], [KEY], **_scope_values(scope))
        assert len(asked) == 3
        assert most_visits(asked) <= 4 * PAGE
