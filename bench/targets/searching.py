"""The retrieval endpoint under 1, 8 and 32 users, and the search itself at 20,000 chunks."""

from pathlib import Path

from bench.client import Target, retrievals
from bench.results import percentile
from bench.targets import documents
from bench.targets.answering import QUESTION_MS, systems
from bench.targets.stage import Stage
from bench.targets.systems import acervo

CHUNKS = 20_000
FILES = 10  # of less than 10 MB each


async def measure(stage: Stage) -> None:
    async for system, target in systems(stage):
        await stage.model.at(embed_ms=QUESTION_MS, embed_item_ms=0)
        await retrievals(target, stage.questions("warm up", 2_000), 8, 0.5)
        for users in (1, 8, 32):
            await at_once(stage, system, target, users)


async def at_once(stage: Stage, system: str, target: Target, users: int) -> None:
    questions = stage.questions(f"{users} searchers", 10_000)
    cpu = target.server.cpu_seconds()
    found = await retrievals(target, questions, users, 2 if stage.quick else 4)
    cpu = target.server.cpu_seconds() - cpu
    times = [one.ms for one in found]
    stage.book.note(f"{system}retrieval {users} p50", percentile(times, 0.5))
    stage.book.note(f"{system}retrieval {users} p95", percentile(times, 0.95))
    if users == 32:
        stage.book.note(f"{system}retrieval cpu", 1000 * cpu / len(found))


async def measure_large(stage: Stage) -> None:
    """One user's retrievals at 20,000 chunks, by the server's own clock, without the question's embedding."""
    library = await stage.filled("large", lambda: large_files(stage.folder))
    if library.chunks < CHUNKS:
        raise RuntimeError(f"only {library.chunks} chunks")
    async with acervo(library) as target:
        await stage.model.at(embed_ms=QUESTION_MS, embed_item_ms=0)
        found = await retrievals(target, stage.questions("large", 2_000), 1, 2 if stage.quick else 6)
    beyond = [one.body["timings"]["total"] - one.body["timings"]["embed"] for one in found[10:]]
    stage.book.note("retrieval large", percentile(beyond, 0.95))


def large_files(folder: Path) -> list[Path]:
    paths = [folder / f"large-{number}.txt" for number in range(FILES)]
    for path in paths:  # a text "of at least that many" has more than twice as many: 43,136 instead of 20,000
        path.write_text(documents.text_of_chunks(path.name, CHUNKS // FILES // 2), encoding="utf-8")
    return paths
