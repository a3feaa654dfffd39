"""Recognising a model by the vector that it gives a fixed sentence: a name alone promises nothing.

An endpoint may serve another model under the old name (a `:latest` that moved, a gateway that maps names, another
quantisation). Its vectors have the same length and mean something else, so nothing fails: answers only become worse.
"""

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from retrieval.embeddings.base import EmbeddingRejected

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

SENTENCE = "The library lends maps and letters for three weeks; la biblioteca presta mapas y cartas por tres semanas."
DECIMALS = 6
SAME_MODEL = 0.999  # one model, run twice or in half precision, agrees with itself far better; two never do


class EmbeddingSpaceMismatch(EmbeddingRejected):
    """The model gives other vectors than those that its space is made of: neither write them nor search with them."""

    code = "embedding_space_changed"


def round_vector(vector: "NDArray[float32]") -> list[float]:
    """A vector as `SpaceState.probe` keeps it."""
    return [round(float(value), DECIMALS) for value in vector]


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """-1..1; 0 for vectors of different lengths or without direction."""
    if len(left) != len(right):
        return 0.0
    norms = sqrt(sum(a * a for a in left)) * sqrt(sum(b * b for b in right))
    return sum(a * b for a, b in zip(left, right, strict=True)) / norms if norms else 0.0


def compare(collection: str, known: Sequence[float], fresh: Sequence[float]) -> None:
    """EmbeddingSpaceMismatch, with what to do, unless both are the vector of one model."""
    likeness = cosine(known, fresh)
    if likeness < SAME_MODEL:
        raise EmbeddingSpaceMismatch(
            f"the model behind {collection} gives other vectors than before (cosine {likeness:.3f} for the same "
            "sentence). Point the endpoint to the former model, or set EMBEDDING_MODEL to the new one's own name so "
            "that its space is filled and switched to (docs/embedding-spaces.md)"
        )
