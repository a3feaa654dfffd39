"""Frames as API.md has them, and a stream that never falls silent, never leaks and never loses its end."""

import asyncio
from uuid import uuid4

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.stream.events import Done, Error, Html, Source, Sources, Status, Token
from chat.stream.sse import BUFFERED_BYTES, KEEP_ALIVE, frame, keep_alive


def parsed(block: bytes):
    name, content, *rest = block.decode().split("\n")
    assert rest == ["", ""]
    return name.removeprefix("event: "), orjson.loads(content.removeprefix("data: "))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_crosses_as_one_line(text):
    assert parsed(frame(Token(text, 1))) == ("token", {"token": text, "attempt": 1})


def test_a_token_costs_at_most_100_bytes():
    assert frame(Token(" una", 1)) == b'event: token\ndata: {"token":" una","attempt":1}\n\n'
    assert len(frame(Token(" incomprensiblemente", 10))) <= 100


def test_each_event_has_the_fields_of_the_contract():
    chunk, document, corpus, conversation, message = (uuid4() for _ in range(5))
    source = Source(1, chunk, document, "Título", corpus, "global", None, ("Uno", "Dos"), "…", 0.9)
    name, fields = parsed(frame(Sources(conversation, message, 1, "HIGH", True, (source,))))
    assert name == "sources"
    assert set(fields) == {"conversation", "message", "attempt", "confidence", "sufficient", "sources"}
    assert fields["sources"][0] == {
        "n": 1,
        "chunk": str(chunk),
        "document": str(document),
        "title": "Título",
        "corpus": str(corpus),
        "corpus_type": "global",
        "page": None,
        "heading_path": ["Uno", "Dos"],
        "snippet": "…",
        "relevance": 0.9,
    }
    assert parsed(frame(Status("retrieving", 1))) == ("status", {"stage": "retrieving", "attempt": 1})
    assert parsed(frame(Status("retrying", 2, 256)))[1]["granularity"] == 256
    assert parsed(frame(Html(0, "<p>\n</p>"))) == ("html", {"block": 0, "html": "<p>\n</p>"})
    done = {"status": "complete", "message": str(message), "usage": {"prompt_tokens": 3}, "cited": [1, 2]}
    assert parsed(frame(Done("complete", message, {"prompt_tokens": 3}, (1, 2)))) == ("done", done)
    error = {"code": "model_timeout", "detail": "…", "message": str(message)}
    assert parsed(frame(Error("model_timeout", "…", message))) == ("error", error)


async def frames_of(*blocks, pause=0.0, log=None, error=None):
    try:
        for block in blocks:
            await asyncio.sleep(pause)
            yield block
        if error:
            raise error
    finally:
        if log is not None:
            log.append("closed")


async def test_all_frames_arrive_in_order():
    blocks = [b"%d\n\n" % n for n in range(1000)]
    log = []
    received = b"".join([block async for block in keep_alive(frames_of(*blocks, log=log))])
    assert received == b"".join(blocks)
    assert log == ["closed"]


async def test_silence_is_filled_with_comments_and_the_frame_still_comes():
    received = [block async for block in keep_alive(frames_of(b"late\n\n", pause=0.35), every=0.1)]
    assert received.count(KEEP_ALIVE) == 3
    assert received[-1] == b"late\n\n"


async def test_an_error_comes_after_the_frames_before_it():
    stream = keep_alive(frames_of(b"one\n\n", error=RuntimeError("broken")))
    assert await anext(stream) == b"one\n\n"
    with pytest.raises(RuntimeError, match="broken"):
        await anext(stream)


async def test_a_consumer_that_stops_closes_the_frames_before_it_goes_on():
    log = []
    stream = keep_alive(frames_of(b"one\n\n", b"two\n\n", pause=0.01, log=log))
    assert await anext(stream) == b"one\n\n"
    await stream.aclose()
    assert log == ["closed"]


async def test_a_cancelled_consumer_cancels_the_frames_where_they_wait():
    log = []

    async def read():
        async for _ in keep_alive(frames_of(b"never\n\n", pause=60, log=log)):
            pass

    task = asyncio.create_task(read())
    await asyncio.sleep(0.05)
    tasks = len(asyncio.all_tasks())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log == ["closed"]
    assert len(asyncio.all_tasks()) == tasks - 2  # the reader and its pump


async def test_what_the_frames_do_at_their_end_is_finished_first():
    log = []

    async def saving():
        try:
            yield b"one\n\n"
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            log.append("saved")

    stream = keep_alive(saving())
    await anext(stream)
    await stream.aclose()
    assert log == ["saved"]


async def test_a_reader_that_stalls_bounds_the_buffer_and_ends_the_frames():
    log, made = [], 0

    async def endless():
        nonlocal made
        try:
            while True:
                made += 1
                yield b"x" * 1000
        finally:
            log.append("closed")

    stream = keep_alive(endless(), stalled=0.1)
    await anext(stream)
    await asyncio.sleep(0.3)
    assert log == ["closed"]
    assert made * 1000 < 3 * BUFFERED_BYTES
    rest = [block async for block in stream]
    assert b"".join(rest).startswith(b"xxx")


async def test_a_timeout_of_the_frames_themselves_is_not_swallowed():
    stream = keep_alive(frames_of(b"one\n\n", error=TimeoutError()))
    assert await anext(stream) == b"one\n\n"
    with pytest.raises(TimeoutError):
        await anext(stream)
