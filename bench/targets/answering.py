"""Streamed answers: time to the first token, CPU and bytes of the relayed ones, and many open streams."""

from collections.abc import AsyncIterator

from bench.acervo import idle
from bench.client import Answer, Target, arrivals, ask, crowd
from bench.processes import PeakMemory
from bench.results import REFERENCE, percentile
from bench.targets.stage import Stage
from bench.targets.systems import acervo, reference

TTFT_MS, TPS, TOKENS = 200.0, 20.0, 60
ANSWER_SECONDS = TTFT_MS / 1000 + TOKENS / TPS
QUESTION_MS = 5.0  # the embedding of a question
OPENED_A_SECOND = 50.0
KB = 1024


async def systems(stage: Stage) -> AsyncIterator[tuple[str, Target]]:
    """Both, one after the other, each with the 121 files' chunks."""
    library = await stage.library()
    async with acervo(library) as target:
        yield "", target
    async with reference(stage.model, library.chunks) as target:
        yield REFERENCE, target


async def measure(stage: Stage) -> None:
    """One user alone; then 50 and 200, who start evenly over one answer's length and then ask without a pause."""
    async for system, target in systems(stage):
        await one_by_one(stage, system, target)
        for users in (50, 200):
            await at_once(stage, system, target, users)


async def one_by_one(stage: Stage, system: str, target: Target) -> None:
    await stage.model.at(ttft_ms=TTFT_MS, tps=1_000, tokens=5, embed_ms=QUESTION_MS, embed_item_ms=0)
    questions = stage.questions("alone", 10 if stage.quick else 25)
    answers = [await ask(target, question, Answer) for question in questions]
    note_first_tokens(stage, f"{system}first token 1", answers[3:])  # the first ones open connections and import


async def at_once(stage: Stage, system: str, target: Target, users: int) -> None:
    await stage.model.at(ttft_ms=TTFT_MS, tps=TPS, tokens=TOKENS, embed_ms=QUESTION_MS, embed_item_ms=0)
    questions = stage.questions(f"{users} users", users * (2 if stage.quick else 3))
    cpu = target.server.cpu_seconds()
    answers = await crowd(target, questions, users, ANSWER_SECONDS)
    cpu = target.server.cpu_seconds() - cpu
    note_first_tokens(stage, f"{system}first token {users}", answers)
    if users == 50:
        tokens = sum(answer.tokens for answer in answers)
        stage.book.note(f"{system}cpu per token", 1000 * cpu / tokens)
        stage.book.note(f"{system}bytes per token", sum(answer.token_bytes for answer in answers) / tokens)


def note_first_tokens(stage: Stage, key: str, answers: list[Answer]) -> None:
    """Beyond the model's own time to its first token. A lost answer or token is no measurement."""
    if failed := sum(not answer.complete for answer in answers):
        raise RuntimeError(f"{key}: {failed} of {len(answers)} answers failed")
    added = [answer.first_token_ms - TTFT_MS for answer in answers]
    stage.book.note(f"{key} p50", percentile(added, 0.5))
    stage.book.note(f"{key} p95", percentile(added, 0.95))


async def measure_streams(stage: Stage) -> None:
    """1,000 and 2,000 streams of 20 tokens a second, opened at an even rate, all open at once at the end."""
    async for system, target in systems(stage):
        for users in (100,) if stage.quick else (1_000, 2_000):
            await opened(stage, system, target, users)
            idle(target.server)


async def opened(stage: Stage, system: str, target: Target, users: int) -> None:
    tokens = (users / OPENED_A_SECOND + 3) * TPS
    await stage.model.at(ttft_ms=TTFT_MS, tps=TPS, tokens=tokens, embed_ms=QUESTION_MS, embed_item_ms=0)
    questions = stage.questions(f"{users} streams", users)
    with PeakMemory(target.server) as memory:
        answers = await arrivals(target, questions, OPENED_A_SECOND)
    key = f"{system}streams {users}"
    errors = sum(not answer.complete or answer.tokens != tokens for answer in answers)
    stage.book.note(f"{key} p95", percentile([answer.first_token_ms - TTFT_MS for answer in answers], 0.95))
    stage.book.note(f"{key} errors", errors)
    stage.book.note(f"{key} memory", (memory.peak - memory.before) / KB / users)
