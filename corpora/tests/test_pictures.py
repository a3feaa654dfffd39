"""Pictures inside of documents in the reader: where they stand, who is shown them, and what is asked of the sandbox."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from corpora.media_types import DOCX
from corpora.models import Document
from corpora.reader import page_source, reading
from corpora.reader.printed import PageRequest, PrintedPage
from corpora.reader.word_blocks import word_blocks
from corpora.uploads.inventory import stored_names
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People, signed_in, with_key
from tests.printed import drawn_document

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_this_thread")]


@pytest.fixture
def drawn(people: People) -> Document:
    cache.clear()
    return drawn_document(CorpusFactory(personal_of=people.alice), "La mesa")


def picture(client: Client, document: Document, number: int = 1, width: int = 800, **headers: str) -> Any:
    return client.get(f"/api/documents/{document.pk}/pictures/{number}/", {"width": width}, headers=headers)


def test_the_reader_shows_a_picture_with_its_words_below(people: People, drawn: Document) -> None:
    page = signed_in(people.alice).get(f"/documents/{drawn.pk}/").content.decode()
    before, figure, after = page.index("Before."), page.index("<figure"), page.index("After.")
    assert before < figure < after
    assert f'src="/api/documents/{drawn.pk}/pictures/1/?width=800"' in page
    assert "<figcaption>La mesa</figcaption>" in page
    assert "picture-1" not in page


def test_what_is_said_below_a_picture_is_marked_where_it_is_cited(people: People, drawn: Document) -> None:
    start = drawn.texts.get().text.index("La mesa")
    asked = {"start": 0, "end": start + 7, "mark": f"{start}-{start + 7}"}
    page = signed_in(people.alice).get(f"/documents/{drawn.pk}/", asked).content.decode()
    assert '<figcaption><mark id="passage" tabindex="-1">La mesa</mark></figcaption>' in page


def test_a_picture_from_elsewhere_stays_words(people: People) -> None:
    text = "![Lejana](https://elsewhere.example/x.png)"
    document = DocumentFactory(
        corpus=CorpusFactory(personal_of=people.alice), media_type="text/markdown", text=text, filename="a.md"
    )
    page = signed_in(people.alice).get(f"/documents/{document.pk}/").content.decode()
    assert "elsewhere.example" not in page
    assert "Lejana" in page


def test_a_picture_is_a_png_for_who_reads_the_document_alone(people: People, drawn: Document) -> None:
    answer = picture(with_key(people.alice), drawn)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")
    for other in (people.bob, people.ada, people.charlie):
        assert picture(with_key(other), drawn).status_code == 404
    assert picture(with_key(people.alice), drawn, 2).status_code == 404
    assert picture(with_key(people.alice), drawn, width=801).status_code == 400


def test_a_picture_is_drawn_once_and_asked_for_anew(
    people: People, drawn: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[PageRequest] = []
    (real,) = page_source._readers

    def counted(document: Document, request: PageRequest) -> PrintedPage:
        asked.append(request)
        return real(document, request)

    monkeypatch.setattr(page_source, "_readers", [counted])
    alice = with_key(people.alice)
    first, second = picture(alice, drawn), picture(alice, drawn)
    assert first.content == second.content
    assert len(asked) == 1
    again = picture(alice, drawn, **{"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    assert [name for name in stored_names("page-images/") if str(drawn.pk) in name]


def test_a_docx_has_its_tables_and_pictures_where_they_stand() -> None:
    text = "Uno *a*.\n\n| x | **y** |\n| --- | --- |\n| 1 | 2 |\n\nDos."
    (section,) = reading.sections(text, [], [])
    pictures = [reading.Picture(at, n, 4, 4, "") for n, at in enumerate((0, 8, len(text)), 1)]
    found = word_blocks(text, section, [], None, None, pictures)
    assert [one.kind for one in found] == ["picture", "paragraph", "picture", "grid", "paragraph", "picture"]
    grid = found[3]
    assert [[cell[0][1].text.strip() for cell in row] for row in grid.grid] == [["x", "**y**"], ["1", "2"]]
    assert found[1].pieces[0].text == "Uno *a*.", "in a DOCX every sign is meant"


def test_a_table_that_is_cited_keeps_its_mark(people: People) -> None:
    text = "| plazo | días |\n| --- | --- |\n| préstamo | 21 |"
    document = DocumentFactory(
        corpus=CorpusFactory(personal_of=people.alice), media_type=DOCX, text=text, filename="a.docx"
    )
    start = text.index("préstamo")
    asked = {"start": 0, "end": len(text), "mark": f"{start}-{start + 8}"}
    page = signed_in(people.alice).get(f"/documents/{document.pk}/", asked).content.decode()
    assert '<mark id="passage" tabindex="-1">préstamo</mark>' in page
    assert '<th scope="col">' in page
