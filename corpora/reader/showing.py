"""A page of a document as it is printed, for who may read it: its image, and the boxes of what is cited.

What is not kept is read in the sandbox, a few pages at a time: the cores are for answers first.
"""

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import F
from django.db.models.functions import Substr

from accounts.limits import reserving
from accounts.limits.places import Places
from accounts.models import Membership
from accounts.problems import NotFound
from config.concurrency.pooled import give_back_connection
from corpora.media_types import PDF
from corpora.models import Document
from corpora.reader.kept_pages import discard_page, keep_page, kept_page
from corpora.reader.locating import NOWHERE, Located, locate_on_page
from corpora.reader.page_source import PageUnreadable, read_printed
from corpora.reader.png import png_of
from corpora.reader.printed import MOST_CHARACTERS, PageCharacters, PagePixels, PageRequest, PrintedPage

REMEMBERED_SECONDS = 120  # that a page cannot be shown: each try may take as long as the sandbox lets it
DRAWN_AS = 1  # goes up when the same page is drawn differently

drawing = Places(at_once=2, patience=3.0)


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What is stored of a page: characters [start, end) of the document's text, and the label that is printed."""

    number: int
    count: int
    start: int
    end: int
    label: str


def stored_page(document: Document, number: int) -> StoredPage:
    """Raises NotFound: no PDF, not read yet, or no such page."""
    pages = document.texts.filter(version=document.version).values_list("pages", flat=True).first()
    if document.media_type != PDF or not pages or not 1 <= number <= len(pages):
        raise NotFound
    _number, start, end, *label = pages[number - 1]
    return StoredPage(number, len(pages), start, end, "".join(label))


def assert_has_picture(document: Document, number: int) -> None:
    """Raises NotFound: not read yet, or no such picture in it."""
    rows = document.texts.filter(version=document.version).values_list("pictures", flat=True).first()
    if all(number != row[1] for row in rows or ()):
        raise NotFound


def name_of(asked: PageRequest) -> int | str:
    """What its image is kept under: of a page its number."""
    return f"picture{asked.number}" if asked.picture_of else asked.number


def image_of(membership: Membership, document: Document, asked: PageRequest) -> bytes:
    """A PNG, of a page or a picture that the document has. Raises as `read_page`."""
    name = name_of(asked)
    if image := kept_page(document, name, asked.width):
        return image
    pixels = read_page(membership, document, asked)
    assert isinstance(pixels, PagePixels)
    image = png_of(pixels)
    kept_as = keep_page(document, name, asked.width, image)
    if kept_as and not is_current(membership, document):  # deleted or read anew meanwhile: whoever removes its
        discard_page(kept_as)  # images may have looked already. What is deleted from now on, they have not.
    return image


def is_current(membership: Membership, document: Document) -> bool:
    readable = Document.objects.readable_by(membership)
    return readable.filter(pk=document.pk, version=document.version, sha256=document.sha256).exists()


def boxes_on(page: StoredPage, document: Document, characters: PageCharacters, start: int, end: int) -> Located:
    """Where on the page characters [start, end) of the document's text are printed, as far as they are on this page."""
    first, last = max(start, page.start), min(end, page.end)
    if not 0 < last - first <= MOST_CHARACTERS:
        return NOWHERE
    since = max(page.start, first - MOST_CHARACTERS)  # a page has fewer, but a file may say otherwise
    length = min(page.end, last + MOST_CHARACTERS) - since
    stored = document.texts.filter(version=document.version).annotate(of_page=Substr(F("text"), since + 1, length))
    text = stored.values_list("of_page", flat=True).first() or ""
    return locate_on_page(text, first - since, last - since, characters)


def page_characters(membership: Membership, document: Document, page: StoredPage) -> PageCharacters:
    """Raises as `read_page`."""
    characters = read_page(membership, document, PageRequest(page.number))
    assert isinstance(characters, PageCharacters)
    return characters


def read_page(membership: Membership, document: Document, request: PageRequest) -> PrintedPage:
    """From the sandbox, when it is its turn. Raises QuotaExceeded, Busy and as `PageReader`."""
    failed = f"page-unreadable:{document.pk}:{document.sha256}:{name_of(request)}:{request.width}"
    if cache.get(failed):
        raise PageUnreadable
    reserving.reserve(membership, pages=1)
    try:
        give_back_connection()  # for as long as the sandbox takes
        with drawing.taken():
            return read_printed(document, request)
    except PageUnreadable:
        cache.set(failed, True, REMEMBERED_SECONDS)
        raise
