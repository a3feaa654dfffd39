"""From the start of the process to its first answer, and what it holds when nobody asks."""

from bench.acervo import idle
from bench.targets.ingestion import MB
from bench.targets.stage import Stage


async def measure(stage: Stage) -> None:
    with stage.empty.copy() as installation, installation.serve() as server:
        stage.book.note("cold start", server.until_ready())
        idle(server)
        stage.book.note("idle memory", server.memory() / MB)
    library = await stage.library()
    with library.installation.copy() as installation, installation.serve() as server:
        stage.book.note("second start", server.until_ready())
