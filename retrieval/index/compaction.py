"""Optimising an Edge index without stopping it: a child process works on a copy that then takes its place.

    copy (writers wait 0.2 s) → child: optimize, flush → load → replay what was written meanwhile → switch

Searches go on all the time, writes go on while the child works. A crash at any step leaves the old
generation in use and the new one to be removed at the next start. Below the thresholds nothing is done at
all: without deletions an index of less than `EXACT_BELOW` points has nothing to gain. One from an older version gets
the codes by which vectors are compared, and learns how words are when it has grown by half.
"""

import logging
import subprocess
import sys
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from config.observability.disk import MEGABYTE
from retrieval.index.base import EXACT_BELOW, SPARSE
from retrieval.index.edge_shard import MAX_JOURNAL, LiveShard, has_codes, open_shard, require_room
from retrieval.index.folder import EdgeFolder, allocated

log = logging.getLogger(__name__)

# Qdrant's own vacuum rule: from 1,000 deleted points that are a fifth of all.
_MIN_DELETED, _MIN_DELETED_SHARE = 1_000, 0.2
_GROWTH = 1.5  # build the graph again when half as many points were added
# Besides the copy the child writes what it makes of it, in files of at least 32 MB each. What it took of a disk that is
# nearly full, the database and uploads would lack.
TIMES_AS_LARGE, ROOM_TO_COMPACT = 3, 256 * MEGABYTE
RETRY_SECONDS = 3_600.0
_WORTH_CODES = 5_000  # points; fewer are compared as they are in 2 ms
# Words are looked for in the postings of everybody's points, or compared point by point where the filter allows fewer
# than so many of a segment: the engine's own number, or one in so many of its points. A million in one segment, p95 of
# both legs: 39 ms with a sixth, 169 with a twelfth, by which its largest organization (13 %) is looked up; 300,000, one
# corpus each: mixed words break even at 14 %, very common and very rare ones at 5.
_WORDS_COMPARED, _POINTS_A_COMPARISON = 5_000, 6
_PROGRAM = Path(__file__).with_name("compact.py")


class Compaction:
    """At most one at a time; `run` blocks for as long as it takes."""

    def __init__(self, folder: EdgeFolder, live: LiveShard, dimensions: int) -> None:
        self._folder, self._live, self._dimensions = folder, live, dimensions
        self._one = Lock()
        self._has_codes: bool | None = None
        self._not_before = 0.0
        self._child: subprocess.Popen[bytes] | None = None

    def run(self) -> bool:
        """Compact if it is worth it. False: it is not, another runs, it was given up or failed (logged), and is tried
        again after an hour."""
        if monotonic() < self._not_before or not self._one.acquire(blocking=False):
            return False
        try:
            return self._worth_it() and self._run()
        except Exception as error:
            log.warning("the index was not compacted, which is tried again in an hour: %s", error)
            self._not_before = monotonic() + RETRY_SECONDS
            return False
        finally:
            self._live.journal = None
            self._one.release()

    def cancel(self) -> None:
        """Stop a running child; `run` then gives up."""
        if self._child is not None:
            self._child.kill()

    def _worth_it(self) -> bool:
        points = self._live.read(_points)
        deleted = self._live.deleted
        if deleted >= max(_MIN_DELETED, _MIN_DELETED_SHARE * (points + deleted)):
            return True
        if points >= _WORTH_CODES and self._lacks_codes():
            return True
        return points >= max(EXACT_BELOW, _GROWTH * self._folder.compacted_points)

    def _lacks_codes(self) -> bool:
        if self._has_codes is None:
            self._has_codes = has_codes(self._folder.current)
        return not self._has_codes

    def _run(self) -> bool:
        require_room(self._folder.current, ROOM_TO_COMPACT + TIMES_AS_LARGE * allocated(self._folder.current))
        with self._live.writing:
            fresh = self._folder.copy()
            self._live.journal = []
        try:
            self._optimize(fresh)
            return self._take_over(fresh)
        finally:
            if fresh != self._folder.current:
                self._folder.discard(fresh)

    def _optimize(self, generation: Path) -> None:
        # Once optimised, one segment more is there, for what is written next.
        of_a_segment = self._live.read(lambda shard: _points(shard) // max(1, shard.info().segments_count - 1))
        compared = max(_WORDS_COMPARED, of_a_segment // _POINTS_A_COMPARISON)
        command = [sys.executable, "-P", str(_PROGRAM), str(generation), SPARSE, str(compared)]
        self._child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # noqa: S603 - ours
        try:
            _, errors = self._child.communicate()
            if self._child.returncode:
                raise RuntimeError(f"exit code {self._child.returncode}: {errors[-500:].decode(errors='replace')}")
        finally:
            self._child = None

    def _take_over(self, generation: Path) -> bool:
        shard = open_shard(generation, self._dimensions)
        with self._live.writing:
            journal = self._live.journal or []
            if self._live.closed or len(journal) > MAX_JOURNAL:
                log.info("the index was closed, or changed too much, while it was compacted")
                return False
            for operation in journal:
                shard.update(operation)
            before = self._folder.switch(generation, _points(shard))
            self._live.replace(shard)
            self._has_codes = True
        self._folder.discard(before)
        return True


def _points(shard: Any) -> int:
    return int(shard.info().points_count)
