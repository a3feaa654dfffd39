"""The sentence behind each citation of an answer, with its place in the document (API.md, `done.citations`).

What a model was sent of a passage may be shortened; what supports a claim is looked for in the document's own text. A
claim in another language than the passage's cannot be held against its words: the sentence with its figures stands for
it (`translated`), or the passage.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Substr
from django.utils.translation import gettext

from chat.citing.claims import CitedClaim, claims_in
from chat.citing.matching import Read, find_quote, has_something_to_support, quoted_span, quotes_in, supporting_span
from chat.citing.translated import COMPARED, span_with_figures
from corpora.models import Chunk
from corpora.scope import Scope
from retrieval.results import RetrievedChunk
from retrieval.text.language import detect
from retrieval.text.passages import label_at, page_at

Quote = dict[str, Any]  # {"text", "page", "start", "end"} and, where another number is printed, {"page_label"}
MOST_JUDGED = 100  # citations of an answer; what it cites beyond them has its passage


class PassageText(NamedTuple):
    """What the document itself says where a passage is, from character `start` on, where its pages begin, and what was
    sent of it."""

    text: str
    start: int
    pages: Sequence[Sequence[Any]]
    own: Read
    sent: Read


def sentences_behind(
    answer: str, passages: Sequence[RetrievedChunk], scope: Scope, others: Sequence[int] = ()
) -> dict[int, list[Quote | None]]:
    """By number of passage, for each of its citations in order: the sentence that supports it, None where none does.

    Of a passage whose document is gone meanwhile there is nothing. `others`: what is cited and no passage.
    """
    numbers = range(1, len(passages) + 1)
    claims = [one for one in claims_in(answer, {*numbers, *others}) if one.n in numbers][:MOST_JUDGED]
    read = texts_of({n: passages[n - 1] for n in {claim.n for claim in claims}}, scope)
    quotes: dict[int, list[Quote | None]] = {n: [] for n in read}
    for claim in claims:
        if claim.n in read:
            quotes[claim.n].append(quote_for(claim, read[claim.n]))
    return quotes


def texts_of(passages: Mapping[int, RetrievedChunk], scope: Scope) -> dict[int, PassageText]:
    """Read within the scope of the search, once more."""
    found = {}
    for n, passage in passages.items():
        if row := _slice_of(passage.chunk, passage.start, passage.end, scope):
            found[n] = PassageText(row[0], passage.start, row[1], Read(row[0]), Read(passage.text))
    return found


def _slice_of(chunk: UUID, start: int, end: int, scope: Scope) -> tuple[str, list[list[Any]]] | None:
    served = Chunk.objects.in_scope(scope).filter(pk=chunk, document__texts__version=F("version")).order_by()
    part = Substr("document__texts__text", start + 1, max(0, end - start))
    return served.values_list(part, "document__texts__pages").first()


def quote_for(claim: CitedClaim, passage: PassageText) -> Quote | None:
    """The supporting sentence; the whole passage where that cannot be judged; None where nothing supports the claim."""
    whole = (0, len(passage.text.rstrip()))
    if claim.run != claim.text and (span := quoted_span(claim.run, passage.own)):
        return quote_at(passage, *span)
    for said in dict.fromkeys((claim.text, claim.whole)):
        if span := supporting_span(said, passage.own):
            return quote_at(passage, *span)
    if not has_something_to_support(claim.whole) or is_from(passage.sent, claim):
        return quote_at(passage, *whole)
    if languages := languages_apart(claim, passage):
        return quote_at(passage, *(span_with_figures(claim.text, passage.own) if languages <= COMPARED else whole))
    return None


def is_from(sent: Read, claim: CitedClaim) -> bool:
    """Whether it quotes what a model was sent, which need not be the document's own words: a summary."""
    return any(find_quote(quote, sent) for quote in quotes_in(claim.text))


def languages_apart(claim: CitedClaim, passage: PassageText) -> set[str]:
    """Those of the claim and of the passage; empty where they are one, or cannot be told."""
    languages = {detect(claim.whole), detect(passage.text)}
    return languages if len(languages) == 2 and all(languages) else set()


def quote_at(passage: PassageText, start: int, end: int) -> Quote:
    first = passage.start + start
    page, label = page_at(passage.pages, first), label_at(passage.pages, first)
    return {
        "text": " ".join(passage.text[start:end].split()),
        "page": page,
        "start": first,
        "end": passage.start + end,
        **({"page_label": label} if label not in ("", str(page)) else {}),
    }


def page_told(page: int | None, label: str = "") -> str:
    """A page as people are told it: with the number that is printed there, where that is another."""
    if page is None:
        return ""
    printed = f" ({gettext('printed as')} {label})" if label else ""
    return f"{gettext('p.')} {page}{printed}"
