"""A passage of several sections is cited as the one of them that answers. Pure.

Small sections are embedded together, for a few words retrieve badly; people are told of the one that they asked for.
The passage's text stays whole, and so do its characters: what is quoted from it has its own place.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from retrieval.confidence.coverage import weigh_question
from retrieval.ranking.relevance import SearchQuery
from retrieval.results import RetrievedChunk
from retrieval.text.passages import PassagePart, indexed_text

LEAST_TEXT = 20  # characters beside its heading: a heading alone answers nothing


def answering_parts(question: SearchQuery, passages: Sequence[RetrievedChunk]) -> dict[UUID, PassagePart]:
    """By passage, of those that have parts: the part that covers most of the question, the first of equal ones."""
    several = [passage for passage in passages if passage.parts]
    texts = {passage.chunk: [_text_of(passage, part) for part in passage.parts] for passage in several}
    wanted = weigh_question(question.text, [text for parts in texts.values() for text in parts], question.terms)
    found = {}
    for passage in several:
        ranked = zip(passage.parts, texts[passage.chunk], strict=True)
        share, part = max(
            ((_share(passage, part, wanted.share(text)), part) for part, text in ranked), key=lambda one: one[0]
        )
        if share > 0:
            found[passage.chunk] = part
    return found


def cited_as(passage: RetrievedChunk, part: PassagePart | None) -> RetrievedChunk:
    """The passage with the headings and pages of one of its parts."""
    if part is None:
        return passage
    return replace(passage, heading_path=part.heading_path, page=part.page, page_end=part.page_end)


def cited_text(passage: RetrievedChunk) -> str:
    """What of a passage stands under the headings that it is cited with: all of it, or of several parts that one."""
    own = [part for part in passage.parts if part.heading_path == passage.heading_path]
    if len(own) != 1 or len(passage.text) != passage.end - passage.start:
        return passage.text
    return passage.text[own[0].start - passage.start : own[0].end - passage.start]


def _text_of(passage: RetrievedChunk, part: PassagePart) -> str:
    """With its own headings: those of the passage cannot tell its parts apart."""
    text = passage.text[part.start - passage.start : part.end - passage.start]
    return indexed_text("", part.heading_path[len(passage.heading_path) :], text)


def _share(passage: RetrievedChunk, part: PassagePart, share: float) -> float:
    heading = len(part.heading_path[-1]) if part.heading_path else 0
    return share if part.end - part.start >= heading + LEAST_TEXT else 0.0
