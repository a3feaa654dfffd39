"""Pages of a PDF as they are printed, over the API: boxes, images, what is kept of them and when it goes."""

import struct
import time
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from accounts.limits.places import Places
from corpora import removal
from corpora.models import Corpus, Document, ErasureReceipt
from corpora.reader import kept_pages, page_source, showing
from corpora.reader.printed import PageRequest, PrintedPage
from corpora.tests.sending import problem
from corpora.uploads.inventory import stored_names
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People, signed_in, with_key
from tests.printed import pdf_document
from workers.ingestion import page_reader
from workers.ingestion.sandbox.pool import SandboxUnavailable
from workers.jobs import erase

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_this_thread")]

FIRST = ("The loan lasts twenty-one days.", "It may be renewed twice.")
SECOND = ("Readers who return books late", "pay a fine of one euro.")


@pytest.fixture(autouse=True)
def forgotten() -> None:
    cache.clear()  # what is remembered of pages that cannot be shown


@pytest.fixture
def corpus(people: People) -> Corpus:
    return CorpusFactory(personal_of=people.alice)


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return pdf_document(corpus, FIRST, SECOND)


@pytest.fixture
def alice(people: People) -> Client:
    return with_key(people.alice)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[PageRequest]:
    """What the sandbox was asked for."""
    asked: list[PageRequest] = []
    (real,) = page_source._readers

    def counted(document: Document, request: PageRequest) -> PrintedPage:
        asked.append(request)
        return real(document, request)

    monkeypatch.setattr(page_source, "_readers", [counted])
    return asked


def page(client: Client, document: Document, number: int = 1, **asked: Any) -> Any:
    return client.get(f"/api/documents/{document.pk}/pages/{number}/", asked)


def image(client: Client, document: Document, number: int = 1, width: Any = 200, **headers: str) -> Any:
    return client.get(f"/api/documents/{document.pk}/pages/{number}/image/", {"width": width}, headers=headers)


def cited(document: Document, words: str) -> dict[str, int]:
    start = document.texts.get().text.index(words)
    return {"start": start, "end": start + len(words)}


def images(document: Document) -> set[str]:
    return {name for name in stored_names("page-images/") if str(document.pk) in name}


def printed_in(document: Document, body: Any) -> str:
    """What PDFium finds within the boxes, a little inset."""
    opened = pypdfium2.PdfDocument(Path(document.file.path))
    text, (width, height) = opened[body["page"] - 1].get_textpage(), (body["width"], body["height"])
    return " ".join(
        text.get_text_bounded(
            left * width + 0.4, height - (bottom - (bottom - top) * 0.1) * height, right * width - 0.4,
            height - (top + (bottom - top) * 0.1) * height,
        ).strip()
        for left, top, right, bottom in body["boxes"]
    )  # fmt: skip


# Boxes


def test_a_page_tells_its_size_and_where_a_sentence_is_printed(alice: Client, document: Document) -> None:
    body = page(alice, document, **cited(document, "It may be renewed twice.")).json()
    assert printed_in(document, body) == "It may be renewed twice."
    assert (body["match"], body["page"], body["label"], body["page_count"]) == ("exact", 1, "1", 2)
    assert (round(body["width"]), round(body["height"])) == (595, 842)
    assert (body["document"], body["start"]) == (str(document.pk), 0)
    assert all(0 <= edge <= 1 for box in body["boxes"] for edge in box)


def test_of_a_sentence_on_two_pages_each_has_its_part(alice: Client, document: Document) -> None:
    whole = {"start": 0, "end": len(document.texts.get().text)}
    for number, lines in ((1, FIRST), (2, SECOND)):
        body = page(alice, document, number, **whole).json()
        assert printed_in(document, body) == " ".join(lines)
        assert len(body["boxes"]) == 2, "one for each line"


def test_what_stands_on_another_page_has_no_box_on_this_one(alice: Client, document: Document) -> None:
    body = page(alice, document, 2, **cited(document, "It may be renewed twice.")).json()
    assert (body["match"], body["boxes"]) == ("none", [])


def test_what_the_page_does_not_print_is_told_as_such(alice: Client, corpus: Corpus) -> None:
    stale = pdf_document(corpus, ("Something else altogether.",), content=b"")
    stale.texts.update(text="The loan lasts long.", pages=[[1, 0, 20]])
    body = page(alice, stale, start=0, end=20).json()
    assert (body["match"], body["boxes"]) == ("none", [])


def test_on_a_page_with_very_much_text_a_sentence_is_found_too(alice: Client, corpus: Corpus) -> None:
    long = pdf_document(corpus, FIRST)
    text = "x" * 200_000 + FIRST[1] + "y" * 200_000
    long.texts.update(text=text, pages=[[1, 0, len(text)]])
    assert page(alice, long, start=200_000, end=200_000 + len(FIRST[1])).json()["match"] == "exact"
    assert page(alice, long, start=0, end=100_000).json()["match"] == "none"


def test_without_a_range_a_page_tells_its_size_alone(alice: Client, document: Document) -> None:
    body = page(alice, document).json()
    assert (body["match"], body["boxes"]) == (None, [])


def test_a_printed_label_is_told(alice: Client, document: Document) -> None:
    text = document.texts.get()
    text.pages[0].append("xii")
    text.save()
    assert page(alice, document).json()["label"] == "xii"


@pytest.mark.parametrize(
    "asked",
    [{"start": 3}, {"end": 3}, {"start": 3, "end": 3}, {"start": -1, "end": 3}, {"start": "a", "end": 3},
     {"start": 0, "end": 10**6}, {"start": 0, "end": 2**40}],
)  # fmt: skip
def test_a_range_that_is_none_is_told(alice: Client, document: Document, asked: dict[str, Any]) -> None:
    assert problem(page(alice, document, **asked)) == (400, "invalid_input")


@pytest.mark.parametrize("number", [0, 3, 10**12])
def test_a_page_that_is_not_there_is_not_found(alice: Client, document: Document, number: int) -> None:
    assert problem(page(alice, document, number)) == (404, "not_found")
    assert problem(image(alice, document, number)) == (404, "not_found")


def test_what_has_no_printed_pages_is_not_found(alice: Client, corpus: Corpus, read: list[PageRequest]) -> None:
    for document in (DocumentFactory(corpus=corpus), DocumentFactory(corpus=corpus, status="pending")):
        assert problem(page(alice, document)) == (404, "not_found")
        assert problem(image(alice, document)) == (404, "not_found")
    assert read == []


# Images


def test_an_image_is_a_png_of_the_width_that_was_asked_for(alice: Client, document: Document) -> None:
    answer = image(alice, document, width=800)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png")
    assert answer.content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack("!II", answer.content[16:24]) == (800, 1132)
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert {"Authorization", "Cookie"} <= set(answer.headers["Vary"].split(", "))


@pytest.mark.parametrize("width", [0, -1, 201, 10**9, "a"])
def test_another_width_is_refused(alice: Client, document: Document, width: Any) -> None:
    assert problem(image(alice, document, width=width)) == (400, "invalid_input")


def test_an_image_is_drawn_once(alice: Client, document: Document, read: list[PageRequest]) -> None:
    assert image(alice, document).content == image(alice, document).content
    assert read == [PageRequest(1, 200)]
    assert len(images(document)) == 1


def test_who_has_the_image_is_told_so_without_drawing_it(
    alice: Client, document: Document, read: list[PageRequest]
) -> None:
    tag = image(alice, document).headers["ETag"]
    kept_pages.forget_pages(document)
    answer = image(alice, document, **{"If-None-Match": tag})
    assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", tag)
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert len(read) == 1


def test_who_may_read_it_no_longer_is_not_told_that_it_has_not_changed(
    alice: Client, people: People, document: Document
) -> None:
    tag = image(alice, document).headers["ETag"]
    removal.remove_document(document, people.alice)
    assert problem(image(alice, document, **{"If-None-Match": tag})) == (404, "not_found")


def test_another_version_has_another_tag(alice: Client, document: Document) -> None:
    tags = {image(alice, document).headers["ETag"], image(alice, document, 2).headers["ETag"]}
    tags.add(image(alice, document, width=800).headers["ETag"])
    document.texts.update(version=2)
    Document.objects.update(version=2)
    assert image(alice, document).headers["ETag"] not in tags
    assert len(tags) == 3


# What goes wrong


def test_a_page_that_cannot_be_drawn_is_told_and_not_tried_again_soon(
    alice: Client, corpus: Corpus, read: list[PageRequest]
) -> None:
    broken = pdf_document(corpus, FIRST, content=b"%PDF-1.4 and nothing else")
    for _ in range(2):
        assert problem(image(alice, broken)) == (422, "page_unreadable")
    assert len(read) == 1
    assert problem(page(alice, broken)) == (422, "page_unreadable")


def test_an_original_that_is_gone_is_not_found(alice: Client, document: Document) -> None:
    default_storage.delete(document.file.name)
    assert problem(image(alice, document)) == (404, "not_found")


def test_when_all_places_are_taken_who_asks_is_told_when_to_come_back(
    alice: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(showing, "drawing", Places(at_once=1, patience=0.05))
    with showing.drawing.taken():
        answer = image(alice, document)
    assert problem(answer) == (503, "busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert image(alice, document).status_code == 200, "and the place is free again"


def test_a_machine_without_a_sandbox_is_busy(
    alice: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: Any) -> Any:
        raise SandboxUnavailable("no process")

    monkeypatch.setattr(page_reader, "show_in_sandbox", unavailable)
    answer = image(alice, document)
    assert problem(answer) == (503, "busy")
    assert "Retry-After" in answer.headers


def test_a_store_that_takes_and_gives_nothing_costs_time_alone(
    alice: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise ConnectionError

    monkeypatch.setattr(default_storage._wrapped, "save", refuse)
    monkeypatch.setattr(kept_pages.default_storage._wrapped, "open", refuse)
    assert image(alice, document).status_code == 200


def test_a_document_of_nobody_is_read_by_nobody(people: People, document: Document, read: list[PageRequest]) -> None:
    for stranger in (people.bob, people.ada, people.charlie):
        assert problem(page(with_key(stranger), document)) == (404, "not_found")
        assert problem(image(with_key(stranger), document)) == (404, "not_found")
    assert read == []


# For people


def reader(people: People, document: Document, path: str = "", **asked: Any) -> str:
    answer = signed_in(people.alice).get(f"/documents/{document.pk}/{path}", asked)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_cited_page_boxes_its_sentence_and_has_its_text(people: People, document: Document) -> None:
    span = cited(document, FIRST[1])
    asked = {"start": 0, "end": 60, "mark": f"{span['start']}-{span['end']}"}
    shown = reader(people, document, "pages/1/", **asked)
    assert shown.count('<rect class="quote"') == 1
    assert shown.count('<rect class="faint"') == 2
    assert f"/api/documents/{document.pk}/pages/1/image/?width=800" in shown
    assert f">{FIRST[1]}</mark>" in shown
    assert reader(people, document, **asked).count('<rect class="quote" id="passage"') == 1
    as_text = reader(people, document, **asked, **{"as": "text"})
    assert f"/documents/{document.pk}/pages/1/?start=0&amp;end=60&amp;mark=" in as_text


def test_a_sentence_on_two_pages_is_followed_with_its_mark(people: People, document: Document) -> None:
    text = document.texts.get().text
    start, end = text.index(FIRST[1]), text.index(SECOND[0]) + len(SECOND[0])
    asked = {"start": 0, "end": len(text), "mark": f"{start}-{end}"}
    query = f"?start=0&amp;end={len(text)}&amp;mark={start}-{end}#passage"
    first, second = (reader(people, document, f"pages/{n}/", **asked) for n in (1, 2))
    assert first.count('<rect class="quote"') == second.count('<rect class="quote"') == 1
    assert f'<a href="/documents/{document.pk}/pages/2/{query}" data-goes-on>' in first
    assert f'<a href="/documents/{document.pk}/pages/1/{query}">' in second
    assert "data-goes-on" not in second
    whole_on_first = reader(people, document, "pages/1/", start=0, end=len(FIRST[0]))
    assert f'/documents/{document.pk}/pages/2/"' in whole_on_first, "nothing of it stands on the next page"
    assert "data-goes-on" not in whole_on_first


def test_a_page_that_cannot_be_drawn_is_read_as_text(people: People, corpus: Corpus) -> None:
    broken = pdf_document(corpus, FIRST, content=b"%PDF-1.4 and nothing else")
    shown = reader(people, broken, "pages/1/", start=0, end=10)
    assert "<img" not in shown
    assert FIRST[1] in shown
    assert '<details class="printed-text" open>' in shown


def test_only_a_pdf_has_printed_pages(people: People, corpus: Corpus) -> None:
    plain = DocumentFactory(corpus=corpus)
    assert "/pages/" not in reader(people, plain)
    assert signed_in(people.alice).get(f"/documents/{plain.pk}/pages/1/").status_code == 404


# What is kept, and when it goes


def test_nothing_is_kept_where_nothing_shall_be(alice: Client, document: Document, settings: Any) -> None:
    settings.PAGE_IMAGES_DAYS = 0
    assert image(alice, document).status_code == 200
    assert images(document) == set()


def test_images_are_kept_for_a_time_and_no_longer(
    alice: Client, document: Document, settings: Any, monkeypatch: pytest.MonkeyPatch, read: list[PageRequest]
) -> None:
    image(alice, document)
    now = time.time()
    for generations, kept in ((1, True), (2, False)):
        monkeypatch.setattr(
            kept_pages.time, "time", lambda later=generations: now + later * settings.PAGE_IMAGES_DAYS * 86_400
        )
        kept_pages.forget_past_pages()
        assert bool(images(document)) is kept
        assert (kept_pages.kept_page(document, 1, 200) is not None) is kept
    assert not list((Path(default_storage.path("page-images"))).rglob("*")), "folders neither"


def test_erasing_a_document_erases_its_images_and_counts_them(
    alice: Client, people: People, document: Document, corpus: Corpus
) -> None:
    other = pdf_document(corpus, FIRST, sha256="other")
    for one, number in ((document, 1), (document, 2), (other, 1)):
        assert image(alice, one, number).status_code == 200
    removal.remove_document(document, people.alice, at_once=True)
    assert erase.erase(document.pk)
    assert images(document) == set()
    assert len(images(other)) == 1
    receipt = ErasureReceipt.objects.get()
    assert receipt.removed["page images"] == 2


def test_what_is_deleted_while_it_is_drawn_is_not_kept(
    alice: Client, people: People, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    (real,) = page_source._readers

    def drawn_late(asked: Document, request: PageRequest) -> PrintedPage:
        shown = real(asked, request)
        removal.remove_document(document, people.alice, at_once=True)
        assert erase.erase(document.pk)
        return shown

    monkeypatch.setattr(page_source, "_readers", [drawn_late])
    image(alice, document)
    assert images(document) == set()


def test_a_new_version_drops_the_images_of_the_one_before(alice: Client, document: Document) -> None:
    image(alice, document)
    document.version = 2
    image_of_new = kept_pages.keep_page(document, 1, 200, b"new")
    assert kept_pages.forget_pages(document, but_version=2) == 1
    assert images(document) == {image_of_new}


def test_what_is_in_the_trash_is_not_shown_and_comes_back(alice: Client, people: People, document: Document) -> None:
    assert image(alice, document).status_code == 200
    Document.objects.filter(pk=document.pk).update(deleted_at=timezone.now())
    assert problem(image(alice, document)) == (404, "not_found")
    Document.objects.filter(pk=document.pk).update(deleted_at=None)
    assert image(alice, document).status_code == 200
