"""Other forms of a word, Spanish and English, that do not begin with its stem. Pure.

A stem is a word's first six letters (`retrieval.text.stems`), so that "donate" is not found in "donation", "revisó" not
in "revisado", nor "renueva" in "renovación". A form is a root of the word with another ending, and a root that is
stressed may sound otherwise: "cierre" is of "cerrar". No dictionary says which roots are true ("cuenta" has "cont", of
"contar"), so a form is less than the word itself, and nothing but an ending may follow its root: "contrato" is none.
"""

import re
from collections.abc import Iterator

FEWEST_LETTERS = 4  # of a root
_ENDINGS = """
    aciones acion adores adora ador idos idas ados adas ado ada ido ida ando iendo amos emos imos aron ieron aba aban
    aran eran ara era amiento imiento ir ar er an en as es os ion iones io ia a e o
    ations ation ings ing ions ers ed or ors ment ments al als s ies y
"""
ENDINGS = frozenset(ending.encode() for ending in ("", *_ENDINGS.split()))
_ENDED = re.compile(rf"(?<=\w{{{FEWEST_LETTERS}}})(?:{'|'.join(sorted(_ENDINGS.split(), key=len, reverse=True))})$")
_SOUNDS = (("ue", "o"), ("ie", "e"))  # under stress, and without: "renueva", "renovar"
_CLOSED = re.compile(r"[^aeiou]{1,2}")  # behind a vowel that another form may stress


def roots_of(word: str) -> tuple[str, ...]:
    """Of a folded word of FEWEST_LETTERS or more: what is left without its ending, and that as it sounds elsewhere."""
    if len(word) < FEWEST_LETTERS:
        return ()
    root = _ENDED.sub("", word)
    return (root, *_sounding_otherwise(root))


def _sounding_otherwise(root: str) -> Iterator[str]:
    for stressed, plain in _SOUNDS:
        before, sound, behind = root.rpartition(stressed)
        if sound and behind and before[-1:] not in ("q", "g") and len(root) > FEWEST_LETTERS:
            yield before + plain + behind
        before, sound, behind = root.rpartition(plain)
        if sound and before[-1:] not in ("i", "u") and _CLOSED.fullmatch(behind):
            yield before + stressed + behind


def places_of(root: str, folded: bytes) -> Iterator[int]:
    """Where a text of `words_only` that begins with a space has a form of the root: the space before each."""
    begun = b" " + root.encode()
    place = folded.find(begun)
    while place >= 0:
        behind = place + len(begun)
        end = folded.find(b" ", behind)
        if folded[behind : end if end >= 0 else len(folded)] in ENDINGS:
            yield place
        place = folded.find(begun, behind)
