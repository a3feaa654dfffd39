"""Frames as API.md has them, and a stream that never falls silent."""

from uuid import uuid4

import orjson
from hypothesis import given
from hypothesis import strategies as st

from chat.stream.events import Done, Error, Html, Source, Sources, Status, Support, Token
from chat.stream.numbers import text_id
from chat.stream.sse import KEEP_ALIVE, frame, frame_batches


def parsed(block: bytes):
    number, name, content, *rest = block.decode().split("\n")
    assert (number, rest) == ("id: 7", ["", ""])
    return name.removeprefix("event: "), orjson.loads(content.removeprefix("data: "))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_crosses_as_one_line(text):
    assert parsed(frame(7, Token(text, 1))) == ("token", {"token": text, "attempt": 1})


def test_a_token_costs_at_most_100_bytes():
    assert frame(7, Token(" una", 1)) == b'id: 7\nevent: token\ndata: {"token":" una","attempt":1}\n\n'
    late = text_id(3, 20_000, 300)
    assert len(frame(late, Token(" incomprensiblemente", 10))) <= 100


def test_each_event_has_the_fields_of_the_contract():
    chunk, document, corpus, conversation, message = (uuid4() for _ in range(5))
    source = Source(1, chunk, document, "Título", corpus, "global", None, None, ("Uno", "Dos"), "…", 0.9)
    name, fields = parsed(frame(7, Sources(conversation, message, 1, "HIGH", True, "supported", (source,))))
    assert name == "sources"
    assert set(fields) == {"conversation", "message", "attempt", "confidence", "sufficient", "state", "sources"}
    assert fields["sources"][0] == {
        "kind": "passage",
        "n": 1,
        "chunk": str(chunk),
        "document": str(document),
        "title": "Título",
        "corpus": str(corpus),
        "corpus_type": "global",
        "page": None,
        "page_end": None,
        "heading_path": ["Uno", "Dos"],
        "snippet": "…",
        "relevance": 0.9,
    }
    assert parsed(frame(7, Status("retrieving", 1))) == ("status", {"stage": "retrieving", "attempt": 1})
    assert parsed(frame(7, Status("retrying", 2, 256)))[1]["granularity"] == 256
    assert parsed(frame(7, Html(0, "<p>\n</p>"))) == ("html", {"block": 0, "html": "<p>\n</p>"})
    support = Support(1, "…", 3, 10, 20)
    done = {
        "status": "complete",
        "state": "supported",
        "message": str(message),
        "usage": {"prompt_tokens": 3},
        "cited": [1, 2],
        "citations": [{"n": 1, "text": "…", "page": 3, "start": 10, "end": 20}],
    }
    ended = Done("complete", "supported", message, {"prompt_tokens": 3}, (1, 2), (support,))
    assert parsed(frame(7, ended)) == ("done", done)
    error = {"code": "model_timeout", "detail": "…", "message": str(message)}
    assert parsed(frame(7, Error("model_timeout", "…", message))) == ("error", error)


async def batches(*batches):
    for batch in batches:
        yield list(batch)


async def test_events_that_come_together_leave_in_one_write_and_silence_is_a_comment():
    together = [(1, Status("generating", 1)), (3000, Token("una", 1))]
    written = [block async for block in frame_batches(batches(together, (), [(6000, Token(" más", 1))]))]
    assert written[0].count(b"event: ") == 2
    assert written[1] == KEEP_ALIVE
    assert len(written) == 3
