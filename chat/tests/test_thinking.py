"""Thoughts never show, wherever the stream is cut; the answer always does."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.stream.thinking import ThinkFilter


def shown(*pieces):
    thoughts = ThinkFilter()
    return "".join([*map(thoughts.feed, pieces), thoughts.finish()])


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("Hola.", "Hola."),
        ("<think>pienso</think>\n\nHola.", "Hola."),
        ("<think>\n\n</think>\n\nHola.", "Hola."),
        ("Hola <think>mmm</think>mundo.", "Hola mundo."),
        ("<THINK>a</Think>b", "b"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think>sin cerrar", ""),
        ("a < b y c <thin", "a < b y c <thin"),
        ("1 <thinker> 2", "1 <thinker> 2"),
        ("</think>Hola", "Hola"),
        ("<think>hablo de <think> y cierro</think>La respuesta", "La respuesta"),
        ("<think>a</think>x<think>b</think>y", "xy"),
        ("", ""),
    ],
)
def test_what_is_shown(text, visible):
    assert shown(text) == visible
    assert shown(*text) == visible


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "th", "texto ", ">", "\n"])), st.lists(st.integers(1, 9)))
def test_the_result_does_not_depend_on_the_cuts(parts, cuts):
    text, pieces = "".join(parts), []
    rest = text
    for cut in cuts:
        pieces.append(rest[:cut])
        rest = rest[cut:]
    assert shown(*pieces, rest) == shown(text)


@given(st.lists(st.tuples(st.text("abc <>/"), st.text("xyz"))))
def test_no_character_of_a_well_formed_thought_is_shown(pairs):
    text = "".join(f"<think>{thought.replace('<', '')}</think>{said}" for thought, said in pairs)
    assert shown(*text) == "".join(said for _, said in pairs)


def test_ordinary_text_is_passed_on_at_once():
    thoughts = ThinkFilter()
    assert thoughts.feed("Hola") == "Hola"
    assert thoughts.feed(" <") == " "
    assert thoughts.feed("b> x") == "<b> x"


@pytest.mark.parametrize("piece", ["palabra ", "<think>x</think> ", "<", "<think>x"])
def test_time_grows_linearly(piece):
    def seconds(n):
        start = time.process_time()
        shown(*[piece] * n)
        return time.process_time() - start

    seconds(1000)
    assert seconds(40_000) < 30 * max(seconds(4_000), 0.001)
