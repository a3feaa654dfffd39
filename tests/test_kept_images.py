"""Images of pages that are kept: how much room they take, which go first, and that whoever is shown one only reads."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.limits.rows import LimitUse
from corpora.models import Document
from corpora.reader import kept_pages, page_room
from corpora.uploads.inventory import stored_names
from tests.factories import CorpusFactory
from tests.limits import limit
from tests.people import People, with_key
from tests.printed import pdf_document

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_this_thread")]

MEGABYTE = 1024 * 1024


@pytest.fixture(autouse=True)
def forgotten() -> None:
    cache.clear()


@pytest.fixture
def document(people: People) -> Document:
    return pdf_document(CorpusFactory(personal_of=people.alice), ("The loan lasts twenty-one days.",))


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the clock of what was asked for when, some seconds on."""
    now = page_room.time.time()

    def later(seconds: float) -> None:
        monkeypatch.setattr(page_room.time, "time", lambda: now + seconds)

    return later


def kept(document: Document) -> set[int]:
    """The pages of which there is an image."""
    return {int(name.rsplit("-", 2)[1]) for name in stored_names("page-images/") if str(document.pk) in name}


def keep(document: Document, *pages: int) -> None:
    for page in pages:
        kept_pages.keep_page(document, page, 800, b"x" * MEGABYTE)


def test_images_that_were_asked_for_longest_ago_make_room_for_others(
    document: Document, settings: Any, at: Any
) -> None:
    keep(document, *range(1, 13))
    for minute, page in enumerate((3, 1, 2), 1):
        at(60 * minute)
        assert kept_pages.kept_page(document, page, 800)
    settings.PAGE_IMAGES_MEGABYTES = 4  # as if it had been so before: nine tenths of them stay
    assert kept_pages.forget_least_used_pages() == 9
    assert kept(document) == {1, 2, 3}
    assert kept_pages.forget_least_used_pages() == 0


def test_what_the_cache_has_forgotten_counts_from_when_it_was_made(document: Document, settings: Any) -> None:
    keep(document, 1, 2, 3)
    for page, age in ((1, 10), (2, 30), (3, 20)):
        (name,) = (one for one in stored_names("page-images/") if one.endswith(f"-{page}-800.png"))
        path = Path(default_storage.path(name))
        made = path.stat().st_mtime - age
        os.utime(path, (made, made))
    settings.PAGE_IMAGES_MEGABYTES = 2
    kept_pages.forget_least_used_pages()
    assert kept(document) == {1}


def test_between_two_rounds_no_more_is_kept_than_may_be(document: Document, settings: Any) -> None:
    settings.PAGE_IMAGES_MEGABYTES = 3
    kept_pages.forget_least_used_pages()  # counts what there is: nothing
    keep(document, 1, 2, 3, 4, 5)
    assert kept(document) == {1, 2, 3}
    kept_pages.forget_pages(document)
    kept_pages.forget_least_used_pages()
    keep(document, 4)
    assert kept(document) == {4}


def test_a_round_ends_in_time(document: Document, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(document, 1, 2, 3)
    settings.PAGE_IMAGES_MEGABYTES = 1
    monkeypatch.setattr(page_room, "LONGEST", -1.0)
    assert kept_pages.forget_least_used_pages() == 0
    keep(document, 4)
    assert kept(document) == {1, 2, 3}, "what was not removed still counts"


def test_no_room_keeps_nothing(document: Document, settings: Any) -> None:
    settings.PAGE_IMAGES_MEGABYTES = 0
    keep(document, 1)
    assert kept(document) == set()


def test_a_kept_image_is_read_without_writing(people: People, document: Document, settings: Any) -> None:
    """R4. What is counted is work (R21): a page that has to be read counts, whoever shows it again reads alone."""
    limit(settings, pages=100)
    alice, path = with_key(people.alice), f"/api/documents/{document.pk}/pages/1/image/?width=200"
    tag = alice.get(path).headers["ETag"]
    assert LimitUse.objects.filter(name="pages").exists()
    for headers in ({}, {"If-None-Match": tag}):
        with CaptureQueriesContext(connection) as queries:
            assert alice.get(path, headers=headers).status_code in (200, 304)
        written = [one["sql"] for one in queries if one["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
        assert not [sql for sql in written if "accounts_apikey" not in sql], "but for when the key was last seen"
