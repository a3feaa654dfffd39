"""The table of documents: its order, its filters, what each row says of its title and its state."""

import re
import time
from typing import Any

import pytest
from django.test import Client

from accounts.models import Membership
from corpora.descriptions import describe
from corpora.models import Corpus, Document
from corpora.pages import lists
from corpora.rows.reading_order import DIGITS, sortable
from tests.cast import Cast, browser, make_cast
from tests.factories import CorpusFactory, DocumentFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def corpus(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice)


def titles(client: Client, corpus: Corpus, **asked: Any) -> list[str]:
    page = client.get(f"/corpora/{corpus.pk}/documents/", asked).content.decode()
    return re.findall(r'class="title"[^>]*>([^<]*)<', page)


def failed(corpus: Corpus, **said: Any) -> Document:
    """The cheapest kind of document: it has no text."""
    return DocumentFactory(corpus=corpus, **{"status": "failed", **said})


def test_a_course_is_listed_in_its_order_however_its_uploads_were_shuffled(cast: Cast, corpus: Corpus) -> None:
    for number in (9, 10, 8, 1, 11, 2):
        failed(corpus, title=f"Unidad {number}", filename=f"U{number}.md")
    expected = [f"Unidad {number}" for number in (1, 2, 8, 9, 10, 11)]
    assert titles(browser(cast.alice), corpus) == expected
    assert titles(browser(cast.alice), corpus, sort="-name") == expected[::-1]


def test_units_go_before_names_and_what_has_none_comes_last(cast: Cast, corpus: Corpus) -> None:
    for title, unit in (("a", ""), ("b", "Unit 10"), ("c", "Unit 2"), ("d", "unit 2")):
        failed(corpus, title=title, filename=f"{title}.md", unit=unit)
    assert titles(browser(cast.alice), corpus) == ["c", "d", "b", "a"]


def test_names_sort_without_case_and_accents(cast: Cast, corpus: Corpus) -> None:
    for title in ("Zoo", "álgebra", "Árbol", "banco"):
        failed(corpus, title=title)
    assert titles(browser(cast.alice), corpus, sort="name") == ["álgebra", "Árbol", "banco", "Zoo"]


@pytest.mark.parametrize(
    ("sort", "expected"), [("-size", ["big", "mid", "tiny"]), ("size", ["tiny", "mid", "big"]),
                           ("-date", ["tiny", "big", "mid"]), ("date", ["mid", "big", "tiny"])],
)  # fmt: skip
def test_it_sorts_by_size_and_date(cast: Cast, corpus: Corpus, sort: str, expected: list[str]) -> None:
    for title, size in (("mid", 20), ("big", 300), ("tiny", 1)):
        failed(corpus, title=title, size=size)
    assert titles(browser(cast.alice), corpus, sort=sort) == expected


@pytest.mark.parametrize("wrong", ["pk", "corpus__owner__password", "-", "' OR 1"])
def test_what_is_no_order_sorts_as_the_course_does(cast: Cast, corpus: Corpus, wrong: str) -> None:
    for number in (10, 2):
        failed(corpus, title=f"U{number}", filename=f"{number}.md")
    assert titles(browser(cast.alice), corpus, sort=wrong, state=wrong, type=wrong) == ["U2", "U10"]


def test_it_filters_by_state_and_type(cast: Cast, corpus: Corpus) -> None:
    DocumentFactory(corpus=corpus, title="ready")
    failed(corpus, title="broken", media_type="application/pdf")
    failed(corpus, title="waits", status="pending", media_type="text/markdown")
    client = browser(cast.alice)
    for asked, expected in (
        ({"state": "ready"}, ["ready"]), ({"state": "failed"}, ["broken"]), ({"state": "work"}, ["waits"]),
        ({"type": "pdf"}, ["broken"]), ({"type": "md"}, ["waits"]), ({"type": "md", "state": "failed"}, []),
    ):  # fmt: skip
        assert titles(client, corpus, **asked) == expected, asked
    nothing = client.get(f"/corpora/{corpus.pk}/documents/", {"type": "docx"}).content.decode()
    assert "No document is like this." in nothing


def test_pages_of_the_list_keep_order_and_filter_and_repeat_nothing(cast: Cast, corpus: Corpus) -> None:
    for number in range(60):
        failed(corpus, title=f"U{number}", filename="same.md", sha256=str(number))
    client = browser(cast.alice)
    page = client.get(f"/corpora/{corpus.pk}/documents/", {"sort": "-name", "state": "failed"})
    more = re.search(r'hx-get="([^"]*page=2)"', page.content.decode())
    assert more is not None
    assert "sort=-name" in more[1]
    assert "state=failed" in more[1]
    shown = [titles(client, corpus, sort="-name", state="failed", page=number) for number in (1, 2)]
    assert [*shown[0], *shown[1]] == [f"U{number}" for number in reversed(range(60))]


def test_the_address_says_what_is_asked_for(cast: Cast, corpus: Corpus) -> None:
    failed(corpus)
    answer = browser(cast.alice).get(f"/corpora/{corpus.pk}/documents/", {"state": "failed", "sort": "course"})
    assert answer["HX-Replace-Url"] == f"/corpora/{corpus.pk}/?state=failed"


def test_the_heading_of_a_column_says_how_it_is_sorted_and_turns_it_round(cast: Cast, corpus: Corpus) -> None:
    failed(corpus)
    page = browser(cast.alice).get(f"/corpora/{corpus.pk}/", {"sort": "name"}).content.decode()
    assert re.search(r'aria-sort="ascending"><a href="\?sort=-name"', page)
    assert page.count("aria-sort") == 1


def test_a_state_is_told_only_where_it_is_not_simply_ready(cast: Cast, corpus: Corpus) -> None:
    DocumentFactory(corpus=corpus)
    assert "badge bad" not in browser(cast.alice).get(f"/corpora/{corpus.pk}/").content.decode()
    failed(corpus)
    assert "badge bad" in browser(cast.alice).get(f"/corpora/{corpus.pk}/").content.decode()


def test_sizes_are_told_in_units_that_people_use(cast: Cast, corpus: Corpus) -> None:
    failed(corpus, size=3_600_000)
    assert "3.4 MB" in browser(cast.alice).get(f"/corpora/{corpus.pk}/").content.decode().replace("\xa0", " ")


def test_a_guessed_title_is_marked_until_somebody_gives_one(cast: Cast, corpus: Corpus) -> None:
    document = failed(corpus, title="CHAPTER 1", title_guessed=True)
    client = browser(cast.alice)
    assert ">guessed<" in client.get(f"/corpora/{corpus.pk}/").content.decode()
    row = client.post(
        f"/documents/{document.pk}/title/", {"title": "  Handbook  2024 "}, headers={"HX-Request": "true"}
    )
    assert "Handbook 2024" in row.content.decode()
    assert ">guessed<" not in row.content.decode()
    document.refresh_from_db()
    assert (document.title, document.title_guessed) == ("Handbook 2024", False)
    assert document.metadata_changed_at is not None, "questions find it by its new title"


def test_who_keeps_the_guess_has_said_so(cast: Cast, corpus: Corpus) -> None:
    document = failed(corpus, title="CHAPTER 1", title_guessed=True)
    describe(document, cast.alice, unit="1")
    assert document.title_guessed
    describe(document, cast.alice, title="CHAPTER 1")
    document.refresh_from_db()
    assert not document.title_guessed


def test_an_empty_title_leaves_the_one_that_is_there(cast: Cast, corpus: Corpus) -> None:
    document = failed(corpus, title="Handbook")
    browser(cast.alice).post(f"/documents/{document.pk}/title/", {"title": "  "})
    browser(cast.alice).post(f"/documents/{document.pk}/title/", {"title": "x" * 900})
    document.refresh_from_db()
    assert document.title == "x" * 255


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_nobody_else_gives_it_a_title(cast: Cast, corpus: Corpus, who: str) -> None:
    document = failed(corpus, title="Mine")
    assert browser(getattr(cast, who)).post(f"/documents/{document.pk}/title/", {"title": "x"}).status_code == 404


def test_names_sort_by_their_numbers_and_paths_folder_by_folder() -> None:
    assert sorted(["a b/1", "a/2", "a/10", "a/b"], key=sortable) == ["a/2", "a/10", "a/b", "a b/1"]
    assert sorted(["v1.10.2", "v1.9", "0007", "v1.10"], key=sortable) == ["0007", "v1.9", "v1.10", "v1.10.2"]
    assert sortable("9" * 5_000) == "9" * DIGITS
    assert sortable("") == ""


def test_five_thousand_documents_are_sorted_in_a_tenth_of_a_second(corpus: Corpus, monkeypatch: Any) -> None:
    many = [
        Document(corpus=corpus, filename=f"U{n}.md", title=f"Unidad {n}: sección {n % 7}", unit=f"Unidad {n % 12}",
                 media_type="text/markdown", size=n, sha256=str(n), status="failed")
        for n in range(5_000)
    ]  # fmt: skip
    Document.objects.bulk_create(many)
    took = []
    for _attempt in range(5):
        begun = time.thread_time()  # the machine may be busy
        rows = list(lists.DocumentList().chosen(Document.objects.filter(corpus=corpus), 5_000)[:51])
        took.append(time.thread_time() - begun)
    assert [one.unit for one in rows] == ["Unidad 0"] * 51
    assert min(took) < 0.1, took
    monkeypatch.setattr(lists, "MOST_BY_NAME", 4_999)
    newest = lists.DocumentList().chosen(Document.objects.filter(corpus=corpus), 5_000)[:1]
    assert newest[0] == Document.objects.filter(corpus=corpus).order_by("-created_at", "-pk").first()


def test_somebody_elses_corpus_has_no_list(cast: Cast, corpus: Corpus) -> None:
    member: Membership
    for member in (cast.bob, cast.admin, cast.charlie):
        assert browser(member).get(f"/corpora/{corpus.pk}/documents/", {"sort": "name"}).status_code == 404
