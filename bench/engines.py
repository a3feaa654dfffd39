"""python -m bench.engines FOLDER POSTGRESQL-URL [--large 60000] [--small 40]: the engines beside each other, same data.

One organization of `--large` chunks in five corpora, `--small` others of 1,000. For each engine: seconds to write and
to optimise, then in turns the milliseconds of a question (both legs) to the whole large organization, to one of its
corpora and to a small one, and recall@10 of the dense leg against the plain comparison of all originals. Turns, because
a machine that others use is slow for both then. Vectors and words are as in `bench.layouts`, but for words, which are
spread as those of texts without stop words are.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from uuid import UUID

import numpy as np

from bench.layouts.__main__ import Library
from corpora.scope import Scope
from retrieval.filters import SearchFilter, search_filter
from retrieval.index import Point, SparseVector, VectorIndex, make_index
from retrieval.index.pgvector import calls, engine

DIMENSIONS, SMALL, CORPORA = 1536, 1_000, 5
VOCABULARY, WORDS, ASKED = 200_000, 170, 8
QUESTIONS, LIMIT, BATCH = 40, 50, 500


class Words:
    def __init__(self) -> None:
        self.random = np.random.default_rng(11)
        shares = 1 / (np.arange(VOCABULARY) + 30) ** 1.05
        self.cumulated = np.cumsum(shares / shares.sum())

    def drawn(self, amount: int) -> SparseVector:
        found = np.unique(np.searchsorted(self.cumulated, self.random.random(amount)))
        return SparseVector(tuple(found.tolist()), (1.0,) * len(found))


def corpus(organization: int, number: int) -> UUID:
    return UUID(int=(organization + 1) * 1000 + number % CORPORA)


def points(large: int, small: int) -> Iterator[list[Point]]:
    library, words, number = Library(DIMENSIONS), Words(), 0
    for organization, size in enumerate([large, *[SMALL] * small]):
        for start in range(0, size, BATCH):
            batch = []
            for vector in library.vectors(min(BATCH, size - start)):
                number += 1
                payload = {
                    "organization_id": str(UUID(int=organization + 1)),
                    "corpus_id": str(corpus(organization, number // 40)),
                    "corpus_type": "global",
                    "document_id": str(UUID(int=number // 40 + 1)),
                    "granularity": "800",
                    "language": "es",
                    "version": 1,
                }
                batch.append(Point(UUID(int=number), vector, words.drawn(WORDS), payload))
            yield batch


def asked(organization: int, corpora: int) -> SearchFilter:
    ids = frozenset(corpus(organization, number) for number in range(corpora))
    return search_filter(Scope(UUID(int=organization + 1), UUID(int=9), ids, frozenset()), 800)


def written(index: VectorIndex, large: int, small: int) -> dict[str, float]:
    index.ensure()
    began = time.monotonic()
    for batch in points(large, small):
        index.upsert(batch)
    wrote = time.monotonic()
    index.optimize()
    return {"write": wrote - began, "optimize": time.monotonic() - wrote}


def measured(engines: dict[str, VectorIndex], large: int, small: int) -> dict[str, Any]:
    everything, places = [], []
    for batch in points(large, small):
        everything.append(np.stack([one.dense for one in batch]).astype(np.float16))
        places += [(one.payload["organization_id"], one.payload["corpus_id"], one.id) for one in batch]
    vectors, library, words = np.concatenate(everything), Library(DIMENSIONS), Words()
    found: dict[str, Any] = {}
    scopes = {
        "large": asked(0, CORPORA),
        "a corpus of it": asked(0, 1),
        **({"small": asked(7, CORPORA)} if small else {}),
    }
    for name, where in scopes.items():
        allowed_corpora = set(where.should[0][1].any_of)
        rows = [at for at, (_, its_corpus, _) in enumerate(places) if its_corpus in allowed_corpora]
        found[name] = {"points": len(rows)}
        times: dict[str, list[float]] = {engine: [] for engine in engines}
        recalls: dict[str, list[float]] = {engine: [] for engine in engines}
        agreed = []
        for question in library.vectors(QUESTIONS):
            terms = words.drawn(ASKED)
            scores = vectors[rows].astype(np.float32) @ question
            best = {places[rows[at]][2] for at in np.argsort(-scores)[:10]}
            sparse = []
            for engine_name, index in engines.items():
                began = time.perf_counter()
                hits = index.search(question, terms, where, LIMIT)
                times[engine_name].append((time.perf_counter() - began) * 1000)
                recalls[engine_name].append(len(best & {hit.id for hit in hits.dense[:10]}) / 10)
                sparse.append([round(hit.score, 3) for hit in hits.sparse])
            agreed.append(all(np.allclose(sparse[0], other, atol=2e-3) for other in sparse[1:]))
        for engine_name in engines:
            ordered = times[engine_name]
            found[name][engine_name] = {
                "p50": round(median(ordered), 1), "p95": round(quantiles(ordered, n=20)[-1], 1),
                "least": round(min(ordered), 1), "recall": round(float(np.mean(recalls[engine_name])), 4),
            }  # fmt: skip
        found[name]["words agree"] = float(np.mean(agreed))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("url")
    parser.add_argument("--large", type=int, default=60_000)
    parser.add_argument("--small", type=int, default=40)
    parser.add_argument("--filled", action="store_true", help="both are there from before")
    options = parser.parse_args()
    engine.READ_SECONDS = calls.READ_SECONDS = 60.0
    name = f"bench-{options.large}-{options.small}"
    engines = {
        "edge": make_index(name, DIMENSIONS, url="", folder=options.folder),
        "pgvector": make_index(name, DIMENSIONS, url=options.url, folder=options.folder),
    }
    if not options.filled:
        for title, index in engines.items():
            print(title, json.dumps(written(index, options.large, options.small)), flush=True)
    print(json.dumps(measured(engines, options.large, options.small), indent=1), flush=True)
    for index in engines.values():
        index.close()


if __name__ == "__main__":
    main()
