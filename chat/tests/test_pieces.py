"""A text that grows by a piece at a time: nothing of it is lost, and little is held beside its letters."""

from hypothesis import given
from hypothesis import strategies as st

from chat.stream.pieces import Pieces, text_behind


def grown(said: list[str]) -> Pieces:
    pieces = Pieces()
    for piece in said:
        pieces.append(piece)
    return pieces


@given(st.lists(st.text(min_size=1)), st.integers(0, 50))
def test_a_text_in_few_pieces_is_what_was_said_from_any_character_on(said: list[str], characters: int) -> None:
    assert text_behind(grown(said), characters) == "".join(said)[characters:]
    assert text_behind(said, characters) == "".join(said)[characters:]


def test_of_thousands_of_pieces_a_dozen_are_kept() -> None:
    pieces = grown(["palabra "] * 5_000)
    assert len(pieces) <= 12
    assert "".join(pieces) == "palabra " * 5_000


def test_a_long_piece_is_not_copied_for_each_short_one_behind_it() -> None:
    long = "a" * 100_000
    pieces = grown([long, *["b"] * 1_000])
    assert pieces[0] is long
