"""A follow-up question made to stand alone without a model: with the topic of what was asked before. Pure.

A question has no topic of its own where it refers back ("¿Quién puede acceder a ella?"), goes on ("And for how long?")
or says nothing but "how long". Then the documents, places and words of the latest question that had one are searched
for with it. A place without a document is one of the document that was named last, "¿y el 15?" the same kind of place.
"""

from collections.abc import Sequence

from retrieval.text.asked_names import Mention, MentionKind, asked_mentions
from retrieval.text.asked_places import AskedPlace, asked_places
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, WORD

MOST_BACK = 4  # questions of a conversation that are looked through
LONGEST = 1_000  # characters of what is searched for
LONGEST_ASKED = 2_000  # characters of a question that are looked at
FEW_OWN = 2  # words beside which what is referred to is still missing

_BACK_ES = "ella ellas ello ellos eso esto esos estos esas estas ese esa aquello dicho dicha dichos dichas su sus ahi"
_BACK_EN = "it its they them their that this those these there he she his her"
_BACK = frozenset(f"{_BACK_ES} {_BACK_EN}".split())
_ON = frozenset({"y", "e", "and", "but", "pero", "entonces", "then", "also", "ademas", "so"})
_ASKS_ES = """
    que quien cuanto cuanta cuantos cuantas cuando como donde cual cuales por para puede pueden debe deben hay dura
    duran cuesta cuestan vale valen funciona sirve empieza termina aplica pasa ocurre significa hace tiempo plazo mas
    ejemplo dice dicen explica explicame resume
"""
_ASKS_EN = (
    "how long much many what who when where which why can may must does do mean work cost last happen apply about more"
)
_ASKS = frozenset((_ASKS_ES + _ASKS_EN).split())
_COUNTED = frozenset({"el", "la", "los", "las", "the"})
_NAMES = frozenset({MentionKind.ACT, MentionKind.NOUN, MentionKind.FILE, MentionKind.SHORT})


def carry_topic(asked: Sequence[str], question: str) -> str:
    """What to search for instead of `question`; "" where it stands alone or nothing was asked before.

    `asked` are the questions before it, the latest last.
    """
    question = question[:LONGEST_ASKED]
    before = [one[:LONGEST_ASKED] for one in asked if one.strip()][-MOST_BACK:]
    topic = next((one for one in reversed(before) if not _needs_a_topic(one)), before[0] if before else "")
    if not topic:
        return ""
    if counted := _counted_like(question, before):
        return _joined(counted, _names(topic))
    places, names = asked_places(question), _names(question)
    if places and not names:
        return _joined(question, _names(topic))
    if not _needs_a_topic(question):
        return ""
    if names:
        return _joined(question, [one.text for one in asked_places(topic)] or _own_words(topic, without_names=True))
    return _joined(question, [*(one.text for one in asked_places(topic)), *_names(topic), *_own_words(topic)])


def _joined(question: str, topic: Sequence[str]) -> str:
    """ "" where there is nothing to add."""
    added = " ".join(dict.fromkeys(topic))
    return f"{question.strip()} {added}"[:LONGEST] if added else ""


def _needs_a_topic(question: str) -> bool:
    words = _words(question)
    own = [word for word in words if word not in STOP_WORDS and word not in _ASKS and word not in _BACK]
    if not own:
        return bool(words)
    named = {word for name in _names(question) for word in _words(name)}
    own = [word for word in own if word not in named]
    refers = not _BACK.isdisjoint(words) or words[0] in _ON
    return refers and len(own) <= FEW_OWN


def _counted_like(question: str, before: Sequence[str]) -> str:
    """ "¿y el 15?" after a question on an article as "artículo 15"; "" of others."""
    words = [word for word in _words(question) if word not in _ON and word not in _COUNTED]
    if len(words) != 1 or not words[0].isdigit():
        return ""
    for one in reversed(before):
        if places := asked_places(one):
            kind: AskedPlace = places[-1]
            return f"{kind.text.split(None, 1)[0]} {words[0]}"
    return ""


def _names(question: str) -> list[str]:
    """How a question calls documents, as far as that has the form of a name."""
    found: list[Mention] = []
    for one in asked_mentions(question, asked_places(question)):
        if one.kind in _NAMES and not any(other.start <= one.start and one.end <= other.end for other in found):
            found.append(one)
    return [one.text for one in sorted(found, key=lambda one: one.start)]


def _own_words(question: str, *, without_names: bool = False) -> list[str]:
    """The words that matter, as they were written."""
    folded = fold_latin(question)
    named = {word for name in _names(question) for word in _words(name)} if without_names else set()
    spans = [(match.start(), match.end()) for match in WORD.finditer(folded)]
    skipped = STOP_WORDS | _ASKS | _BACK | named
    return [question[start:end] for start, end in spans if folded[start:end] not in skipped]


def _words(text: str) -> list[str]:
    return WORD.findall(fold_latin(text))
