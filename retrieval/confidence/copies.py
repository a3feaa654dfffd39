"""The same text twice, in two corpora or under two names, says no more and no less than once. Pure.

Beside its copy a passage would not stand out from what the words find, and would be the only one that is kept of two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from retrieval.index.base import Candidates, Hit
from retrieval.results import RetrievedChunk


@dataclass(frozen=True, slots=True)
class ToldOnce:
    """`passages` without those that say the same as a better one, and what both legs found without them."""

    passages: tuple[RetrievedChunk, ...]
    candidates: Candidates


def told_once(ordered: Sequence[RetrievedChunk], candidates: Candidates) -> ToldOnce:
    """Of passages, best first; the better one has the best place that one of its copies has in a leg."""
    first: dict[tuple[tuple[str, ...], str], RetrievedChunk] = {}
    same: dict[UUID, UUID] = {}
    for chunk in ordered:
        told = first.setdefault((chunk.heading_path, chunk.text), chunk)
        if told.document != chunk.document:
            same[chunk.chunk] = told.chunk
    if not same:
        return ToldOnce(tuple(ordered), candidates)
    passages = tuple(chunk for chunk in ordered if chunk.chunk not in same)
    return ToldOnce(passages, Candidates(_once(candidates.dense, same), _once(candidates.sparse, same)))


def _once(hits: Sequence[Hit], same: Mapping[UUID, UUID]) -> tuple[Hit, ...]:
    once: dict[UUID, Hit] = {}
    for hit in hits:
        id = same.get(hit.id, hit.id)
        once.setdefault(id, hit._replace(id=id))
    return tuple(once.values())
