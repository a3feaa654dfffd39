"""From ranked chunks to the passages worth showing. Pure: every function takes chunks best first and keeps
that order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from retrieval.results import RetrievedChunk
from retrieval.text.passages import PassagePart, common_path

Number = TypeVar("Number", int, float)

SAME_WORDS = 0.9  # Jaccard similarity of the words of two near-duplicates


def above_threshold(chunks: Iterable[RetrievedChunk], threshold: float) -> tuple[RetrievedChunk, ...]:
    """Those whose calibrated relevance reaches the threshold."""
    return tuple(chunk for chunk in chunks if chunk.relevance >= threshold)


def without_near_duplicates(chunks: Iterable[RetrievedChunk], most: int | None = None) -> tuple[RetrievedChunk, ...]:
    """The first of each group of chunks with the same text or nearly the same words (copies in two corpora).

    With `most` only the first so many are looked for.
    """
    kept: list[RetrievedChunk] = []
    vocabularies: list[frozenset[str]] = []
    for chunk in chunks:
        if len(kept) == most:
            break
        words = frozenset(chunk.text.split())
        if not any(_nearly_equal(words, other) for other in vocabularies):
            kept.append(chunk)
            vocabularies.append(words)
    return tuple(kept)


def _nearly_equal(words: frozenset[str], other: frozenset[str]) -> bool:
    small, large = sorted((len(words), len(other)))
    if small < SAME_WORDS * large:  # then their Jaccard similarity is lower still
        return False
    common = len(words & other)
    return common >= SAME_WORDS * (small + large - common)


def with_neighbours_merged(chunks: Iterable[RetrievedChunk], longest: int) -> tuple[RetrievedChunk, ...]:
    """Chunks of one document that overlap or touch, united at the place of the best, up to `longest` tokens.

    The text of an overlap appears once; offsets and pages span all; relevance and raw scores are the best of
    each. All chunks are of the served version of their document (the database saw to it), so offsets are comparable.
    """
    passages: list[RetrievedChunk] = []
    for chunk in chunks:
        place = next((i for i, passage in enumerate(passages) if _joins(passage, chunk, longest)), None)
        if place is None:
            passages.append(chunk)
            continue
        passages[place] = united = _unite(passages[place], chunk)
        # The new chunk may be the bridge to a passage that ranked lower.
        for other in range(len(passages) - 1, place, -1):
            if _joins(united, passages[other], longest):
                passages[place] = united = _unite(united, passages.pop(other))
    return tuple(passages)


def _joins(passage: RetrievedChunk, chunk: RetrievedChunk, longest: int) -> bool:
    return (
        passage.document == chunk.document
        and passage.start <= chunk.end
        and chunk.start <= passage.end
        and _united_tokens(passage, chunk) <= longest
    )


def _unite(best: RetrievedChunk, other: RetrievedChunk) -> RetrievedChunk:
    first, last = sorted((best, other), key=lambda chunk: (chunk.start, -chunk.end))
    tail = last.text[max(0, first.end - last.start) :]
    return replace(
        best,
        text=first.text + tail,
        start=first.start,
        end=max(first.end, last.end),
        token_count=_united_tokens(best, other),
        page=min(_present_values(best.page, other.page), default=None),
        page_end=max(_present_values(best.page_end, other.page_end), default=None),
        relevance=max(best.relevance, other.relevance),
        dense=max(_present_values(best.dense, other.dense), default=None),
        bm25=max(_present_values(best.bm25, other.bm25), default=None),
        parts=_united_parts(first, last),
        heading_path=common_path((first.heading_path, last.heading_path)),
    )


def _united_parts(first: RetrievedChunk, last: RetrievedChunk) -> tuple[PassagePart, ...]:
    """The parts of both in order, those of one section as one; none where both are of the same section."""
    united: list[PassagePart] = []
    for part in sorted((*own_parts(first), *own_parts(last)), key=lambda part: (part.start, part.end)):
        if united and united[-1].heading_path == part.heading_path and part.start <= united[-1].end:
            further = max(united[-1], part, key=lambda one: one.end)
            united[-1] = united[-1]._replace(end=further.end, page_end=further.page_end)
        else:
            united.append(part)
    return tuple(united) if len(united) > 1 else ()


def own_parts(passage: RetrievedChunk) -> tuple[PassagePart, ...]:
    """Its parts; a passage of one section is its only one."""
    whole = PassagePart(passage.start, passage.end, passage.page, passage.page_end, passage.heading_path)
    return passage.parts or (whole,)


def _united_tokens(first: RetrievedChunk, second: RetrievedChunk) -> int:
    """Both counts less the overlap's, estimated by its share of characters."""
    overlap = max(0, min(first.end, second.end) - max(first.start, second.start))
    shorter = min(first, second, key=lambda chunk: chunk.end - chunk.start)
    length = max(1, shorter.end - shorter.start)
    return first.token_count + second.token_count - round(shorter.token_count * overlap / length)


def _present_values(*values: Number | None) -> Sequence[Number]:
    return [value for value in values if value is not None]
