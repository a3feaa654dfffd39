"""Fills the index through the product's own interface: in steps, resumable, throttled, with the time that is left.

    python -m bench.load.filling --folder F [--engine edge] [--chunks N] [--seconds 500] [--share 0.7]

A step ends after `--seconds`, or with the last block and the index's own upkeep (`optimize`). Run again it goes on
behind the last block that was written whole; a block that was cut off is written once more, which changes nothing.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from bench.load.place import DIMENSIONS, ENGINES, Place
from bench.processes import resident
from retrieval.index.base import VectorIndex

TOLD_EVERY = 10.0  # seconds
MB = 1024**2


def fill(place: Place, seconds: float, share: float) -> bool:
    """True when all is written and optimised. `share` of the time is worked, the rest is left to others."""
    place.begin()
    from retrieval.index import open_index
    from retrieval.spaces.registry import wanted_space

    began = time.monotonic()
    index = open_index(wanted_space().collection, DIMENSIONS)
    print(f"opened in {time.monotonic() - began:.1f} s", flush=True)
    try:
        written = _write(place, index, began + seconds, share)
        if written and not place.state.get("optimised"):
            place.remember(optimised=_optimise(index))
        return written
    finally:
        index.close()


def _write(place: Place, index: VectorIndex, until: float, share: float) -> bool:
    library, first = place.library, int(place.state.get("blocks", 0))
    spent, told, started = float(place.state.get("seconds", 0)), 0.0, time.monotonic()
    for number in range(first, library.blocks):
        began = time.monotonic()
        if began > until:
            return False
        index.upsert(library.points(library.block(number)))
        worked = time.monotonic() - began
        spent += worked
        place.remember(blocks=number + 1, seconds=round(spent, 1))
        if time.monotonic() - told > TOLD_EVERY:
            told, done = time.monotonic(), number + 1
            left = (library.blocks - done) * (told - started) / (done - first)
            print(f"{done:,} of {library.blocks:,} blocks, {left / 60:.1f} min left, {_own_memory()}", flush=True)
        time.sleep(worked * (1 - share) / share)
    return True


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
    asked = parser.parse_args()
    sys.exit(0 if fill(place_of(asked), asked.seconds, asked.share) else 75)  # EX_TEMPFAIL: run it again


if __name__ == "__main__":
    main()
