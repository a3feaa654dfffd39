"""What must hold of a vector before an engine sees it: Edge stores NaN without a word."""

from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from retrieval.index.base import InvalidVector, Point, SparseVector

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_INDEX = 2**32 - 1


def checked_points(points: Iterable[Point], dimensions: int) -> list[Point]:
    """The points as a list, or InvalidVector that names the first bad one."""
    listed = list(points)
    for point in listed:
        check_dense(point.dense, dimensions, point.id)
        check_sparse(point.sparse, point.id)
    return listed


def check_dense(vector: "NDArray[np.float32]", dimensions: int, of: UUID | str = "the query") -> None:
    if np.shape(vector) != (dimensions,):
        raise InvalidVector(f"{of}: expected {dimensions} dimensions, got shape {np.shape(vector)}")
    if not np.isfinite(vector).all():
        raise InvalidVector(f"{of}: the dense vector has values that are not finite")


def check_sparse(vector: SparseVector, of: UUID | str = "the query") -> None:
    if len(vector.indices) != len(vector.values):
        raise InvalidVector(f"{of}: {len(vector.indices)} terms and {len(vector.values)} weights")
    if not vector:
        return
    if len(set(vector.indices)) != len(vector.indices) or not _are_ids(vector.indices):
        raise InvalidVector(f"{of}: terms must be distinct and of 32 bits")
    if not np.isfinite(vector.values).all():
        raise InvalidVector(f"{of}: the sparse vector has weights that are not finite")


def _are_ids(indices: tuple[int, ...]) -> bool:
    return min(indices) >= 0 and max(indices) <= _MAX_INDEX
