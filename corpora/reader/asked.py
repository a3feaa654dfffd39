"""What an address of the reader asks to see: the passage that is cited, the sentence of it, words to be found."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest
from django.utils.http import urlencode

from accounts.models import Membership
from corpora.models import Chunk, DocumentText
from corpora.reader.reading import SECTION_CHARACTERS, Span

CITED = ("chunk", "start", "end", "mark")  # of an address: what is cited
LONGEST_PASSAGE = 4 * SECTION_CHARACTERS  # that an address may mark; a chunk has far less


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """`passage` and `quote` are characters of the document's text; a quote lies in its passage. `query`: the part of
    the address that says so, for links to the same."""

    passage: Span | None
    quote: Span | None
    query: str

    @property
    def first(self) -> int | None:
        """The character that is to be seen first."""
        found = self.quote or self.passage
        return found[0] if found else None


def asked_in(request: HttpRequest, membership: Membership, text: DocumentText) -> CitedPlace:
    """What was found with its neighbours is wider than its chunk: then the passage reaches to its quote."""
    passage, quote = _passage(request, membership, text), _quote(request, text)
    if quote and passage is None:
        passage = quote if quote[1] - quote[0] <= LONGEST_PASSAGE else None
    if passage is None or (quote and not _is_near(quote, passage)):
        quote = None
    if passage and quote:
        passage = min(passage[0], quote[0]), max(passage[1], quote[1])
    query = urlencode([(name, request.GET[name]) for name in CITED if name in request.GET])
    return CitedPlace(passage, quote, query)


def _passage(request: HttpRequest, membership: Membership, text: DocumentText) -> Span | None:
    """`?chunk=` (a chunk of the served version) or `?start=&end=`; anything else is ignored."""
    try:
        if chunk_id := request.GET.get("chunk"):
            chunks = Chunk.objects.readable_by(membership).filter(document=text.document_id)
            return chunks.values_list("start", "end").filter(pk=UUID(chunk_id)).first()
        start, end = int(request.GET["start"]), int(request.GET["end"])
    except (KeyError, ValueError):
        return None
    is_passage = 0 <= start < end <= len(text.text) and end - start <= LONGEST_PASSAGE
    return (start, end) if is_passage else None


def _quote(request: HttpRequest, text: DocumentText) -> Span | None:
    """`?mark=START-END`: the cited sentence of the passage."""
    start, _, end = request.GET.get("mark", "").partition("-")
    if not (start.isdecimal() and end.isdecimal() and len(start) < 10 and len(end) < 10):
        return None
    return (int(start), int(end)) if int(start) < int(end) <= len(text.text) else None


def _is_near(quote: Span, passage: Span) -> bool:
    return max(passage[1], quote[1]) - min(passage[0], quote[0]) <= LONGEST_PASSAGE


def number_in(request: HttpRequest, name: str) -> int | None:
    """A whole number of the address; anything else is ignored."""
    value = request.GET.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 8 else None
