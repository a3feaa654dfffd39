"""What happened to somebody or something: "When did she die?" is answered by no other year of hers. Pure.

Only what happens once, and whose words are known: of what else is done a text may tell the day in any words.
"""

import re
from typing import NamedTuple

from retrieval.text.folding import fold_latin

LONGEST = 600  # characters of a question that are looked at
LONGEST_TOLD = 4_000  # characters of a text


class _Words(NamedTuple):
    """Of one of them: as said behind "did" or "was" and behind "cuándo", as a noun, and every word that tells it."""

    done: str
    pasado: str
    noun: str
    told: str
    how: str = ""


_WORDS = (
    _Words(
        "die|killed|pass away",
        "murio|fallecio|murieron|fallecieron|muere",
        "death|muerte|fallecimiento|defuncion",
        r"die[sd]?\b|dying|death|dead\b|deceas|kill|drown|execut(?:ed|ion)|assassin|murder|perish"
        r"|pass\w{0,3} away|[dm]\. ?\d|bur(?:y\b|ied|ial)|obituar|muri|muer|fallec|defunci|ahog|asesin"
        r"|ejecut|enterr|sepult|†",
        "how|como|de que",
    ),
    _Words(
        "born", "nacio|nacieron|nace", "birth|nacimiento", r"born\b|birth|naci(?!on)\w|nacen?\b|natal|native|[bn]\. ?\d"
    ),
    _Words(
        "marry|married|wed",
        "caso|casaron",
        "marriage|wedding|boda",
        r"marr[iy]|wed\b|wedd|wife|husband|spouse|bride"
        r"|se cas[oa]\w{0,4}|casad[oa]s?\b|casaron|casarse|casamiento|espos|matrimoni|boda|nupcia|conyug|desposa",
    ),
    _Words(
        "founded|established|set up|created|started",
        "fundo|fundaron|se creo|crearon|constituyo|establecio",
        "foundation|fundacion|creacion|constitucion",
        r"found|establish|set up|creat|start|beg[aiu]n|open(?:ed|s|ing)\b|formed|launch|inaugur|incorporat|since"
        r"|dat(?:es|ing|ed)\b|origin|fund|cre[oa]|constitu|establec|inici|comenz|empez|abri|abiert|erig|origen|naci(?!on)|desde|data\b",
    ),
)
_WHEN = r"(?:when|where|(?:in |on )?(?:what|which) (?:year|day|date|month|city|town|place))"
_CUANDO = r"(?:cuando|donde|(?:en |a )?que (?:ano|dia|fecha|mes|edad|ciudad|pueblo|lugar)|cual es la fecha)"
_THE_DATE = (
    r"(?:what (?:is|was) |cual (?:es|fue) )?(?:the |la |el )?(?:date|year|place|fecha|ano|lugar) (?:of|de)(?: la| el)?"
)


_LIFE = r"\d{4}[^()]{0,30}[-–—][^()]{0,30}\d{4}\)"  # "(Soria, 1901 - Madrid, 1980)"


class Happening(NamedTuple):
    """Folded: how a question asks for it, and what tells it."""

    asked: re.Pattern[str]
    told: re.Pattern[str]


def _happening(words: _Words) -> Happening:
    how = f"|(?:{words.how})" if words.how else ""
    english = rf"(?:{_WHEN}{how}) (?:was|were|did|is)\b[^?]{{1,120}}?\b(?:{words.done})\b"
    spanish = rf"(?:{_CUANDO}{how}) (?:se )?(?:{words.pasado})\b"
    asked = re.compile(rf"^\W{{0,9}}(?:{english}|{spanish}|{_THE_DATE} (?:{words.noun})\b)")
    lives = rf"|{_LIFE}" if words.noun.startswith(("birth", "death")) else ""
    return Happening(asked, re.compile(rf"\b(?:{words.told}){lives}"))


HAPPENINGS = tuple(map(_happening, _WORDS))


def asked_happening(question: str) -> Happening | None:
    """Of which a question asks when, where or how it happened; None where of none."""
    folded = fold_latin(question[:LONGEST])
    return next((one for one in HAPPENINGS if one.asked.match(folded)), None)


def tells_happening(happening: Happening, text: str) -> bool:
    """Whether a text has any word for it."""
    return happening.told.search(fold_latin(text[:LONGEST_TOLD])) is not None
