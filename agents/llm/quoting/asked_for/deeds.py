"""What was done to what is counted: "How many aircraft were sold?" is answered by no number of aircraft that there are,
or were bought. Pure.

Only deeds after which there are more or fewer of something, and whose words are known: of others a text may say the
number without any ("15 days" are what "is granted", "stored" or "recommended"). And only where it is asked what was
done: what "a lost card" costs, or for how long one may buy, is told without a word for it.
"""

import re
from typing import NamedTuple

from retrieval.text.folding import fold_latin

LONGEST = 600  # characters of a question that are looked at
LONGEST_TOLD = 4_000  # characters of a text


class CountedDeed(NamedTuple):
    """Folded: how a question asks for it, and every word that tells it."""

    asked: re.Pattern[str]
    told: re.Pattern[str]


class _Words(NamedTuple):
    """Of one deed, in both languages: as said in the past, behind "did" and behind "fueron"; and what else tells it."""

    past: str
    base: str
    pasado: str
    participio: str
    more: str


_WORDS = (
    _Words("sold", "sell", "vendio|vendieron|vendimos", "vendid[oa]s?", r"sell\w{0,3}|sales?|ventas?|vend[ei]\w{0,6}"),
    _Words(
        "bought|purchased|acquired",
        "buy|purchase|acquire",
        "compro|compraron|compramos|adquirio|adquirieron",
        "comprad[oa]s?|adquirid[oa]s?",
        r"buy\w{0,3}|purchas\w{1,3}|acqui\w{3,7}|compras?|comprar|adqui\w{3,7}",
    ),
    _Words(
        "hired|recruited",
        "hire|recruit",
        "se contrato|contrataron|contratamos",
        "contratad[oa]s?",
        r"hir(?:es?|ing)|recruit\w{0,4}|contrat\w{1,8}|incorpor\w{1,8}|ficha\w{1,5}|join\w{0,3}|new|nuev[oa]s?",
    ),
    _Words(
        "dismissed|fired|sacked|laid off",
        "dismiss|fire|sack|lay off",
        "despidio|despidieron|despedimos",
        "despedid[oa]s?",
        r"dismiss\w{0,4}|layoffs?|despid\w{1,4}|despedir",
    ),
    _Words(
        "built|constructed",
        "build|construct",
        "construyo|construyeron",
        "construid[oa]s?",
        r"build\w{0,3}|constru\w{2,8}",
    ),
    _Words("delivered", "deliver", "entregaron|entregamos", "entregad[oa]s?", r"deliver\w{0,3}|entreg\w{1,5}"),
    _Words("ordered", "order", "encargaron", "encargad[oa]s?|pedid[oa]s", r"orders?|encarg\w{1,5}|pedid\w{1,2}"),
    _Words(
        "cancell?ed",
        "cancel",
        "cancelaron|cancelamos|anularon",
        "cancelad[oa]s?|anulad[oa]s?",
        r"cancel\w{0,9}|anul\w{1,8}|called off|suspend\w{1,6}",
    ),
    _Words(
        "stole|stolen|robbed",
        "steal|rob",
        "robaron",
        "robad[oa]s?|sustraid[oa]s?",
        r"thefts?|robber\w{1,3}|robos?|hurtos?",
    ),
    _Words("lost", "lose", "perdieron", "perdid[oa]s?", r"loss(?:es)?|los(?:es?|ing)|perd\w{2,7}|pierden?"),
    _Words(
        "killed|died",
        "kill|die",
        "murieron|fallecieron|mataron",
        "asesinad[oa]s?|muert[oa]s?|fallecid[oa]s?",
        r"kill\w{0,3}|die[sd]?|deaths?|dead|fatal\w{0,6}|mort\w{1,8}|muri\w{1,5}|muer\w{2,4}|fallec\w{1,8}|victim\w{0,2}"
        r"|lives|vidas?",
    ),
    _Words(
        "injured|wounded",
        "injure|wound",
        "hirieron",
        "herid[oa]s?|lesionad[oa]s?",
        r"injur\w{1,3}|wounds?|hurt|lesion\w{0,4}",
    ),
    _Words("destroyed", "destroy", "destruyo|destruyeron", "destruid[oa]s?", r"destr\w{2,8}"),
)
# Of what a relative clause or a condition says nothing is counted: "the house that was built in 1990".
_OF_ANOTHER = r"\b(?:that|which|who|whose|where|when|if|que|quien|quienes|donde|cuando|si|cuyo|cuya)\b"
_COUNTS = rf"\b(?:how (?:many|much)|what number|cuant[oa]s?)\b(?:(?!{_OF_ANOTHER})[^?]){{1,120}}?"
_NO_ADJECTIVE = "".join(rf"(?<!\b{one} )" for one in ("a", "an", "the", "my", "your", "any", "of", "for", "per"))
_WERE = r"\b(?:ha|han|habian?|fue|fueron|sido|resultaron|hubo) (?:sido )?"


def _deed(words: _Words) -> CountedDeed:
    english = rf"\b{_NO_ADJECTIVE}(?:{words.past})\b|\bdid\b[^?]{{1,60}}?\b(?:{words.base})\b"
    spanish = rf"\b(?:{words.pasado})\b|{_WERE}(?:{words.participio})\b"
    asked = re.compile(rf"{_COUNTS}(?:{english}|{spanish})")
    return CountedDeed(asked, re.compile(rf"\b(?:{'|'.join(words)})\b"))


DEEDS = tuple(map(_deed, _WORDS))


def asked_deed(question: str) -> CountedDeed | None:
    """What was done to what the question wants counted; None where nothing was."""
    folded = fold_latin(question[:LONGEST])
    return next((deed for deed in DEEDS if deed.asked.search(folded)), None)


def tells_deed(deed: CountedDeed, text: str) -> bool:
    """Whether a text has any word for it."""
    return deed.told.search(fold_latin(text[:LONGEST_TOLD])) is not None
