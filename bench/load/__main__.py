"""`make load`: streams, uploads and a library of a million chunks against real processes on loopback.

    python -m bench.load [--only streams|uploads|chunks]… [--streams 500] [--processes 1 2]
        [--chunks 1000000] [--organizations 1000] [--engine edge|server|pgvector] [--seconds 7200] [--share 0.7]
        [--folder F] [--note "what else the machine did"] [--write]

Ends by itself; the exit code is 1 where a threshold is missed. `--seconds` is what filling may take; what is filled by
then is measured. `--folder` keeps the library: run again, it is filled further. Without it a temporary one is removed.
`--write` puts the table into docs/performance.md.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from bench import report
from bench.load import library, measures
from bench.load.place import ENGINES, Place
from bench.processes import raise_file_limit
from bench.results import Book

PARTS = ("streams", "uploads", "chunks")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument(
        "--processes", type=int, nargs="+", default=[1, 2, *([4] if (os.cpu_count() or 1) >= 4 else [])]
    )
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--organizations", type=int, default=1_000)
    parser.add_argument("--engine", choices=ENGINES, default="edge")
    parser.add_argument("--seconds", type=float, default=7_200.0)
    parser.add_argument("--share", type=float, default=0.7)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--note", default="")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def served(book: Book, parts: list[str], streams: int, processes: list[int]) -> None:
    from bench.load import streams as of_streams
    from bench.load import uploads
    from bench.load.house import open_house

    with open_house() as house:
        if "streams" in parts:
            of_streams.measure(house, book, streams, processes)
        if "uploads" in parts:
            uploads.measure(house, book)


def searched(book: Book, asked: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="acervo-load-library-", ignore_cleanup_errors=True) as name:
        folder = (asked.folder or Path(name)).resolve()
        place = Place(folder, asked.engine, asked.chunks, asked.organizations)
        library.measure(place, book, asked.seconds, asked.share)


def main() -> int:
    asked = read_arguments()
    raise_file_limit()
    book, parts, before = Book(), asked.only or list(PARTS), os.getloadavg()[0]
    if {"streams", "uploads"} & set(parts):
        served(book, parts, asked.streams, asked.processes)
    if "chunks" in parts:
        searched(book, asked)
    # What others computed meanwhile: on more cores than there are, times on the wall are theirs as well.
    busy = f"load average {before:.1f} before, {os.getloadavg()[2]:.1f} over the last 15 minutes"
    about = f"{report.occasion()} · {busy} · {asked.streams} streams · engine {asked.engine}"
    text = "\n".join([" · ".join(filter(None, (about, asked.note))), "", report.short_table(book, measures.EVERY)])
    print(f"\n{text}")
    if asked.write:
        report.write(text, "load")
    missed = measures.missed(book)
    for measure in missed:
        print(f"missed: {measure.title}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
