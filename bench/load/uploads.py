"""A hundred uploads at once through to indexed, and what those notice who read meanwhile."""

import asyncio
import time
from collections import Counter

import aiohttp
import orjson

from bench.load.house import AGENT, House
from bench.results import Book, percentile
from bench.targets.documents import questions
from tests.services.installation import MEMBER, new_corpus
from tests.services.servers import Server

AT_ONCE = 100
BYTES = 200_000
PATIENCE = 300.0
BUSY = ("pending", "processing")


def measure(house: House, book: Book, at_once: int = AT_ONCE) -> None:
    if not house.webs:
        house.webs.append(house.installation.web("web"))
    web = house.webs[0]
    worker = house.installation.worker("ingesting", concurrency=4)
    corpus = new_corpus(house.installation.caller(web), AGENT)
    try:
        asyncio.run(house.model.at(embed_ms=50.0, embed_item_ms=1.0))
        asyncio.run(uploading(house, web, corpus, book, at_once))
    finally:
        worker.stop()


async def uploading(house: House, web: Server, corpus: str, book: Book, at_once: int) -> None:
    base, headers = f"http://127.0.0.1:{web.port}", {"Authorization": f"Bearer {house.key}"}
    limit = aiohttp.TCPConnector(limit=0)
    member = {"Authorization": f"Bearer {house.installation.keys[MEMBER]}"}
    timeout = aiohttp.ClientTimeout(total=PATIENCE)
    async with (
        aiohttp.ClientSession(base, headers=headers, connector=limit, timeout=timeout) as session,
        aiohttp.ClientSession(base, headers=member) as reader,
    ):
        alone = await pages(reader, 5.0)
        began = time.monotonic()
        reading = asyncio.ensure_future(pages(reader, 1.0))
        answers = await asyncio.gather(*(upload(session, corpus, n) for n in range(at_once)))
        taken_in = time.monotonic() - began
        beside = await reading
        while time.monotonic() < began + PATIENCE and await unfinished(session, corpus):
            beside += await pages(reader, 0.5)
        ended = time.monotonic() - began
        states = await states_of(session, corpus)
    statuses = Counter(answers)
    book.note("uploads taken", statuses[(202, "")])
    book.note("uploads 5xx", sum(many for (status, code), many in statuses.items() if status >= 500 and code != "busy"))
    book.note("uploads busy", sum(many for (_status, code), many in statuses.items() if code == "busy"))
    book.note("uploads wall", taken_in)
    book.note("uploads indexed", states["indexed"])
    book.note("uploads indexed wall", ended)
    book.note("beside uploads p50", percentile(beside, 0.5))
    book.note("beside uploads p99", percentile(beside, 0.99))
    book.note("beside uploads alone p50", percentile(alone, 0.5))


async def upload(session: aiohttp.ClientSession, corpus: str, number: int) -> tuple[int, str]:
    """(status, code of the problem); told to come again, it does, once for each time it was told."""
    content = "# Acta\n\n" + "\n\n".join(questions(f"upload {number}", 40))
    content = (content + "\n\nEl acta recoge lo que se dijo.") * (1 + BYTES // (2 * len(content)))
    form = aiohttp.FormData()
    form.add_field("file", content.encode(), filename=f"acta-{number}.md")
    async with session.post(f"/api/corpora/{corpus}/documents/", data=form) as response:
        body = await response.read()
        code = orjson.loads(body).get("code", "") if response.status >= 400 and body else ""
        return response.status, str(code)


async def pages(session: aiohttp.ClientSession, seconds: float) -> list[float]:
    """Milliseconds of each page that a member reads, ten a second."""
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        async with session.get("/api/corpora/") as response:
            await response.read()
            response.raise_for_status()
        times.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(0.1)
    return times


async def unfinished(session: aiohttp.ClientSession, corpus: str) -> bool:
    found = await states_of(session, corpus)
    return any(found[state] for state in BUSY)


async def states_of(session: aiohttp.ClientSession, corpus: str) -> Counter[str]:
    found: Counter[str] = Counter()
    place: str | None = f"/api/corpora/{corpus}/documents/?page_size=100"
    while place:
        async with session.get(place) as response:
            page = orjson.loads(await response.read())
        found.update(one["status"] for one in page["results"])
        place = page["next"] and page["next"].partition("/api/")[2] and "/api/" + page["next"].partition("/api/")[2]
    return found
