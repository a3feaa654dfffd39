"""Other forms of a word, Spanish and English, that do not begin with its stem. Pure.

A stem is a word's first six letters (`retrieval.text.stems`), so that "donate" is not found in "donation", "revisó" not
in "revisado", nor "renueva" in "renovación". A form is a root of the word with another ending, and a root that is
stressed may sound otherwise: "cierre" is of "cerrar". No dictionary says which roots are true ("estación" has "estac",
of "estaca"), so a form is less than the word itself, and nothing but an ending may follow its root: "contrato" is no
form of "contar". Of English verbs and nouns that change within, "flew" and "flown", there is a list.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from retrieval.text.stems import STOP_WORDS

FEWEST_LETTERS, MORE_LETTERS = 4, 5  # of a root; of one whose ending is as often a part of the word: "flower"
_STRESSED_ENDINGS = """
    aciones acion adores adora ador idos idas ados adas ado ada ido ida ando iendo amos emos imos aron ieron aba aban
    aran eran ara era amiento imiento ir ar er
"""
_DOUBTFUL_ENDINGS = "er ers ing ings or ors al als ion ions iones io ia"
_UNSTRESSED = frozenset(("a", "as", "an", "e", "es", "en", "o", "os"))  # behind a root that is stressed itself
_STRESSED, _DOUBTFUL = frozenset(_STRESSED_ENDINGS.split()), frozenset(_DOUBTFUL_ENDINGS.split())
_SURE = (_UNSTRESSED | _STRESSED | {"s", "ed", "ation", "ations", "ment", "ments"}) - _DOUBTFUL
LONGEST_ENDING = max(map(len, _SURE | _DOUBTFUL))
_SOUNDS = (("ue", "o"), ("ie", "e"))  # under stress, and without: "renueva", "renovar"
_CLOSED = re.compile(r"[^aeiou]{1,2}")  # behind a vowel that another form may stress

# Without those that are as often another word: "left", "saw", "rose", "found", "bound".
_CHANGING = """
    arise arose arisen, become became, begin began begun, bite bitten, blow blew blown, break broke broken, bring
    brought, build built, buy bought, catch caught, child children, choose chose chosen, come came, deal dealt, draw
    drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight
    fought, fly flew flown, foot feet, forbid forbade forbidden, foresee foresaw foreseen, forget forgot forgotten,
    forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given, go went gone, goose geese, grow
    grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, know knew known, lay laid, lead led,
    lend lent, lose lost, make made, man men, mean meant, meet met, mouse mice, overcome overcame, oversee oversaw
    overseen, pay paid, ride rode ridden, run ran, seek sought, see seen, sell sold, send sent, shake shook shaken,
    shoot shot, sing sang sung, sink sank sunk, sit sat, sleep slept, speak spoke spoken, spend spent, stand stood,
    steal stole stolen, strike struck, swear swore sworn, swim swam swum, take took taken, teach taught, tell told,
    think thought, throw threw thrown, tooth teeth, undergo underwent undergone, understand understood, undertake
    undertook undertaken, wear wore worn, win won, withdraw withdrew withdrawn, woman women, write wrote written
"""
_FAMILIES = [tuple(family.split()) for family in _CHANGING.split(",")]  # what the others are forms of comes first
_FAMILY = {word: family for family in _FAMILIES for word in family}
_PLAIN_ENDINGS, _AS_IT_IS = frozenset(("", "s", "es", "ing")), frozenset(("",))


class Root(NamedTuple):
    """What is left of a word, and what may follow it in another form."""

    text: str
    endings: frozenset[str]


def roots_of(word: str) -> tuple[Root, ...]:
    """Of a folded word: what is left without its longest ending, and that as it sounds elsewhere; of one that changes
    within, its other forms."""
    family = _FAMILY.get(word, ())
    others = tuple(Root(one, _PLAIN_ENDINGS if one == family[0] else _AS_IT_IS) for one in family if one != word)
    if len(word) < FEWEST_LETTERS:
        return others
    root = _without_ending(word)
    endings = _SURE | _DOUBTFUL if len(root) >= MORE_LETTERS else _SURE
    return (Root(root, endings | {""}), *_sounding_otherwise(root), *others)


def base_of(word: str) -> str:
    """Of a word that changes within, the one that it is a form of: "flown" of "fly"; of another itself."""
    return _FAMILY[word][0] if word in _FAMILY else word


def _without_ending(word: str) -> str:
    for place in range(max(FEWEST_LETTERS, len(word) - LONGEST_ENDING), len(word)):
        ending = word[place:]
        if ending in _SURE or (place >= MORE_LETTERS and ending in _DOUBTFUL):
            return word[:place]
    return word


def _sounding_otherwise(root: str) -> Iterator[Root]:
    for stressed, plain in _SOUNDS:
        before, sound, behind = root.rpartition(stressed)
        if sound and behind and before[-1:] not in ("q", "g") and len(root) > FEWEST_LETTERS:
            yield Root(before + plain + behind, _STRESSED)
        before, sound, behind = root.rpartition(plain)
        if sound and before[-1:] not in ("i", "u") and _CLOSED.fullmatch(behind):
            yield Root(before + stressed + behind, _UNSTRESSED)


def places_of(root: Root, folded: bytes) -> Iterator[int]:
    """Where a text of `words_only` that begins with a space has a form of the root: the space before each."""
    begun = b" " + root.text.encode()
    place = folded.find(begun)
    while place >= 0:
        behind = place + len(begun)
        end = folded.find(b" ", behind)
        ending = folded[behind : end if end >= 0 else len(folded)].decode("latin-1")
        if ending in root.endings and root.text + ending not in STOP_WORDS:
            yield place
        place = folded.find(begun, behind)
