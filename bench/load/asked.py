"""The questions of a load test, and the truth about each: the ten nearest chunks that its asker may read.

They are compared one by one with numpy, once, and kept in the folder.
"""

from dataclasses import dataclass
from uuid import UUID

import numpy as np

from bench.load.place import Place
from bench.load.synthetic import GLOBAL_CORPORA, GRANULARITY, Document, Floats, Library, corpus_of, named
from corpora.scope import Scope
from retrieval.filters import SearchFilter, search_filter

NEAREST = 10
BLOCKS_ASKED, FROM_EACH = 40, 8


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: its words, its vector (dimensions,), and in whose name it is asked."""

    words: str
    vector: Floats
    organization: int
    person: int

    @property
    def scope(self) -> Scope:
        shelves = frozenset(corpus_of(self.organization, None, shelf) for shelf in range(GLOBAL_CORPORA))
        own = frozenset([corpus_of(self.organization, self.person, 0)])
        user = named("user", self.organization, self.person)
        return Scope(named("organization", self.organization), user, shelves, own)

    @property
    def where(self) -> SearchFilter:
        return search_filter(self.scope, GRANULARITY)

    def reads(self, document: Document) -> bool:
        return document.organization == self.organization and document.is_read_by(self.person)


def questions_of(library: Library) -> list[Asked]:
    """About chunks from all over the library, so that organizations ask as often as they are large."""
    found = []
    for number in np.linspace(0, library.blocks - 1, min(BLOCKS_ASKED, library.blocks), dtype=int).tolist():
        block = library.block(number)
        rows = list(block.chunks())
        for row in np.random.default_rng([library.seed, 7, number]).integers(0, len(rows), FROM_EACH).tolist():
            document = rows[row][2]
            words, vector = library.question(len(found), block, row)
            found.append(Asked(words, vector, document.organization, document.person or 0))
    return found


def truth_of(place: Place, asked: list[Asked]) -> list[list[UUID]]:
    """For each question the ids of the nearest in its scope, best first."""
    library = place.filled
    kept = place.folder / f"truth-{library.blocks}.npz"
    if kept.exists():
        with np.load(kept) as found:
            best = found["best"]
    else:
        best = _compared(library, asked)
        np.savez(kept, best=best)
    return [[named("chunk", number) for number in row if number >= 0] for row in best.tolist()]


def _compared(library: Library, asked: list[Asked]) -> np.ndarray:
    """(questions, NEAREST) numbers of chunks, -1 where a scope has fewer."""
    vectors = np.stack([one.vector for one in asked])
    best = np.full((len(asked), NEAREST), -1, dtype=np.int64)
    scores = np.full((len(asked), NEAREST), -np.inf, dtype=np.float32)
    for number in range(library.blocks):
        block = library.block(number, worded=False)
        sizes = [document.chunks for document in block.documents]
        allowed = np.array([[one.reads(document) for document in block.documents] for one in asked])
        near = np.where(np.repeat(allowed, sizes, axis=1), vectors @ block.vectors.T, -np.inf)
        numbers = block.documents[0].first + np.arange(near.shape[1])
        both = np.concatenate([scores, near], axis=1)
        chosen = np.argpartition(-both, NEAREST - 1, axis=1)[:, :NEAREST]
        chosen = np.take_along_axis(chosen, np.argsort(-np.take_along_axis(both, chosen, 1), axis=1), 1)
        every = np.concatenate([best, np.broadcast_to(numbers, near.shape)], axis=1)
        scores, best = np.take_along_axis(both, chosen, 1), np.take_along_axis(every, chosen, 1)
    return np.where(np.isfinite(scores), best, -1)
