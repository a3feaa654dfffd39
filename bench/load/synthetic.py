"""A library of any size that nobody had to write: who owns which chunk, its vector and its words, by seed alone.

Organizations have sizes by Zipf's law (1/rank), documents 25 chunks, and documents of all organizations come in turns,
as uploads do. A block of 40 documents is made at once, and the same whenever it is made: nothing must be kept to
compare an index with the truth.

Vectors are float32 of length 1. What they share tells how near they are: everything 0.35 of a common direction,
documents of a topic 0.5, chunks of a document 0.5, so that the cosine is about 0.1 between strangers and 0.5 within a
document. All of it lies in 256 directions whose weight falls with the root of their rank, as the spectrum of
text embeddings falls; a tenth is noise in all dimensions.
Words are drawn from 60,000 by Zipf's law, a third of them from those of the topic, and weighed as
`bm25.encode_documents` weighs them (tests/test_bench_load.py compares both); each word's term is our own analyser's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import md5
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from retrieval.index.base import Point, SparseVector
from retrieval.index.bm25 import _AVERAGE_TERMS, _B, _K, encode_documents

CHUNKS_A_DOCUMENT, DOCUMENTS_A_BLOCK = 25, 40
GRANULARITY = 800
COMMON, OF_TOPIC, OF_DOCUMENT, OF_CHUNK = 0.35, 0.5, 0.5, 0.6
TOPICS, DIRECTIONS, NOISE = 2_000, 256, 0.1
VOCABULARY, TOPIC_WORDS, WORDS = 60_000, 300, 220
SYLLABLES = [a + b + c for a in "bcdfglmnprst" for b in "aeiou" for c in ("", "n", "r", "s")]
# One document in five is personal, of one of ten people; the others are in four global corpora.
GLOBAL_CORPORA, PEOPLE, PERSONAL_EVERY = 4, 10, 5

Floats = NDArray[np.float32]


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Each row of length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def named(kind: str, *numbers: int) -> UUID:
    """An id that PostgreSQL can compute as well: `md5('kind:1:2')::uuid`."""
    return UUID(md5(":".join([kind, *map(str, numbers)]).encode(), usedforsecurity=False).hexdigest())


@dataclass(frozen=True, slots=True)
class Document:
    """Its number, whose it is, and which chunks of all it has: `first` to `first + chunks`."""

    number: int
    organization: int
    first: int
    chunks: int

    @property
    def person(self) -> int | None:
        """Whose it is alone, of the organization's people; None for a global one."""
        return self.number // PERSONAL_EVERY % PEOPLE if self.number % PERSONAL_EVERY == 0 else None

    @property
    def corpus(self) -> UUID:
        return corpus_of(self.organization, self.person, self.number % GLOBAL_CORPORA)

    def is_read_by(self, person: int) -> bool:
        return self.person in (None, person)


def corpus_of(organization: int, person: int | None, shelf: int) -> UUID:
    return named("personal", organization, person) if person is not None else named("corpus", organization, shelf)


@dataclass(frozen=True, slots=True)
class Block:
    """Documents with their chunks in order: `vectors` (chunks, dimensions), `words` (chunks, WORDS or 0)."""

    documents: tuple[Document, ...]
    vectors: Floats
    words: NDArray[np.int64]

    def chunks(self) -> Iterator[tuple[int, int, Document]]:
        """(row in the block, number of the chunk, its document)."""
        row = 0
        for document in self.documents:
            for place in range(document.chunks):
                yield row, document.first + place, document
                row += 1


class Library:
    """`chunks` chunks of `organizations`, told by `seed`; of them `blocks` have come so far. Made when asked for."""

    def __init__(
        self,
        chunks: int,
        organizations: int,
        dimensions: int = 1536,
        seed: int = 7,
        blocks: int | None = None,
        words: int = VOCABULARY,
    ) -> None:
        self.chunks, self.organizations, self.dimensions, self.seed = chunks, organizations, dimensions, seed
        self._come, self._words = blocks, words

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Chunks of each organization, the largest first; each has one at least, the sum is `chunks`."""
        shares = 1 / np.arange(1, self.organizations + 1)
        sizes = np.maximum(1, np.floor(self.chunks * shares / shares.sum()).astype(np.int64))
        sizes[0] += self.chunks - sizes.sum()
        return sizes

    @cached_property
    def present(self) -> NDArray[np.int64]:
        """Chunks of each organization that have come."""
        owners = [document.organization for document in self.documents]
        counted = np.bincount(owners, [document.chunks for document in self.documents], self.organizations)
        return counted.astype(np.int64)

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """Those that have come, in their order."""
        rest = self.sizes % CHUNKS_A_DOCUMENT
        owners = np.repeat(np.arange(self.organizations), self.sizes // CHUNKS_A_DOCUMENT + (rest > 0))
        owners = np.random.default_rng([self.seed, 0]).permutation(owners)
        left = self.sizes.copy()
        found, first = [], 0
        for number, organization in enumerate(owners.tolist()):
            chunks = int(min(CHUNKS_A_DOCUMENT, left[organization]))
            found.append(Document(number, organization, first, chunks))
            left[organization] -= chunks
            first += chunks
        return tuple(found if self._come is None else found[: self._come * DOCUMENTS_A_BLOCK])

    @property
    def blocks(self) -> int:
        return -(-len(self.documents) // DOCUMENTS_A_BLOCK)

    def block(self, number: int, *, worded: bool = True) -> Block:
        documents = self.documents[number * DOCUMENTS_A_BLOCK : (number + 1) * DOCUMENTS_A_BLOCK]
        random = np.random.default_rng([self.seed, 1, number])
        sizes = [document.chunks for document in documents]
        own_topics = np.array([self._topic(random, document) for document in documents])
        of_documents = np.repeat(self._spread(random, len(documents)), sizes, axis=0)
        topics = np.repeat(own_topics, sizes)
        total = len(topics)
        lying = COMMON * self._common + OF_TOPIC * self._topics[topics]
        lying = lying + OF_DOCUMENT * of_documents + OF_CHUNK * self._spread(random, total)
        vectors = unit(lying @ self._basis + self._noise(random, total))
        words = self._drawn(random, topics) if worded else np.zeros((total, 0), dtype=np.int64)
        return Block(documents, vectors, words)

    def points(self, block: Block, only: int | None = None) -> Iterator[Point]:
        """What the index is given; of one organization alone if `only` names it."""
        for row, number, document in block.chunks():
            if only in (None, document.organization):
                yield Point(
                    named("chunk", number), block.vectors[row], self.sparse(block.words[row]), payload(document)
                )

    def sparse(self, words: NDArray[np.int64]) -> SparseVector:
        """The weights of a chunk's words, of which some are stop words to our analyser and some have one stem."""
        terms = self._terms[words]
        terms, counts = np.unique(terms[terms >= 0], return_counts=True)
        length = 1 - _B + _B * counts.sum() / _AVERAGE_TERMS
        weights = counts * (_K + 1) / (counts + _K * length)
        return SparseVector(tuple(terms.tolist()), tuple(weights.tolist()))

    def text(self, words: Sequence[int]) -> str:
        return " ".join(self.vocabulary[word] for word in words)

    def question(self, number: int, block: Block, row: int) -> tuple[str, Floats]:
        """Words and a vector (dimensions,) of a question about a chunk: three of its words and three of anybody's;
        the cosine to it is about 0.7."""
        random = np.random.default_rng([self.seed, 2, number])
        words = [*random.choice(block.words[row], 3), *self._zipf(random, 3)]
        away = unit(self._spread(random, 1) @ self._basis)[0]
        return self.text(words), unit(block.vectors[row] + away)

    def _topic(self, random: np.random.Generator, document: Document) -> int:
        """An organization is about some topics of all: as many as it has documents, forty at most."""
        own = random.integers(0, min(40, 1 + int(self.sizes[document.organization]) // CHUNKS_A_DOCUMENT))
        return int((document.organization * 17 + own * 131) % TOPICS)

    def _spread(self, random: np.random.Generator, amount: int) -> Floats:
        """(amount, DIRECTIONS), each of length 1, most of it along the first directions."""
        return unit(random.standard_normal((amount, DIRECTIONS), dtype=np.float32) / self._falling)

    def _noise(self, random: np.random.Generator, amount: int) -> Floats:
        noise = random.standard_normal((amount, self.dimensions), dtype=np.float32)
        return np.asarray(noise * (NOISE / self.dimensions**0.5), dtype=np.float32)

    def _drawn(self, random: np.random.Generator, topics: NDArray[np.int64]) -> NDArray[np.int64]:
        """(chunks, WORDS) numbers of words."""
        drawn = self._zipf(random, len(topics) * WORDS).reshape(-1, WORDS)
        third = WORDS // 3
        places = np.minimum(random.geometric(0.02, (len(topics), third)) - 1, TOPIC_WORDS - 1)
        drawn[:, :third] = (topics[:, None] * 7919 + places * 101) % (self._words - 1000) + 1000
        return drawn

    def _zipf(self, random: np.random.Generator, amount: int) -> NDArray[np.int64]:
        return np.searchsorted(self._cumulated, random.random(amount))

    @cached_property
    def vocabulary(self) -> list[str]:
        random = np.random.default_rng([self.seed, 3])
        drawn = random.integers(0, len(SYLLABLES), (self._words, 4)).tolist()
        return ["".join(SYLLABLES[one] for one in word[: 2 + number % 3]) for number, word in enumerate(drawn)]

    @cached_property
    def _terms(self) -> NDArray[np.int64]:
        """The term of each word; -1 for one that the analyser drops."""
        encoded = encode_documents(self.vocabulary, "es")
        return np.array([one.indices[0] if one else -1 for one in encoded], dtype=np.int64)

    @cached_property
    def _cumulated(self) -> NDArray[np.float64]:
        shares = 1 / (np.arange(self._words) + 2.7) ** 1.05
        return np.cumsum(shares / shares.sum())

    @cached_property
    def _falling(self) -> Floats:
        return np.sqrt(np.arange(1, DIRECTIONS + 1, dtype=np.float32))

    @cached_property
    def _basis(self) -> Floats:
        """(DIRECTIONS, dimensions), orthonormal where there are as many dimensions."""
        random = np.random.default_rng([self.seed, 4]).standard_normal((self.dimensions, DIRECTIONS))
        if self.dimensions < DIRECTIONS:
            return unit(random.T)
        return np.asarray(np.linalg.qr(random)[0].T, dtype=np.float32)

    @cached_property
    def _common(self) -> Floats:
        return self._spread(np.random.default_rng([self.seed, 5]), 1)[0]

    @cached_property
    def _topics(self) -> Floats:
        return self._spread(np.random.default_rng([self.seed, 6]), TOPICS)


def payload(document: Document) -> dict[str, object]:
    """As `workers.ingestion.index.payload.payload_of` makes it."""
    person = document.person
    return {
        "organization_id": str(named("organization", document.organization)),
        "corpus_id": str(document.corpus),
        "corpus_type": "global" if person is None else "personal",
        "user_id": None if person is None else str(named("user", document.organization, person)),
        "document_id": str(named("document", document.number)),
        "version": 1,
        "granularity": str(GRANULARITY),
        "content_type": ("teoria", "ejercicio", "consigna")[document.number % 3],
        "unit": str(document.number % 12),
        "language": "es",
        "tags": [f"t{document.number % 7}", f"u{document.number % 11}"],
    }
