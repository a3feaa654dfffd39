"""A text that grows by a piece at a time and is kept in few; pure."""

from collections.abc import Sequence


class Pieces(list[str]):
    """Appending joins what is not longer than what follows it: of the hundreds of pieces of an answer, each of which
    takes fifty bytes beside its letters, some ten are kept, and each letter is copied about as often.

    Another thread may read meanwhile: each change is made at once.
    """

    def append(self, piece: str) -> None:
        place, size = len(self), len(piece)
        while place and len(self[place - 1]) <= size:
            place -= 1
            size += len(self[place])
        self[place:] = ["".join([*self[place:], piece])]


def text_behind(pieces: Sequence[str], characters: int) -> str:
    """What stands behind so many characters."""
    behind = []
    for piece in tuple(pieces):
        if characters < len(piece):
            behind.append(piece[max(characters, 0) :])
        characters -= len(piece)
    return "".join(behind)
