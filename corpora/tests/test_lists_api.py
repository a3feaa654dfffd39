"""Lists over HTTP: cursor pages that end, and have no gap (API.md, "Lists")."""

from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from corpora.models import Chunk, Corpus, Document
from corpora.tests.test_api import DOCUMENT, INTERNAL
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People, with_key

pytestmark = pytest.mark.django_db

CHUNK = {
    *("id", "index", "granularity", "text", "token_count", "page_start", "page_end", "heading_path", "start", "end"),
}


@pytest.fixture
def alice(people: People) -> Client:
    return with_key(people.alice)


def pages(client: Client, path: str) -> list[dict[str, Any]]:
    """Every row of a list, by following `next`."""
    rows: list[dict[str, Any]] = []
    following: str | None = path
    while following and len(rows) < 5_000:
        body = client.get(following).json()
        assert set(body) == {"results", "next"}
        rows += body["results"]
        following = body["next"]
    return rows


def test_a_list_is_followed_to_its_end_without_a_gap_or_a_repetition(alice: Client, people: People) -> None:
    made = {str(CorpusFactory(personal_of=people.alice).pk) for _ in range(7)}
    found = [row["id"] for row in pages(alice, "/api/corpora/?page_size=3")]
    assert (len(found), set(found)) == (7, made)


@pytest.mark.parametrize(("asked", "given"), [("2", 2), ("100", 100), ("1000", 100), ("0", 50), ("-1", 50), ("x", 50)])
def test_a_page_has_at_most_100_rows(asked: str, given: int, alice: Client, people: People) -> None:
    organization, owner = people.alice.organization, people.alice.user
    Corpus.objects.bulk_create(
        Corpus(organization=organization, owner=owner, corpus_type="personal", name=str(n)) for n in range(101)
    )
    body = alice.get(f"/api/corpora/?page_size={asked}").json()
    assert len(body["results"]) == given
    assert body["next"].startswith("http")


@pytest.mark.parametrize("cursor", ["x", "bz0tMQ==", "cD1ub25lCg==", "a" * 3000])
def test_a_cursor_that_was_never_given_is_no_error_of_ours(cursor: str, alice: Client) -> None:
    assert alice.get(f"/api/corpora/?cursor={cursor}").status_code in (200, 404)


@pytest.mark.parametrize("position", ["none", "1e999", "2026-13-45", "\x00", "ñ" * 300])
def test_a_forged_position_is_not_found(position: str, alice: Client, long_document: Document) -> None:
    cursor = b64encode(urlencode({"p": position}).encode()).decode()
    for path in ("/api/corpora/", f"/api/documents/{long_document.pk}/chunks/"):
        assert alice.get(path, {"cursor": cursor}).status_code == 404


def test_documents_are_listed_by_corpus_newest_first(alice: Client, people: People) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    older, newer = DocumentFactory(corpus=corpus), DocumentFactory(corpus=corpus)
    DocumentFactory(corpus=CorpusFactory(personal_of=people.alice))
    rows = pages(alice, f"/api/corpora/{corpus.pk}/documents/")
    assert [row["id"] for row in rows] == [str(newer.pk), str(older.pk)]
    assert set(rows[0]) >= DOCUMENT
    assert not set(rows[0]) & INTERNAL


# Chunks


@pytest.fixture
def long_document(people: People) -> Document:
    """1,230 chunks at granularity 800, and 3 at 256."""
    document: Document = DocumentFactory(corpus=CorpusFactory(personal_of=people.alice), text="x")
    document.chunks.all().delete()
    Chunk.objects.bulk_create(
        Chunk(
            id=Chunk.id_for(document.pk, 1, granularity, index),
            document=document,
            version=1,
            granularity=granularity,
            index=index,
            text=str(index),
            text_hash="0" * 64,
            token_count=1,
            start=index,
            end=index + 1,
        )
        for granularity, count in ((800, 1_230), (256, 3))
        for index in range(count)
    )
    return document


def test_a_thousand_chunks_and_more_are_listed_in_reading_order(alice: Client, long_document: Document) -> None:
    rows = pages(alice, f"/api/documents/{long_document.pk}/chunks/?granularity=800&page_size=100")
    assert [row["index"] for row in rows] == list(range(1_230))
    assert set(rows[0]) == CHUNK


@pytest.mark.parametrize(
    ("granularity", "count"), [("256", 3), ("512", 0), ("", 1_233), ("many", 1_233), ("9" * 5000, 1_233)]
)
def test_chunks_of_one_granularity(granularity: str, count: int, alice: Client, long_document: Document) -> None:
    path = f"/api/documents/{long_document.pk}/chunks/?page_size=100&granularity={granularity}"
    assert len(pages(alice, path)) == count


def test_a_chunk_is_the_text_at_its_offsets(alice: Client, people: People, worker: Callable[[], int]) -> None:
    text = "# Water\n\nIt boils at 100 degrees.\n\n# Ice\n\nIt melts at 0 degrees.\n"
    corpus = CorpusFactory(personal_of=people.alice)
    document = DocumentFactory(corpus=corpus, text=text, filename="a.md", media_type="text/markdown", status="pending")
    worker()
    canonical = document.texts.get().text
    for row in alice.get(f"/api/documents/{document.pk}/chunks/").json()["results"]:
        assert row["text"] == canonical[row["start"] : row["end"]]
