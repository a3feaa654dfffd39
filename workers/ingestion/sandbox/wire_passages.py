"""Passages and their terms on the wire: columns of numbers in base64, quick to check as a whole and to take in.

Of a passage only its place and its tokens cross the border: its text, pages and headings follow from the text that
was checked, so a child can claim nothing that the document does not say.
"""

from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from itertools import accumulate, pairwise, starmap
from typing import TYPE_CHECKING, Any

from retrieval.index.base import SparseVector
from workers.ingestion.chunk.chunking import ChunkDraft, Cut, drafts_of
from workers.ingestion.extract.extracted import Extracted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_REPEATED = 4  # characters of passages for each of the text: a character is in two, rarely three
MOST_TERMS = 20_000  # of one passage: 1,024 tokens below nine headings of 500 characters have a third of that
_KNOWN = frozenset(("counts", "cuts", "lengths", "terms", "weights"))


def encode_passages(
    granularities: Sequence[int], chunks: Sequence[ChunkDraft], terms: Sequence[SparseVector]
) -> dict[str, Any]:
    """Passages in the order of their granularities, as values that JSON has."""
    cuts = array("I")
    for one in chunks:
        cuts.extend((one.start, one.end, one.token_count))
    indices, weights = array("I"), array("f")
    for vector in terms:
        of_term = dict(zip(vector.indices, vector.values, strict=True))
        ordered = sorted(of_term)
        indices.extend(ordered)
        weights.extend(map(of_term.__getitem__, ordered))
    return {
        "counts": [sum(one.granularity == size for one in chunks) for size in granularities],
        "cuts": _pack(cuts),
        "lengths": _pack(array("I", [len(vector.indices) for vector in terms])),
        "terms": _pack(indices),
        "weights": _pack(weights),
    }


def decode_passages(
    fields: dict[str, Any], extracted: Extracted, granularities: Sequence[int]
) -> tuple[tuple[ChunkDraft, ...], tuple[SparseVector, ...]]:
    """The passages of each granularity and their terms. Raises ValueError, TypeError or KeyError for a lie."""
    if fields.keys() != _KNOWN:
        raise ValueError("not passages")
    counts = fields["counts"]
    if len(counts) != len(granularities) or any(type(count) is not int or count < 0 for count in counts):
        raise ValueError("not the granularities that were asked for")
    cuts = _unpack(fields["cuts"], "u4").astype("i8").reshape(-1, 3)
    terms = _terms(fields, len(cuts))
    if sum(counts) != len(cuts):
        raise ValueError("counts and cuts differ")
    chunks: list[ChunkDraft] = []
    for size, (first, last) in zip(granularities, pairwise(accumulate(counts, initial=0)), strict=True):
        _check_cuts(cuts[first:last], len(extracted.text), size)
        chunks += drafts_of(extracted, size, starmap(Cut, cuts[first:last].tolist()))
    return tuple(chunks), terms


def _check_cuts(cuts: "NDArray[np.int64]", length: int, granularity: int) -> None:
    """Inside the text, in order, as long as asked for, and none of it more often than overlaps explain."""
    starts, ends, tokens = cuts.T
    rising = (starts[1:] > starts[:-1]).all() and (ends[1:] > ends[:-1]).all() and (ends > starts).all()
    fitting = (ends <= length).all() and (tokens >= 1).all() and (tokens <= granularity).all()
    if not rising or not fitting or (ends - starts).sum() > MOST_REPEATED * length:
        raise ValueError("bad cuts")


def _terms(fields: dict[str, Any], count: int) -> tuple[SparseVector, ...]:
    """`count` vectors: distinct terms in order, weights above zero and finite."""
    import numpy as np

    lengths = _unpack(fields["lengths"], "u4").astype("i8")
    indices, weights = _unpack(fields["terms"], "u4"), _unpack(fields["weights"], "f4")
    if len(lengths) != count or (lengths > MOST_TERMS).any() or not lengths.sum() == len(indices) == len(weights):
        raise ValueError("bad numbers of terms")
    owners = np.repeat(np.arange(count), lengths)
    if not ((indices[1:] > indices[:-1]) | (owners[1:] != owners[:-1])).all():
        raise ValueError("terms are not distinct")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("bad weights")
    borders = pairwise(accumulate(lengths.tolist(), initial=0))
    ids, values = indices.tolist(), weights.tolist()
    return tuple(SparseVector(tuple(ids[first:last]), tuple(values[first:last])) for first, last in borders)


def _pack(column: "array[int] | array[float]") -> str:
    return b64encode(column.tobytes()).decode()


def _unpack(encoded: object, kind: str) -> "NDArray[Any]":
    """Numbers of four bytes each. Both ends are one machine: its order of bytes."""
    import numpy as np  # the child, which imports this module, has no use for it

    if not isinstance(encoded, str):
        raise TypeError("not a column")
    return np.frombuffer(b64decode(encoded, validate=True), dtype=f"={kind}")
