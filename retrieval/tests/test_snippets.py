"""Snippets: the part of a passage with most of the question's words."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.context.snippets import ELLIPSIS, SNIPPET_WIDTH, snippet

FILLER = "Nothing of interest is written in this sentence. " * 12
ANSWER = "A loan lasts twenty-one days and may be renewed twice."
QUESTION = "How many days does a loan last?"


def test_the_window_is_where_the_words_are_and_begins_with_their_sentence() -> None:
    shown = snippet(QUESTION, FILLER + ANSWER + " " + FILLER)
    assert ANSWER in shown
    assert shown.startswith(ELLIPSIS)
    assert shown.endswith(ELLIPSIS)


def test_a_short_passage_is_shown_whole_on_one_line() -> None:
    assert snippet(QUESTION, "Title\n\nA loan  lasts long.") == "Title A loan lasts long."


def test_without_any_of_the_words_it_is_the_beginning() -> None:
    shown = snippet("¿Préstamos?", FILLER)
    assert FILLER.startswith(shown.removesuffix(ELLIPSIS))


def test_more_different_words_beat_more_of_the_same() -> None:
    shown = snippet(QUESTION, "loan " * 60 + FILLER + ANSWER + FILLER)
    assert ANSWER in shown


def test_accents_and_inflection_do_not_matter() -> None:
    shown = snippet("¿renovaciones del prestamo?", FILLER + "El préstamo admite dos renovaciones. " + FILLER)
    assert "El préstamo admite dos renovaciones." in shown


@pytest.mark.parametrize("word", ["срок", "дата"])
def test_other_scripts_are_found_too(word: str) -> None:
    assert word in snippet(word, FILLER + word + " " + FILLER)


texts = st.text(st.sampled_from("ab ñé.\n\t—…"), min_size=0, max_size=900)


@given(st.text(st.sampled_from("ab ñé"), max_size=20), texts, st.integers(20, 240))
def test_it_is_never_wider_and_has_whole_words_of_the_passage_in_their_order(q: str, text: str, width: int) -> None:
    shown = snippet(q, text, width)
    assert len(shown) <= width
    assert "\n" not in shown
    words = text.split()
    inner = shown.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS).split()
    starts = range(len(words) - len(inner) + 1)
    whole = any(words[n : n + len(inner)] == inner for n in starts)
    assert whole or any(len(word) > width - 3 for word in words) or ELLIPSIS in text


@given(texts)
def test_of_a_passage_with_words_something_is_always_shown(text: str) -> None:
    assert bool(snippet("ab", text).strip(ELLIPSIS)) or not text.strip(ELLIPSIS + " \n\t")


def test_it_takes_microseconds() -> None:
    text = (FILLER + ANSWER)[-3000:]
    snippet(QUESTION, text)
    best = min(_seconds(text) for _ in range(50))
    assert best < 0.0005  # 30 µs on a quiet machine
    assert len(snippet(QUESTION, text)) <= SNIPPET_WIDTH


def _seconds(text: str) -> float:
    started = time.perf_counter()
    snippet(QUESTION, text)
    return time.perf_counter() - started


def test_markdown_is_shown_as_it_is_read() -> None:
    text = (
        "## Loans\n\n> A **loan** lasts.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | - |\n\n```python\nx = -1\n```"
    )
    assert snippet(QUESTION, text) == "Loans A loan lasts. one two | a | b | | 1 | - | python x = -1"
