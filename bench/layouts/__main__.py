"""python -m bench.layouts FOLDER [--dimensions 1536]: one large tenant beside many small ones, in each layout.

For each layout: seconds to optimise, MB on disk, resident memory of a fresh process before it is opened, opened, and
after its questions (its own, and what it has mapped of files, which the system may take back), milliseconds a question
of the large tenant and of a small one takes (both legs, with the IDF of its scope), and recall@10 of the dense leg
against the plain comparison of all originals.
Vectors are clustered (1,000 centres, cosine .9 within), words Zipf-distributed: 150 distinct ones a chunk.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from uuid import UUID

import numpy as np
import qdrant_edge as edge

from retrieval.index.base import EXACT_BELOW, INTEGER_KEYS, KEYWORD_KEYS, TENANT_KEY

LARGE, SMALL, TENANTS = 60_000, 1_000, 40  # points of the large tenant, of each small one, small ones
CENTRES, SPREAD, VOCABULARY, WORDS, ASKED = 1_000, 0.5, 200_000, 150, 12
QUESTIONS, LIMIT = 60, 50
TOLD = ("large", "small")
GRAPH_FROM = EXACT_BELOW
INT8 = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, quantile=0.99, memory=edge.Memory.Pinned)

LAYOUTS: dict[str, dict[str, Any]] = {
    "one graph": {"m": 16, "payload_m": None, "originals": None, "words": None, "int8": None},
    "tenants": {"m": 0, "payload_m": 16, "originals": None, "words": None, "int8": None},
    "tenants, int8": {"m": 0, "payload_m": 16, "originals": edge.Memory.Cold, "words": None, "int8": INT8},
    "tenants, int8, words mapped": {
        "m": 0, "payload_m": 16, "originals": edge.Memory.Cold, "words": edge.Memory.Cached, "int8": INT8,
    },
}  # fmt: skip


def configured(layout: dict[str, Any], dimensions: int) -> edge.EdgeConfig:
    threshold = GRAPH_FROM * dimensions * 2 // 1024
    vector = edge.EdgeVectorParams(
        dimensions,
        edge.Distance.Cosine,
        datatype=edge.VectorStorageDatatype.Float16,
        memory=layout["originals"],
        quantization_config=layout["int8"],
    )
    return edge.EdgeConfig(
        vectors={"dense": vector},
        sparse_vectors={"bm25": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=layout["words"])},
        on_disk_payload=True,
        hnsw_config=edge.HnswIndexConfig(layout["m"], 100, threshold, payload_m=layout["payload_m"]),
        # Both kinds of layout are optimised: segments of more than 10,000 points get indexes and quantised vectors.
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=threshold // 5, default_segment_number=2),
    )


class Library:
    """The same points and questions for every layout."""

    def __init__(self, dimensions: int) -> None:
        self.random = np.random.default_rng(7)
        self.centres = self.unit(self.random.standard_normal((CENTRES, dimensions)))

    @staticmethod
    def unit(vectors: Any) -> Any:
        return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)

    def vectors(self, amount: int) -> Any:
        chosen = self.centres[self.random.integers(0, CENTRES, amount)]
        noise = self.unit(self.random.standard_normal(chosen.shape))
        return self.unit(chosen + SPREAD * noise)

    def words(self, amount: int) -> edge.SparseVector:
        found = np.unique(self.random.zipf(1.2, amount * 2) % VOCABULARY)[:amount]
        return edge.SparseVector(indices=found.tolist(), values=[1.0] * len(found))


def write(folder: Path, layout: dict[str, Any], dimensions: int) -> float:
    shard, library = edge.EdgeShard.create(str(folder), configured(layout, dimensions)), Library(dimensions)
    for key in KEYWORD_KEYS:
        tenant = key == TENANT_KEY
        # Only the tenant's values get graphs of their own.
        schema = edge.KeywordIndexParams(is_tenant=tenant or None, enable_hnsw=tenant)
        shard.update(edge.UpdateOperation.create_field_index(key, schema))
    for key in INTEGER_KEYS:
        shard.update(edge.UpdateOperation.create_field_index(key, edge.IntegerIndexParams(enable_hnsw=False)))
    number = 0
    for tenant, size in enumerate([LARGE, *[SMALL] * TENANTS]):
        for start in range(0, size, 500):
            batch = []
            for vector in library.vectors(min(500, size - start)):
                number += 1
                payload = {
                    TENANT_KEY: str(UUID(int=tenant)),
                    "corpus_id": str(UUID(int=tenant * 100 + number % 5)),
                    "corpus_type": "global",
                    "document_id": str(UUID(int=number // 40)),
                    "granularity": "800",
                    "language": "es",
                    "tags": [f"t{number % 7}"],
                    "version": 1,
                }
                named = {"dense": vector.tolist(), "bm25": library.words(WORDS)}
                batch.append(edge.Point(UUID(int=number), named, payload))
            shard.update(edge.UpdateOperation.upsert_points(batch))
    began = time.monotonic()
    shard.optimize()
    shard.flush()
    shard.close()
    return time.monotonic() - began


def ask(folder: Path, dimensions: int) -> dict[str, Any]:
    """In a fresh process: what a question takes, what it finds, what is resident afterwards."""
    library, empty = Library(dimensions), memory()
    shard = edge.EdgeShard.load(str(folder))
    loaded = memory()
    found: dict[str, Any] = {}
    answered = []
    for name, tenant in (("large", 0), ("small", 7)):
        value = edge.MatchValue(value=str(UUID(int=tenant)))
        allowed = edge.Filter(must=[edge.FieldCondition(TENANT_KEY, match=value)])
        times = []
        for question in library.vectors(QUESTIONS):
            requests = legs(question, library.words(ASKED), allowed)
            began = time.perf_counter()
            dense, _words = shard.query_batch(edge.QueryBatchRequest(requests))
            times.append((time.perf_counter() - began) * 1000)
            answered.append((name, question, allowed, [hit.id for hit in dense[:10]]))
        found[name] = {"least": min(times), "p50": median(times), "p95": quantiles(times, n=20)[-1]}
    found |= {"empty": empty, "loaded": loaded, "asked": memory()}
    return found | {"recall": {name: recall(shard, [one for one in answered if one[0] == name]) for name in TOLD}}


def recall(shard: Any, answered: list[Any]) -> float:
    """Recall@10 against the plain comparison of every original; it reads them all, so it comes after the memory."""
    exact = edge.SearchParams(exact=True, quantization=edge.QuantizationSearchParams(ignore=True))
    shares = []
    for _name, question, allowed, found in answered:
        (truth,) = shard.query_batch(edge.QueryBatchRequest([dense_leg(question, allowed, exact, 10)]))
        shares.append(len(set(found) & {hit.id for hit in truth}) / 10)
    return float(np.mean(shares))


def dense_leg(question: Any, allowed: Any, parameters: Any, limit: int) -> Any:
    query = edge.Query.Nearest(question.tolist(), using="dense")
    return edge.QueryRequest(limit, query=query, filter=allowed, params=parameters)


def legs(question: Any, words: Any, allowed: Any) -> list[Any]:
    near = edge.SearchParams(
        hnsw_ef=256,
        acorn=edge.AcornSearchParams(True, 0.9),
        quantization=edge.QuantizationSearchParams(rescore=True, oversampling=2.0),
    )
    counted = edge.SearchParams(idf=edge.IdfParams(corpus=allowed))
    spoken = edge.QueryRequest(LIMIT, query=edge.Query.Nearest(words, using="bm25"), filter=allowed, params=counted)
    return [dense_leg(question, allowed, near, LIMIT), spoken]


def memory() -> dict[str, float]:
    """MB of this process: its own, and mapped files that are resident."""
    rows = dict(line.split(":") for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    own = int(rows["Anonymous"].split()[0]) / 1024
    return {"own": own, "mapped": int(rows["Rss"].split()[0]) / 1024 - own}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dimensions", type=int, default=1536)
    parser.add_argument("--layout", action="append", choices=LAYOUTS, help="these alone; by default each of them")
    parser.add_argument("--ask", action="store_true", help="of the layout in the folder alone")
    given = parser.parse_args()
    if given.ask:
        print(json.dumps(ask(given.folder, given.dimensions)))
        return
    for name in given.layout or LAYOUTS:
        layout = LAYOUTS[name]
        folder = given.folder / name.replace(", ", "-").replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        seconds = write(folder, layout, given.dimensions)
        disk = sum(one.stat().st_blocks * 512 for one in folder.rglob("*") if one.is_file()) / 2**20
        command = [sys.executable, "-m", "bench.layouts", str(folder), "--dimensions", str(given.dimensions), "--ask"]
        answered = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(json.dumps({"layout": name, "seconds": seconds, "disk": disk} | answered), flush=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
