"""The reader: the cited passage is highlighted, long texts come in pieces, strangers see nothing."""

import pytest

from corpora.models import Chunk, Document
from tests.cast import Cast, browser, make_cast
from tests.factories import CorpusFactory, DocumentFactory

PAGES = [f"Page {n} says that shelf {n} is open.\n" * 5 for n in range(1, 11)]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def paged(cast: Cast) -> Document:
    starts = [sum(map(len, PAGES[:n])) for n in range(11)]
    spans = [[n + 1, starts[n], starts[n + 1]] for n in range(10)]
    return DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice), text="".join(PAGES), pages=spans)


def test_it_begins_with_the_first_pages_and_leads_on(cast: Cast, paged: Document) -> None:
    page = browser(cast.alice).get(f"/documents/{paged.pk}/").content.decode()
    assert "Page 3 says" in page
    assert "Page 4 says" not in page
    assert 'href="?section=3" rel="next"' in page


def test_a_page_can_be_asked_for(cast: Cast, paged: Document) -> None:
    page = browser(cast.alice).get(f"/documents/{paged.pk}/?page=8").content.decode()
    assert "Page 8 says" in page
    assert "Page 1 says" not in page


@pytest.mark.parametrize("query", ["page=99999999999", "section=-1", "chunk=x", "start=9&end=1", "start=a&end=b"])
def test_nonsense_in_the_address_is_ignored(cast: Cast, paged: Document, query: str) -> None:
    assert browser(cast.alice).get(f"/documents/{paged.pk}/?{query}").status_code == 200


def test_the_cited_passage_is_marked_with_its_neighbours_around(cast: Cast, paged: Document) -> None:
    chunk = paged.chunks.order_by("start")[2]
    page = browser(cast.alice).get(f"/documents/{paged.pk}/?chunk={chunk.pk}").content.decode()
    assert page.count('<mark id="passage"') == 1
    assert "Page 4 says" in page


def test_a_passage_given_by_offsets_is_marked(cast: Cast, paged: Document) -> None:
    page = browser(cast.alice).get(f"/documents/{paged.pk}/?start=0&end=11").content.decode()
    assert '<mark id="passage" tabindex="-1">Page 1 says</mark>' in page


def test_a_chunk_of_another_document_marks_nothing(cast: Cast, paged: Document) -> None:
    other = DocumentFactory(corpus=CorpusFactory(personal_of=cast.bob))
    chunk = Chunk.objects.filter(document=other).first()
    assert chunk
    page = browser(cast.alice).get(f"/documents/{paged.pk}/?chunk={chunk.pk}").content.decode()
    assert "<mark" not in page


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_for_others_the_document_does_not_exist(cast: Cast, paged: Document, who: str) -> None:
    assert browser(getattr(cast, who)).get(f"/documents/{paged.pk}/").status_code == 404


def test_a_megabyte_is_never_shown_at_once(cast: Cast) -> None:
    document = DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice), text="word " * 40_000)
    assert len(browser(cast.alice).get(f"/documents/{document.pk}/").content) < 60_000


@pytest.mark.parametrize(("status", "sentence"), [("pending", "is being processed"), ("failed", "could not be read")])
def test_a_document_without_text_says_why(cast: Cast, status: str, sentence: str) -> None:
    document = DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice), status=status)
    assert sentence in browser(cast.alice).get(f"/documents/{document.pk}/").content.decode()


def test_the_text_is_never_markup(cast: Cast) -> None:
    text = "<script>alert(1)</script>\n\n# <b>Head</b>\n\n| <i>a</i> | b |\n"
    document = DocumentFactory(
        corpus=CorpusFactory(personal_of=cast.alice), text=text, headings=[[1, "<b>Head</b>", 27, 40]]
    )
    page = browser(cast.alice).get(f"/documents/{document.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert "<i>" not in page


def test_words_are_found_inside_and_each_place_leads_to_the_next(cast: Cast, paged: Document) -> None:
    page = browser(cast.alice).get(f"/documents/{paged.pk}/?find=SHELF 7").content.decode()
    assert page.count("<li><a href=") == 5
    first = PAGES[0:6]
    start = sum(map(len, first)) + PAGES[6].index("shelf 7")
    page = (
        browser(cast.alice).get(f"/documents/{paged.pk}/?find=shelf 7&start={start}&end={start + 7}").content.decode()
    )
    assert '<mark id="passage" tabindex="-1">shelf 7</mark>' in page
    assert f"start={start + len('Page 7 says that shelf 7 is open.') + 1}&amp;" in page


def test_beside_something_else_only_what_is_read_is_sent(cast: Cast, paged: Document) -> None:
    page = browser(cast.alice).get(f"/documents/{paged.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert page.lstrip().startswith('<div id="reader"')
    assert "Page 1 says" in page
