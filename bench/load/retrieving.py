"""What a question costs the index alone, in a fresh process: time, CPU, memory, disk, recall; and do neighbours count?

    python -m bench.load.retrieving --folder F [--engine edge] [--chunks N]

Prints JSON. A question is analysed, filtered by its asker's scope, and asked of both legs, as `retrieval.search` does;
its embedding is there already. All are asked twice: `first_p95_ms` is of a process that has not touched what is asked,
the rest of one that has.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.load import postgresql
from bench.load.asked import NEAREST, Asked, questions_of, truth_of
from bench.load.filling import add_place, collection_name, place_of
from bench.load.place import DIMENSIONS, Place
from bench.load.synthetic import DOCUMENTS_A_BLOCK, Library
from bench.results import percentile
from retrieval.index.base import Candidates, VectorIndex
from retrieval.index.bm25 import encode_query

CANDIDATES = 50
MB = 1024**2
# Organizations by their chunks: below the upper bound.
CLASSES = {"under 1,000": 1_000, "under 10,000": 10_000, "under 50,000": 50_000, "50,000 and more": 10**12}
MOST_ALONE = 3_000  # chunks of an organization that is written again, alone
ASKED_ALONE = 10


def measure(place: Place) -> dict[str, Any]:
    place.begin()
    from retrieval.index import open_index

    asked = questions_of(place.filled)
    truth = truth_of(place, asked)
    empty = memory()
    began = time.monotonic()
    index = open_index(collection_name(), DIMENSIONS)
    opened, loaded = time.monotonic() - began, memory()
    try:
        for one in asked[:: len(asked) // 8]:  # imports, languages, the first pages
            ask(index, one)
        first, _found = timed(index, asked)
        cpu = used_seconds(place)
        times, found = timed(index, asked)
        cpu = used_seconds(place) - cpu
        result = {
            "points": index.count(),
            "opened_s": round(opened, 1),
            "memory_mb": {"empty": empty, "opened": loaded, "asked": memory()},
            **(of_server(place) if place.engine == "pgvector" else {}),
            "disk_mb": disk_of(place),
            "cpu_ms": round(1000 * cpu / len(asked), 2),
            "first_p95_ms": round(percentile(first, 0.95), 2),
            **by_class(place.filled, asked, times, found, truth),
        }
        result["neighbours"] = same_alone(place, index, asked)
        return result
    finally:
        index.close()


def of_server(place: Place) -> dict[str, Any]:
    collection = collection_name()
    return {"parts_mb": postgresql.sizes_of(place, collection), "server_memory_mb": postgresql.server_memory(place)}


def disk_of(place: Place) -> int | None:
    """MB; None for a server that does not tell."""
    if place.engine == "pgvector":
        return sum(postgresql.sizes_of(place, collection_name()).values())
    return disk(place.folder / "data") if place.engine == "edge" else None


def used_seconds(place: Place) -> float:
    """CPU of this process, and of what serves it in PostgreSQL on this machine."""
    return cpu_seconds() + (postgresql.server_cpu(place) if place.engine == "pgvector" else 0.0)


def timed(index: VectorIndex, asked: Sequence[Asked]) -> tuple[list[float], list[Candidates]]:
    """Milliseconds of each question, and what was found."""
    times, found = [], []
    for one in asked:
        began = time.perf_counter()
        found.append(ask(index, one))
        times.append(1000 * (time.perf_counter() - began))
    return times, found


def ask(index: VectorIndex, one: Asked) -> Candidates:
    return index.search(one.vector, encode_query(one.words) or None, one.where, CANDIDATES)


def by_class(
    library: Library,
    asked: Sequence[Asked],
    times: Sequence[float],
    found: Sequence[Candidates],
    truth: list[list[UUID]],
) -> dict[str, Any]:
    """Of all questions, and of each class of organizations: how many, milliseconds, recall@10 of the dense leg."""
    shares = [
        len({hit.id for hit in one.dense[:NEAREST]} & set(near)) / len(near)
        for one, near in zip(found, truth, strict=True)
    ]

    def told(chosen: Callable[[int], bool]) -> dict[str, Any]:
        of = [place for place, one in enumerate(asked) if chosen(int(library.present[one.organization]))]
        milliseconds = [times[place] for place in of]
        recall = sum(shares[place] for place in of) / (len(of) or 1)
        p50, p95 = (round(percentile(milliseconds, share), 2) for share in (0.5, 0.95))
        return {"questions": len(of), "p50_ms": p50, "p95_ms": p95, "recall": round(recall, 4)}

    below, classes = 0, {}
    for name, bound in CLASSES.items():
        classes[name] = told(lambda size, below=below, bound=bound: below <= size < bound)
        below = bound
    return {**told(lambda _size: True), "classes": {name: one for name, one in classes.items() if one["questions"]}}


def same_alone(place: Place, index: VectorIndex, asked: Sequence[Asked]) -> dict[str, Any]:
    """Organizations written again where nobody else is: questions whose lists of both legs are the same there."""
    from retrieval.index import drop_index, make_index

    library, same, total = place.filled, 0, 0
    organizations = chosen_alone(library, asked)
    with tempfile.TemporaryDirectory(prefix="acervo-load-alone-") as name:
        key = os.environ.get("QDRANT_API_KEY", "")
        alone = {
            one: make_index(f"alone-{one}", DIMENSIONS, url=place.url, api_key=key, folder=Path(name))
            for one in organizations
        }
        try:
            write_alone(library, alone)
            for organization, own in alone.items():
                for one in [one for one in asked if one.organization == organization][:ASKED_ALONE]:
                    total += 1
                    same += lists(ask(own, one)) == lists(ask(index, one))
        finally:
            for organization, own in alone.items():
                own.close()
                if place.url:
                    drop_index(f"alone-{organization}")
    return {"organizations": len(organizations), "questions": total, "same": same}


def write_alone(library: Library, alone: Mapping[int, VectorIndex]) -> None:
    """Each organization's points into an index of its own."""
    for own in alone.values():
        own.ensure()
    for number in range(library.blocks):
        documents = library.documents[number * DOCUMENTS_A_BLOCK : (number + 1) * DOCUMENTS_A_BLOCK]
        if here := {document.organization for document in documents} & set(alone):
            block = library.block(number)
            for organization in here:
                alone[organization].upsert(library.points(block, organization))


def chosen_alone(library: Library, asked: Sequence[Asked]) -> list[int]:
    """Three that ask: the largest that is small enough, a middle one, the smallest."""
    small = sorted({one.organization for one in asked if library.present[one.organization] <= MOST_ALONE})
    return sorted({small[0], small[len(small) // 2], small[-1]})


def lists(found: Candidates) -> tuple[tuple[tuple[UUID, float], ...], ...]:
    """Both legs: ids in their order, scores to the third digit; of what has the score of the last only that score.

    Which of equals come before the cut is the engine's to choose, and no neighbour's doing.
    """
    legs = []
    for leg in (found.dense, found.sparse):
        last = leg[-1].score if len(leg) == CANDIDATES else None
        legs.append(tuple((UUID(int=0) if hit.score == last else hit.id, round(hit.score, 3)) for hit in leg))
    return tuple(legs)


def memory() -> dict[str, int]:
    """MB of this process: its own, and mapped files that are resident, which the system may take back."""
    rows = dict(line.split(":") for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    own = int(rows["Anonymous"].split()[0]) // 1024
    return {"own": own, "mapped": int(rows["Rss"].split()[0]) // 1024 - own}


def disk(folder: Path) -> int:
    return sum(one.stat().st_blocks * 512 for one in folder.rglob("*") if one.is_file()) // MB


def cpu_seconds() -> float:
    """Of this process and its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_place(parser)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(json.dumps(measure(place_of(parser.parse_args())), indent=1))


if __name__ == "__main__":
    main()
