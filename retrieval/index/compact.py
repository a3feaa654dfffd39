"""Run as a program on a copy of an Edge shard: reclaim deleted points, build the graphs, flush.

A process of its own because Edge 0.9 holds Python's global lock during `optimize()`: measured 9 s for 20,000
points with a graph, in which every stream of the serving process would stand still.
"""

import json
import os
import sys
from pathlib import Path


def main(generation: str, compared: str) -> None:
    os.nice(10)  # whoever waits for an answer goes first
    compare_words_below(Path(generation, "edge_config.json"), int(compared))
    import qdrant_edge

    shard = qdrant_edge.EdgeShard.load(generation)
    shard.optimize()
    shard.flush()
    shard.close()


def compare_words_below(config: Path, points: int) -> None:
    """For segments that are made from now on. Edge has no call that changes it, and keeps what it was loaded with."""
    told = json.loads(config.read_text())
    for vectors in told["sparse_vectors"].values():
        vectors["full_scan_threshold"] = points
    config.write_text(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
