"""Fills the index through the product's own interface: in steps, resumable, throttled, with the time that is left.

    python -m bench.load.filling --folder F [--engine edge] [--chunks N] [--seconds 500] [--share 0.7]
        [--writers 1] [--last]

A step ends after `--seconds`, or with the last block and the index's own upkeep (`optimize`). Run again it goes on
behind the last block that was written whole; a block that was cut off is written once more, which changes nothing.
In PostgreSQL the index on words is built after the last block; `--last` builds it, and does the upkeep, over what has
been written by now, and writes nothing.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.load import postgresql
from bench.load.place import DIMENSIONS, ENGINES, Place
from bench.processes import resident
from retrieval.index.base import IndexUnavailable, VectorIndex

TOLD_EVERY = 10.0  # seconds
AGAIN_AFTER = 5.0
MB = 1024**2
_own: dict[str, Any] = {}  # of a process that writes: its library and its index


def fill(place: Place, seconds: float, share: float, writers: int = 1) -> bool:
    """True when all is written and optimised. `share` of the time is worked, the rest is left to others."""
    place.begin()
    began = time.monotonic()
    index = opened_index()
    try:
        written = _write(place, index, began + seconds, share, writers)
        if written and not place.state.get("optimised"):
            _complete(place, index)
        return written
    finally:
        index.close()


def complete(place: Place) -> None:
    """What belongs to the index of a library that shall not grow further."""
    place.begin()
    index = opened_index()
    try:
        _complete(place, index)
    finally:
        index.close()


def opened_index() -> VectorIndex:
    from retrieval.index import open_index

    began = time.monotonic()
    index = open_index(collection_name(), DIMENSIONS)
    print(f"opened in {time.monotonic() - began:.1f} s", flush=True)
    return index


def collection_name() -> str:
    from retrieval.spaces.registry import wanted_space

    return wanted_space().collection


def _complete(place: Place, index: VectorIndex) -> None:
    if place.engine == "pgvector":
        postgresql.build_words(place, collection_name())
    place.remember(optimised=_optimise(index))


def _write(place: Place, index: VectorIndex, until: float, share: float, writers: int) -> bool:
    blocks, first = place.library.blocks, int(place.state.get("blocks", 0))
    if place.engine == "pgvector" and first < blocks:
        postgresql.put_off_words(place, collection_name())
    spent, told, started = float(place.state.get("seconds", 0)), 0.0, time.monotonic()
    with _writing(place, index, writers) as each:
        for number, worked in enumerate(each(partial(_written, until, share), range(first, blocks)), first):
            if worked is None:
                return False
            spent += worked / writers
            place.remember(blocks=number + 1, seconds=round(spent, 1))
            if time.monotonic() - told > TOLD_EVERY:
                told, done = time.monotonic(), number + 1
                left = (blocks - done) * (told - started) / (done - first)
                print(f"{done:,} of {blocks:,} blocks, {left / 60:.1f} min left, {_own_memory()}", flush=True)
    return True


@contextmanager
def _writing(place: Place, index: VectorIndex, writers: int) -> Iterator[Callable[..., Iterable[float | None]]]:
    """A `map` over the numbers of blocks, in their order: of this process, or of several that begin for themselves."""
    if writers == 1:
        _own.update(library=place.library, index=index)
        yield map
        return
    with ProcessPoolExecutor(writers, get_context("spawn"), _begin_writing, (place,)) as pool:
        yield pool.map


def _begin_writing(place: Place) -> None:
    place.begin()
    _own.update(library=place.library, index=opened_index())


def _written(until: float, share: float, number: int) -> float | None:
    """Seconds; None when the step is over. An index that is away, or was not given the machine, is asked again."""
    began = time.monotonic()
    library, index = _own["library"], _own["index"]
    block = library.block(number) if began < until else None
    while block is not None:
        try:
            index.upsert(library.points(block))
        except IndexUnavailable as error:
            print(f"block {number}: {error}", file=sys.stderr, flush=True)
            time.sleep(AGAIN_AFTER)
            if time.monotonic() > until:
                return None
            continue
        worked = time.monotonic() - began
        time.sleep(worked * (1 - share) / share)
        return worked
    return None


def _optimise(index: VectorIndex) -> dict[str, float | bool]:
    began = time.monotonic()
    changed = index.optimize()
    print(f"optimised in {time.monotonic() - began:.0f} s: {changed}, {_own_memory()}", flush=True)
    return {"changed": changed, "seconds": round(time.monotonic() - began, 1)}


def _own_memory() -> str:
    return f"{resident(os.getpid()) / MB:,.0f} MB resident"


def add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--engine", choices=ENGINES, default="edge")
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--organizations", type=int, default=1_000)


def place_of(asked: argparse.Namespace) -> Place:
    return Place(asked.folder.resolve(), asked.engine, asked.chunks, asked.organizations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_place(parser)
    parser.add_argument("--seconds", type=float, default=500.0, help="of one step")
    parser.add_argument("--share", type=float, default=0.7, help="of the time that is worked")
    parser.add_argument("--writers", type=int, default=1, help="processes; only a server writes for several")
    parser.add_argument("--last", action="store_true")
    asked = parser.parse_args()
    if asked.last:
        complete(place_of(asked))
        return
    sys.exit(0 if fill(place_of(asked), asked.seconds, asked.share, asked.writers) else 75)  # EX_TEMPFAIL: run it again


if __name__ == "__main__":
    main()
