"""An Edge shard in use: how it is set up, one writer at a time, a journal while a copy is compacted."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from config.observability.disk import MEGABYTE, disk_fault
from retrieval.index.base import (
    BYTES_PER_DIMENSION,
    DENSE,
    EXACT_BELOW,
    HNSW_EF_CONSTRUCT,
    HNSW_M,
    INTEGER_KEYS,
    KEYWORD_KEYS,
    SPARSE,
    TENANT_KEY,
    IndexDiskFault,
    IndexUnavailable,
)

T = TypeVar("T")

# Operations recorded while a copy is compacted, each of up to 100 points of 1536 floats: some 120 MB at most.
MAX_JOURNAL = 200
# Files are made with holes and mapped: who writes into a hole with the disk full is killed (SIGBUS) without a word. So
# there must be room beforehand. Measured where holes take room once they are read (tmpfs): a shard with one point takes
# 146 MB when it is opened again, a batch of 100 points of 1536 floats 1.4, and what is written again from the log 28.
ROOM_TO_OPEN, ROOM_TO_WRITE = 192 * MEGABYTE, 8 * MEGABYTE
_FLUSH_EVERY = 2_000  # points written; more makes one flush, and the log that a restart replays, longer


def open_shard(path: Path, dimensions: int) -> Any:
    """Load the shard at `path`, or create it.

    ValueError if it was made with other dimensions, IndexUnavailable if it is damaged, IndexDiskFault if its disk has
    less room than opening may take, or takes no writes.
    """
    from qdrant_edge import EdgeShard

    require_room(path, ROOM_TO_OPEN)
    segments = path / "segments"
    try:
        if segments.is_dir() and (count := sum(1 for _one in segments.iterdir())):
            return EdgeShard.load(str(path), _config(dimensions, count))
        path.mkdir(parents=True, exist_ok=True)
        return EdgeShard.create(str(path), _config(dimensions, 1))
    except Exception as error:  # Edge has one untyped exception; the text tells
        if "vector size" in str(error):
            raise ValueError(f"{path} was made for other dimensions than {dimensions}: {error}") from error
        raise IndexUnavailable(f"the index at {path} cannot be opened: {error}") from error


def require_room(path: Path, least: int) -> None:
    """IndexDiskFault where `least` bytes cannot be written below `path`."""
    if fault := disk_fault(path, least):
        raise IndexDiskFault(f"The embedded index is not to be used: {fault}.")


def _config(dimensions: int, segments: int) -> Any:
    """Edge searches segments in parallel, by threads that wait for one another awake. More of them than segments only
    cost: a question to 1,000 chunks in one segment took 0.7 ms of CPU with its eight, and takes 0.5 with one."""
    import qdrant_edge as edge

    exact_below_kb = EXACT_BELOW * dimensions * BYTES_PER_DIMENSION // 1024
    return edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(dimensions, edge.Distance.Cosine, datatype=edge.VectorStorageDatatype.Float16)
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        # Vectors are compared by codes of 4 bits, and the nearest again by themselves. p50 in ms of 50 out of 21,600 on
        # two slow cores, without / with codes: all 6.8 / 2.2, half of them 5.9 / 2.7; recall@50 of synthetic vectors
        # and of the sample documents' lexical ones as without, of random ones .997. A graph over all took 2.1 to 3.8
        # and found .46 of the random ones. Codes are made as a point is written (+ 0.05 ms, + 0.8 KB), unlike int8's.
        quantization_config=edge.TurboQuantQuantizationConfig(bits=edge.TurboQuantBitSize.Bits4),
        # Graphs by tenant, as on a server (ADR 0017): every search is of one organization, and in a graph over all it
        # walks through everybody's points. 60,000 of 100,000: 6.1 ms instead of 36; small tenants need no graph at all.
        hnsw_config=edge.HnswIndexConfig(0, HNSW_EF_CONSTRUCT, full_scan_threshold=exact_below_kb, payload_m=HNSW_M),
        # Whatever is optimised takes no more points: codes are fitted to those that are there, and a segment that went
        # on with that fit found .65 of another organization's nearest 50, where 6,000 near-duplicates were first.
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=1),
        max_search_threads=min(segments, os.cpu_count() or 1),
    )


def has_codes(path: Path) -> bool:
    """Whether the vectors of the shard at `path` are compared by codes: not those of an index from an older version."""
    kept = [json.loads(one.read_text()) for one in (path / "segments").glob("*/segment.json")]
    return all(one["config"]["vector_data"][DENSE].get("quantization_config") for one in kept)


def create_payload_indexes(live: "LiveShard") -> None:
    """Indexes on every key that is filtered by. Only the tenant's large values get graphs: each other key's would too.

    Those that exist stay, but for what an older version made without that rule.
    """
    import qdrant_edge as edge

    existing = live.read(lambda shard: shard.info().payload_schema)
    schemas: dict[str, Any] = {key: edge.KeywordIndexParams(enable_hnsw=False) for key in KEYWORD_KEYS}
    schemas |= {key: edge.IntegerIndexParams(enable_hnsw=False) for key in INTEGER_KEYS}
    schemas[TENANT_KEY] = edge.KeywordIndexParams(is_tenant=True)
    for key, schema in schemas.items():
        if key in existing and (key == TENANT_KEY or _has_no_graphs(existing[key])):
            continue
        if key in existing:
            live.write(edge.UpdateOperation.delete_field_index(key))
        live.write(edge.UpdateOperation.create_field_index(key, schema))


def _has_no_graphs(index: Any) -> bool:
    """Whether an index on payload was made so that no graph is made for its values."""
    return index.params is not None and index.params.enable_hnsw is False


class LiveShard:
    """The shard in use. Reads take no lock of ours; writes are in line, and can be recorded for a copy."""

    def __init__(self, shard: Any) -> None:
        self._shard = shard
        self.writing = Lock()
        self.journal: list[Any] | None = None
        self.closed = False
        self._changed_anywhere = 0
        self._changed_in: dict[str, int] = {}  # by corpus
        self.deleted = 0  # points removed since it was opened or replaced: space to reclaim
        self._unflushed = 0

    def read(self, call: Callable[[Any], T]) -> T:
        """`call(shard)`, on whichever shard is current; a reader keeps the one it began with."""
        return call(self._shard)

    def changes(self, corpora: Iterable[str]) -> tuple[int, ...]:
        """How often something was written anywhere, and in each of the corpora; odd while something is. What was
        counted of a corpus at even numbers holds as long as they stand, but for points that are deleted."""
        return (self._changed_anywhere, *(self._changed_in.get(corpus, 0) for corpus in corpora))

    def write(self, operation: Any, written: int = 0, deleted: int = 0, corpora: Collection[str] | None = None) -> None:
        """Apply an update; it is in the write-ahead log when this returns.

        `corpora`: where it may put a point, or change more of one than metadata; None for anywhere.
        """
        with self.writing:
            with self._changing(corpora):
                self._shard.update(operation)
            # One operation more than allowed shows that it overflowed.
            if self.journal is not None and len(self.journal) <= MAX_JOURNAL:
                self.journal.append(operation)
            self.deleted += deleted
            self._unflushed += written + deleted
            if self._unflushed >= _FLUSH_EVERY:
                self._shard.flush()
                self._unflushed = 0

    def replace(self, shard: Any) -> None:
        """Put another shard in its place; call with `writing` held. Readers of the old one finish on it."""
        with self._changing():
            self._shard = shard
        self.deleted = self._unflushed = 0

    @contextmanager
    def _changing(self, corpora: Collection[str] | None = None) -> Iterator[None]:
        self._count_change(corpora)
        try:
            yield
        finally:
            self._count_change(corpora)

    def _count_change(self, corpora: Collection[str] | None) -> None:
        if corpora is None:
            self._changed_anywhere += 1
        for corpus in corpora or ():
            self._changed_in[corpus] = self._changed_in.get(corpus, 0) + 1

    def close(self) -> None:
        """Flush and close; idempotent. Later calls fail as unavailable."""
        with self.writing:
            if not self.closed:
                self.closed = True
                self._shard.close()
