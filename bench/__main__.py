"""`make bench`: every measure three times, then the table in docs/performance.md.

    python -m bench [--quick] [--only NAME …] [--repeats N]

`--quick` (one short repeat) and `--only` print the table and write nothing. Everything runs on 127.0.0.1, in
temporary folders, and ends by itself.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable

from bench import report
from bench.processes import raise_file_limit
from bench.results import Book
from bench.targets import answering, ingestion, searching, starting, waiting
from bench.targets.stage import Stage, set_up

MEASURES: dict[str, Callable[[Stage], Awaitable[None]]] = {
    "starting": starting.measure,
    "ingestion": ingestion.measure,
    "long": ingestion.measure_long,
    "answering": answering.measure,
    "waiting": waiting.measure,
    "searching": searching.measure,
    "large": searching.measure_large,
    "streams": answering.measure_streams,
}
MOST_SECONDS = 2_400.0  # a machine too slow for all of it still ends


async def run(names: list[str], repeats: int, *, quick: bool) -> str:
    book, began = Book(), time.monotonic()
    async with asyncio.timeout(MOST_SECONDS), set_up(book, quick=quick) as stage:
        for stage.repeat in range(repeats):
            for name in names:
                await MEASURES[name](stage)
                print(f"{time.monotonic() - began:6.0f} s  repeat {stage.repeat + 1}: {name}", flush=True)
    return report.table(book, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short repeat")
    parser.add_argument("--only", action="append", choices=MEASURES, help="this measure; may be repeated")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    raise_file_limit()
    repeats = 1 if asked.quick else asked.repeats
    text = asyncio.run(run(asked.only or list(MEASURES), repeats, quick=asked.quick))
    print(f"\n{text}")
    if not (asked.quick or asked.only):
        report.write(text)


if __name__ == "__main__":
    main()
