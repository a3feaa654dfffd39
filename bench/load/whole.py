"""The whole retrieval beyond the question's embedding: search, the rows read back under their rules, the order.

    python -m tests.services postgres -- python -m bench.load.whole --folder F [--chunks N]

Plants the rows of a filled library in PostgreSQL, then asks `retrieval.search.retrieve` in its members' names, each
question twice, and measures the second. Prints JSON: milliseconds by step, of all and of each class of organizations.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.load.asked import Asked, questions_of
from bench.load.filling import add_place, place_of
from bench.load.place import Place
from bench.load.planting import plant
from bench.load.retrieving import CLASSES, cpu_seconds
from bench.processes import Server
from bench.results import percentile

STEPS = ("beyond", "places", "search", "confirm", "rank", "fit", "cpu")


def measure(place: Place) -> dict[str, Any]:
    asked = questions_of(place.filled)
    vectors = place.folder / "questions.npz"
    np.savez(vectors, texts=np.array([one.words for one in asked]), vectors=np.stack([one.vector for one in asked]))
    with Server(["-m", "bench.model_server", "--vectors", str(vectors)], place.folder / "model.log") as model:
        model.until_ready("/stats")
        os.environ["OPENAI_BASE_URL"] = f"{model.url}/v1"
        place.begin()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        began = time.monotonic()
        plant(place.filled, superuser())
        planted = time.monotonic() - began
        try:
            return {"planted_s": round(planted, 1), **retrieved(place, asked)}
        finally:
            from retrieval.spaces import opened

            opened.close()


def retrieved(place: Place, asked: Sequence[Asked]) -> dict[str, Any]:
    from accounts.tenancy.scope import tenant_scope
    from retrieval.search import retrieve

    library = place.filled
    laps: list[dict[str, float]] = []
    warming = [*asked[:: len(asked) // 8], *asked]
    for number, one in enumerate([*warming, *asked]):
        if number == len(warming):
            laps = []
        cpu = cpu_seconds()
        with tenant_scope(one.scope.organization_id, one.scope.user_id):
            found = retrieve(one.words, one.scope)
        cpu = 1000 * (cpu_seconds() - cpu)
        if found.degraded or not found.candidates:
            raise RuntimeError(f"a search found nothing: {found.degraded}")
        laps.append({**found.timings, "beyond": found.timings["total"] - found.timings["embed"], "cpu": cpu})
    beyond = [one["beyond"] for one in laps]
    return {
        "questions": len(asked),
        "p50_ms": round(percentile(beyond, 0.5), 2),
        "p95_ms": round(percentile(beyond, 0.95), 2),
        "cpu_ms": round(sum(one["cpu"] for one in laps) / len(laps), 2),
        "classes": steps_by_class(laps, [int(library.present[one.organization]) for one in asked]),
    }


def steps_by_class(laps: Sequence[dict[str, float]], sizes: Sequence[int]) -> dict[str, Any]:
    """Of each class of organizations how many questions there are, and p50 and p95 of each step: where the time goes,
    and whether it is computed or waited for ("cpu" is this process's, the database's is beside it)."""
    below, classes = 0, {}
    for name, bound in CLASSES.items():
        own = [one for one, size in zip(laps, sizes, strict=True) if below <= size < bound]
        below = bound
        if own:
            classes[name] = {"questions": len(own), **{step: _spread([one[step] for one in own]) for step in STEPS}}
    return classes


def _spread(times: Sequence[float]) -> list[float]:
    return [round(percentile(times, share), 2) for share in (0.5, 0.95)]


def superuser() -> str:
    """The address of the superuser of the PostgreSQL of DATABASE_URL, as tests/services starts it."""
    _, _, place = os.environ["DATABASE_URL"].rpartition("@")
    return f"postgresql://postgres@{place}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_place(parser)
    print(json.dumps(measure(place_of(parser.parse_args())), indent=1))


if __name__ == "__main__":
    main()
