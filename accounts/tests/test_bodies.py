"""What a body may hold before anything is made of it (R0)."""

import orjson
import pytest

from accounts.http.bodies import MOST, TooManyParts, json_of


@pytest.mark.parametrize(
    "content",
    [
        b"[" + b",".join([b"{}"] * MOST) + b"]",
        b"[" + b",".join([b'"\\"",[]'] * MOST) + b"]",
        b"[" * (MOST + 1),
        b'["' + b"[" * MOST + b'",' + b"[" * (MOST + 1),
    ],
    ids=["objects", "lists beside texts", "lists without an end", "behind a text of brackets"],
)
def test_more_parts_than_anybody_needs_are_refused_before_one_is_made(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orjson, "loads", lambda _content: pytest.fail("they were made"))
    with pytest.raises(TooManyParts):
        json_of(content)


@pytest.mark.parametrize("text", ["[{" * MOST, '"[' * MOST, "\\[" * MOST, "\\" + "[" * MOST + "\\"])
def test_brackets_in_a_text_are_no_parts(text: str) -> None:
    assert json_of(orjson.dumps({"text": text, "tags": []})) == {"text": text, "tags": []}


def test_a_text_without_an_end_is_no_json() -> None:
    with pytest.raises(ValueError, match=r"unexpected end"):
        json_of(b'{"text": "' + b"[" * 2 * MOST)


def test_as_many_as_are_allowed_are_read() -> None:
    assert len(json_of(b"[" + b",".join([b"{}"] * (MOST - 1)) + b"]")) == MOST - 1
