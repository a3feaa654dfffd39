"""Run as a program on a copy of an Edge shard: reclaim deleted points, build the graphs, flush.

A process of its own because Edge 0.9 holds Python's global lock during `optimize()`: measured 9 s for 20,000
points with a graph, in which every stream of the serving process would stand still.
"""

import os
import sys


def main(generation: str, words: str, compared: str) -> None:
    """`words` names the sparse vectors; where a filter allows fewer than `compared` points of a segment, they are
    compared one by one. Edge writes that into the shard's own settings, and keeps all others."""
    os.nice(10)  # whoever waits for an answer goes first
    import qdrant_edge as edge

    sparse = edge.EdgeSparseVectorParams(full_scan_threshold=int(compared), modifier=edge.Modifier.Idf)
    shard = edge.EdgeShard.load(generation, edge.EdgeConfig(sparse_vectors={words: sparse}))
    shard.optimize()
    shard.flush()
    shard.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
