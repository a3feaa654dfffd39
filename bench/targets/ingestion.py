"""Ingestion: wall time, CPU, memory, what is paid for embeddings, and what concurrent uploads lose."""

import time
from dataclasses import dataclass
from pathlib import Path

from bench.acervo import Api
from bench.processes import PeakMemory, Server
from bench.targets import documents
from bench.targets.stage import Stage

LATENCY = {"embed_ms": 50.0, "embed_item_ms": 1.0}
IN_FLIGHT = 8  # requests that a client of the endpoint keeps running at once
MB = 1024 * 1024


@dataclass(frozen=True)
class Run:
    """One ingestion of 121 files, from the first upload until the last is indexed."""

    wall: float
    cpu: float
    peak: float
    lost: int
    chunks: int
    requests: float
    items: float

    @property
    def bound(self) -> float:
        """Seconds that the embedding endpoint's latency alone takes."""
        return (self.requests * LATENCY["embed_ms"] + self.items * LATENCY["embed_item_ms"]) / 1000 / IN_FLIGHT


async def ingest(stage: Stage, server: Server, api: Api, paths: list[Path], at_once: int) -> Run:
    corpus = await api.corpus(f"Bench {time.monotonic_ns()}")
    before, cpu, start = await stage.model.at(**LATENCY), server.cpu_seconds(), time.monotonic()
    with PeakMemory(server) as memory:
        await api.upload(corpus, paths, at_once)
        ended = await api.until_ended(corpus)
    wall, cpu = time.monotonic() - start, server.cpu_seconds() - cpu
    after = await stage.model.at()
    indexed = [one for one in ended if one["status"] == "indexed"]
    return Run(
        wall=wall,
        cpu=cpu,
        peak=memory.peak / MB,
        lost=len(paths) - len(indexed),
        chunks=sum(one["chunk_count"] for one in indexed),
        requests=after["embed_requests"] - before["embed_requests"],
        items=after["embed_items"] - before["embed_items"],
    )


async def measure(stage: Stage) -> None:
    """Three ingestions of different files in one server, then the first files again in another corpus."""
    note = stage.book.note
    editions = [documents.files(edition) for edition in ("first", "second", "third")]  # made before anything is open
    with stage.empty.copy() as installation, installation.serve() as server:
        server.until_ready()
        async with Api(server, installation.key) as api:
            first = await ingest(stage, server, api, editions[0], 8)
            second = await ingest(stage, server, api, editions[1], 32)
            third = await ingest(stage, server, api, editions[2], 8)
            again = await ingest(stage, server, api, editions[0], 8)
    note("ingestion wall", first.wall)
    note("ingestion bound", first.wall / first.bound)
    note("ingestion cpu", first.cpu)
    note("ingestion memory", max(first.peak, second.peak, third.peak))
    note("ingestion third", third.peak / first.peak)
    note("items per chunk", first.items / first.chunks)
    note("items again", again.items)
    note("lost 8", first.lost)
    note("lost 32", second.lost)


async def measure_long(stage: Stage) -> None:
    """Peak memory while one document of 600 pages is ingested."""
    with stage.empty.copy() as installation, installation.serve() as server:
        server.until_ready()
        async with Api(server, installation.key) as api:
            run = await ingest(stage, server, api, [documents.long_pdf()], 1)
    if run.lost:
        raise RuntimeError("the document of 600 pages was not indexed")
    stage.book.note("long document", run.peak)
