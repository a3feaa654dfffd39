"""What was done to what is counted: "How many aircraft were sold?" is answered by no number of aircraft that there are,
or were bought. Pure.

Only deeds after which there are more or fewer of something, and whose words are known: of others a text may say the
number without any ("15 days" are what "is granted", "stored" or "recommended").
"""

import re
from typing import NamedTuple

from retrieval.text.folding import fold_latin

LONGEST = 600  # characters of a question, and 4 times as many of a text, that are looked at


class CountedDeed(NamedTuple):
    """Folded: how a question asks for it, and every word that tells it."""

    asked: re.Pattern[str]
    told: re.Pattern[str]


# Verbs, and what tells it beside them.
_WORDS = (
    (r"sell|sells|selling|sold|vend(?:en?|er|io|ieron|imos|id[oa]s?|iendo|ian?)", r"sales?|ventas?"),
    (
        r"buy|buys|bought|purchased|acquired?|compr(?:an?|ar|aron|amos|ad[oa]s?|o)|adquir(?:io|ieron|imos|id[oa]s?)",
        r"purchases?|acquisitions?|compras?|adquisicion\w{0,2}|adquirir",
    ),
    (
        r"hired?|recruit(?:s|ed)?|contrat(?:aron|amos|ad[oa]s?)|se contrato",
        r"recruits?|recruitment|contrat\w{1,8}|incorpor\w{1,8}|ficha\w{1,5}|joined|join|new|nuev[oa]s?",
    ),
    (
        r"dismiss(?:ed)?|fired|sacked|laid off|despid(?:io|ieron|en)|despedid[oa]s?|despedimos",
        r"dismissals?|layoffs?|despidos?",
    ),
    (r"built|constructed|constru(?:yo|yeron|imos|id[oa]s?)", r"builds?|building|constructions?|constru\w{2,8}"),
    (r"delivered?|deliver|entreg(?:o|aron|amos|ad[oa]s?)", r"deliver(?:y|ies|s)|entregas?|entregar"),
    (r"ordered|encarg(?:o|aron|amos|ad[oa]s?)", r"orders?|encargos?|pedidos?|pidi\w{1,5}"),
    (
        r"cancell?ed|cancel(?:o|aron|amos|ad[oa]s?)|anul(?:o|aron|amos|ad[oa]s?)",
        r"cancels?|cancellations?|cancelacion\w{0,2}|anulacion\w{0,2}",
    ),
    (r"stole|stolen|robbed|rob(?:o|aron|ad[oa]s?)|sustraid[oa]s?", r"thefts?|robber(?:y|ies)|robos?|hurtos?"),
    (r"lost|perd(?:io|ieron|imos|id[oa]s?)", r"loss(?:es)?|lose[sr]?|pierde\w?|perder"),
    (
        r"killed|died|murio|murieron|muert[oa]s?|fallec(?:io|ieron|id[oa]s?)|mataron",
        r"deaths?|dead|die[sd]?|kill\w{0,3}|fatal\w{0,6}|mort\w{1,8}|muer\w{1,4}|victimas?|victims?|lives|vidas?",
    ),
    (r"injured|wounded|heridos|heridas|hirieron|lesionad[oa]s?", r"injur(?:y|ies)|wounds?|hurt|lesion\w{0,4}"),
    (r"destroyed|destru(?:yo|yeron|id[oa]s?)", r"destr\w{2,8}"),
)  # fmt: skip
# Of what a relative clause or a condition says nothing is counted: "the house that was built in 1990".
_OF_ANOTHER = r"\b(?:that|which|who|whose|where|when|if|que|quien|quienes|donde|cuando|si|cuyo|cuya)\b"
_COUNTS = rf"\b(?:how (?:many|much)|what number|cuant[oa]s?)\b(?:(?!{_OF_ANOTHER})[^?]){{1,120}}?\b"
DEEDS = tuple(
    CountedDeed(re.compile(rf"{_COUNTS}(?:{asked})\b"), re.compile(rf"\b(?:{asked}|{more})\b"))
    for asked, more in _WORDS
)


def asked_deed(question: str) -> CountedDeed | None:
    """What is done to what the question wants counted; None where nothing is."""
    folded = fold_latin(question[:LONGEST])
    return next((deed for deed in DEEDS if deed.asked.search(folded)), None)


def tells_deed(deed: CountedDeed, text: str) -> bool:
    """Whether a text has any word for it."""
    return deed.told.search(fold_latin(text[: 4 * LONGEST])) is not None
