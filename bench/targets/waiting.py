"""Nobody waits for a stranger: a model endpoint as slow as real ones, and only questions that no cache knows.

What one organization's slow searches cost another, and what fifty and two hundred users at once cost each other beyond
the embedding and the model.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from bench.acervo import Installation, idle, manage
from bench.client import Answer, Target, ask, crowd, retrievals
from bench.results import percentile
from bench.targets.answering import ANSWER_SECONDS, TOKENS, TPS, TTFT_MS
from bench.targets.stage import Stage
from bench.targets.systems import Library, target_of

SLOW_MS, VERY_SLOW_MS = 200.0, 1_000.0
SEARCHES = 24  # of one organization, at once and again and again
LISTINGS = 40  # of another
PAUSE = 0.1
STRANGER = """
from accounts import keys
from accounts.models import Membership, Organization, User
organization = Organization.objects.create(name="Stranger", slug="stranger")
user = User.objects.create_user("stranger@example.org", "only-for-the-bench")
print(keys.issue_key(Membership.objects.create(organization=organization, user=user, role="admin"))[1])
"""


@dataclass(frozen=True)
class House:
    """A server with two organizations: `target` asks in the name of one, `stranger` are the other's headers."""

    target: Target
    stranger: dict[str, str]


async def measure(stage: Stage) -> None:
    async with house(await stage.library()) as here:
        await beside_a_crowd(stage, here)
        idle(here.target.server)
        await first_tokens(stage, here.target)


@asynccontextmanager
async def house(library: Library) -> AsyncIterator[House]:
    with library.installation.copy() as copy:
        key = make_stranger(copy)
        with copy.serve() as server:
            server.until_ready()
            idle(server)
            yield House(target_of(server, library.agent, copy.key), {"Authorization": f"Bearer {key}"})


def make_stranger(installation: Installation) -> str:
    """The key of another organization's admin."""
    return manage(installation.environment, "shell", "--no-imports", "-c", STRANGER).split()[-1]


async def beside_a_crowd(stage: Stage, here: House) -> None:
    """`GET /v1/models` of the stranger, alone and while 24 searches wait a second each for their embedding."""
    await stage.model.at(embed_ms=VERY_SLOW_MS, embed_item_ms=0)
    await listings(here, 5)
    alone = percentile(await listings(here, LISTINGS), 0.5)
    questions = stage.questions("beside a crowd", 2_000)
    crowded = asyncio.ensure_future(retrievals(here.target, questions, SEARCHES, LISTINGS * PAUSE + 2))
    await asyncio.sleep(1.0)
    beside = await listings(here, LISTINGS)
    await crowded
    stage.book.note("stranger p50", percentile(beside, 0.5) / alone)
    stage.book.note("stranger worst", max(beside))


async def listings(here: House, count: int) -> list[float]:
    """Milliseconds of each, one after another on one connection."""
    times = []
    async with aiohttp.ClientSession(here.target.server.url, headers=here.stranger) as session:
        for _ in range(count):
            start = time.perf_counter()
            async with session.get("/v1/models") as response:
                await response.read()
                response.raise_for_status()
            times.append(1000 * (time.perf_counter() - start))
            await asyncio.sleep(PAUSE)
    return times


async def first_tokens(stage: Stage, target: Target) -> None:
    await stage.model.at(ttft_ms=TTFT_MS, tps=TPS, tokens=3, embed_ms=SLOW_MS, embed_item_ms=0)
    one = [await ask(target, one, Answer) for one in stage.questions("slow, one user", 10 if stage.quick else 25)]
    note(stage, 1, one[3:])  # the first ones open connections and import
    await stage.model.at(ttft_ms=TTFT_MS, tps=TPS, tokens=TOKENS, embed_ms=SLOW_MS, embed_item_ms=0)
    for users in (50, 200):
        questions = stage.questions(f"slow, {users} users", users * (2 if stage.quick else 3))
        cpu = target.server.cpu_seconds()
        answers = await crowd(target, questions, users, ANSWER_SECONDS)
        note(stage, users, answers)
        stage.book.note(f"slow cpu {users}", 1000 * (target.server.cpu_seconds() - cpu) / len(answers))
        idle(target.server)


def note(stage: Stage, users: int, answers: list[Answer]) -> None:
    """Beyond the embedding and the model's own first token. A lost answer is no measurement."""
    if failed := sum(not answer.complete for answer in answers):
        raise RuntimeError(f"slow, {users} users: {failed} of {len(answers)} answers failed")
    added = [answer.first_token_ms - TTFT_MS - SLOW_MS for answer in answers]
    stage.book.note(f"slow first token {users} p50", percentile(added, 0.5))
    stage.book.note(f"slow first token {users} p95", percentile(added, 0.95))
