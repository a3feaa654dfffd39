"""Documents on a corpus's page: rows, search, live progress, trying again, deleting."""

import pytest
from django.test import Client

from corpora.models import Corpus, Document
from tests.cast import Cast, browser, make_cast
from tests.factories import CorpusFactory, DocumentFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def corpus(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice)


def poll(client: Client, corpus: Corpus, *documents: Document) -> str:
    response = client.post(f"/corpora/{corpus.pk}/progress/", {"busy": [str(one.pk) for one in documents]})
    return response.content.decode()


def test_a_busy_document_shows_its_stage_and_the_page_polls(cast: Cast, corpus: Corpus) -> None:
    DocumentFactory(corpus=corpus, status="processing", stage="embed", progress=0.42)
    page = browser(cast.alice).get(f"/corpora/{corpus.pk}/").content.decode()
    assert "embedding · 42 %" in page
    assert 'hx-trigger="every 1s"' in page


def test_without_a_busy_document_nothing_polls(cast: Cast, corpus: Corpus) -> None:
    DocumentFactory(corpus=corpus)
    assert "every 1s" not in browser(cast.alice).get(f"/corpora/{corpus.pk}/").content.decode()


def test_polling_brings_the_rows_and_stops_by_itself(cast: Cast, corpus: Corpus) -> None:
    client = browser(cast.alice)
    busy = DocumentFactory(corpus=corpus, status="processing", stage="chunk", progress=0.2)
    done = DocumentFactory(corpus=corpus)
    answer = poll(client, corpus, busy, done)
    assert f'id="d-{done.pk}" hx-swap-oob="true"' in answer
    assert "every 1s" in answer
    answer = poll(client, corpus, done)
    assert "every 1s" not in answer
    assert "All documents are processed." in answer


def test_polling_shows_no_other_corpus(cast: Cast, corpus: Corpus) -> None:
    other = DocumentFactory(corpus=CorpusFactory(personal_of=cast.bob))
    assert str(other.pk) not in poll(browser(cast.alice), corpus, other)
    assert browser(cast.bob).post(f"/corpora/{corpus.pk}/progress/").status_code == 404


def test_polling_after_the_session_has_ended_reloads_the_page(cast: Cast, corpus: Corpus) -> None:
    response = browser(None).post(f"/corpora/{corpus.pk}/progress/", headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Refresh"]) == (204, "true")


def test_polling_survives_what_is_no_id(cast: Cast, corpus: Corpus) -> None:
    assert browser(cast.alice).post(f"/corpora/{corpus.pk}/progress/", {"busy": "x"}).status_code == 200


def test_a_failed_document_says_what_to_do_and_can_be_tried_again(cast: Cast, corpus: Corpus) -> None:
    failed = DocumentFactory(corpus=corpus, status="failed", error_code="scanned_document")
    client = browser(cast.alice)
    assert "Run text recognition (OCR)" in client.get(f"/corpora/{corpus.pk}/").content.decode()
    assert "reconocimiento de texto" in browser(cast.alice, "es").get(f"/corpora/{corpus.pk}/").content.decode()
    client.post(f"/documents/{failed.pk}/retry/")
    failed.refresh_from_db()
    assert failed.status == "pending"


def test_a_deleted_document_is_gone_at_once(cast: Cast, corpus: Corpus) -> None:
    document = DocumentFactory(corpus=corpus)
    browser(cast.alice).post(f"/documents/{document.pk}/delete/")
    assert browser(cast.alice).get(f"/documents/{document.pk}/").status_code == 404


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
@pytest.mark.parametrize("step", ["retry", "delete"])
def test_somebody_elses_document_does_not_exist(cast: Cast, corpus: Corpus, who: str, step: str) -> None:
    document = DocumentFactory(corpus=corpus, status="failed")
    assert browser(getattr(cast, who)).post(f"/documents/{document.pk}/{step}/").status_code == 404
    document.refresh_from_db()
    assert (document.status, document.deleted_at) == ("failed", None)


def test_documents_are_found_by_title_and_file_name_and_paged(cast: Cast, corpus: Corpus) -> None:
    for n in range(52):
        DocumentFactory(corpus=corpus, title=f"Book {n:02}", filename=f"{n:02}.txt", status="failed")
    client = browser(cast.alice)
    path = f"/corpora/{corpus.pk}/documents/"
    assert "Load more" in client.get(path).content.decode()
    more = client.get(path, {"page": 2}).content.decode()
    assert "Book 51" in more
    assert "<table" not in more
    found = client.get(path, {"q": "book 07"}).content.decode()
    assert "Book 07" in found
    assert "Book 08" not in found


@pytest.mark.parametrize("wanted", ["clinica", "CLÍNICA", "guia"])
def test_documents_are_found_whatever_case_and_accents(cast: Cast, corpus: Corpus, wanted: str) -> None:
    DocumentFactory(corpus=corpus, title="Historia Clínica", filename="guía.pdf", status="failed")
    DocumentFactory(corpus=corpus, title="Another", filename="another.pdf", status="failed")
    found = browser(cast.alice).get(f"/corpora/{corpus.pk}/documents/", {"q": wanted}).content.decode()
    assert "Historia Clínica" in found
    assert "Another" not in found


def test_a_hostile_file_name_stays_text(cast: Cast, corpus: Corpus) -> None:
    DocumentFactory(corpus=corpus, filename="<img src=x onerror=alert(1)>.txt")
    page = browser(cast.alice).get(f"/corpora/{corpus.pk}/").content.decode()
    assert "<img" not in page
    assert "&lt;img src=x" in page
