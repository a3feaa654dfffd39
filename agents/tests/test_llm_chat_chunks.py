"""The reader of a stream's bytes, cut in every way a network may cut them."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.base import ModelInterrupted, Usage
from agents.llm.chat_chunks import ChatChunks


def chunk(text=None, finish=None, **more):
    delta = {} if text is None else {"content": text}
    return b"data: " + orjson.dumps({"choices": [{"delta": delta, "finish_reason": finish}], **more}) + b"\n\n"


def reader(max_tokens=None, line_bytes=10_000, response_bytes=1_000_000):
    return ChatChunks(max_tokens, line_bytes, response_bytes)


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20),
    st.lists(st.integers(1, 40)),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_the_text_is_the_same_however_the_bytes_are_cut(texts, cuts, newline):
    stream = b": hello\n\nevent: x\n" + b"".join(map(chunk, texts)) + chunk(finish="stop") + b"data: [DONE]\n\n"
    stream = stream.replace(b"\n", newline)
    chunks, heard = reader(), ""
    for cut in [*cuts, len(stream)]:
        heard += chunks.feed(stream[:cut])
        stream = stream[cut:]
    assert heard == "".join(texts)
    assert chunks.done
    assert chunks.finish_reason == "stop"


def test_several_chunks_of_one_read_are_one_text():
    assert reader().feed(chunk("uno ") + chunk("dos ") + chunk("tres")) == "uno dos tres"


@pytest.mark.parametrize(
    "noise",
    [
        b"data: not json\n\n",
        b"data: [1]\n\n",
        b"data: 7\n\n",
        b"data:\n\n",
        b"<html>\n",
        b": ping\n\n",
        b"\r\n",
        b"data: {}\n",
    ]
    + [
        b'data: {"choices": %b}\n' % odd
        for odd in (b"null", b"[]", b"[null]", b'[{"delta":null}]', b'[{"delta":{"content":7}}]')
    ],
)
def test_what_is_no_chunk_is_ignored(noise):
    chunks = reader()
    assert chunks.feed(noise + chunk("bien") + noise) == "bien"
    assert not chunks.failed


def test_usage_comes_without_choices():
    chunks = reader()
    chunks.feed(b'data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}\n\n')
    assert chunks.usage == Usage(7, 3)
    chunks.feed(b'data: {"usage": {"prompt_tokens": null, "completion_tokens": -1}}\n\n')
    assert chunks.usage == Usage(0, 0)


def test_a_last_line_without_newline_counts():
    chunks = reader()
    assert chunks.feed(chunk("fin").rstrip()) == ""
    assert chunks.finish() == "fin"


def test_nothing_is_read_after_done():
    assert reader().feed(chunk("a") + b"data: [DONE]\n\n" + chunk("b")) == "a"


def test_an_error_object_marks_the_stream_as_failed():
    chunks = reader()
    chunks.feed(b'data: {"error": {"message": "overloaded"}}\n\n')
    assert chunks.failed


def test_thoughts_are_no_text_but_count_against_the_cap():
    chunks = reader(max_tokens=5)
    for _ in range(8):
        thought = {"choices": [{"delta": {"reasoning_content": "pensando "}}]}
        assert chunks.feed(b"data: " + orjson.dumps(thought) + b"\n\n") == ""
    assert chunks.done
    assert chunks.finish_reason == "length"


def test_a_line_without_end_and_a_response_without_end_are_refused():
    with pytest.raises(ModelInterrupted):
        reader(line_bytes=100).feed(b"data: " + b"x" * 200)
    chunks = reader(response_bytes=1000)
    chunks.feed(chunk("texto") * 10)
    with pytest.raises(ModelInterrupted):
        chunks.feed(chunk("texto") * 20)


@pytest.mark.parametrize(
    ("piece", "sent", "least", "most"), [(" palabra", 100, 20, 20), ("x", 100, 40, 42), ("y" * 900, 9, 0, 1)]
)
def test_the_cap_fits_servers_that_send_words_letters_or_pages(piece, sent, least, most):
    chunks = reader(max_tokens=20)
    text = "".join(chunks.feed(chunk(piece)) for _ in range(sent))
    assert chunks.finish_reason == "length"
    assert least <= len(text) / len(piece) <= most
