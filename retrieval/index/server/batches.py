"""Points in batches that a request can carry: by bytes, since a point's size goes from 1 to 40 KB with its space."""

from collections.abc import Iterator, Sequence

from retrieval.index.base import Point

# A request's JSON. Qdrant refuses more than 32 MB; a batch is applied as one, in which others wait for their turn.
BATCH_BYTES = 2_000_000
BATCH_POINTS = 500
# Written of each value: float16, which the server keeps, has half as many. Without it JSON writes a float32 in twenty
# figures, and a point of 1536 dimensions takes 33 KB instead of 17.
DECIMALS = 7
_BYTES_PER_VALUE, _BYTES_PER_TERM, _BYTES_PER_FIELD = 11, 22, 16


def batches_of(points: Sequence[Point]) -> Iterator[list[Point]]:
    """In order, each of at most BATCH_POINTS and of about BATCH_BYTES at most; never empty."""
    batch: list[Point] = []
    size = 0
    for point in points:
        weight = json_bytes(point)
        if batch and (size + weight > BATCH_BYTES or len(batch) == BATCH_POINTS):
            yield batch
            batch, size = [], 0
        batch.append(point)
        size += weight
    if batch:
        yield batch


def json_bytes(point: Point) -> int:
    """About what a point takes on the wire."""
    payload = sum(len(key) + len(str(value)) + _BYTES_PER_FIELD for key, value in point.payload.items())
    return len(point.dense) * _BYTES_PER_VALUE + len(point.sparse.indices) * _BYTES_PER_TERM + payload
