"""A follow-up that says only another term, as the question before with that term in its place. Pure.

"¿y la batería?" after "¿Cuánto dura la garantía del robot?" is "¿Cuánto dura la batería del robot?". A question is cut
into phrases, at its prepositions, its articles and the words that only ask; which of them is replaced is told by what
both have: a word, the preposition, the article, its number. A preposition that the question has not is added to it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.text.folding import fold_latin
from retrieval.text.stems import ASKS, BACK, STOP_WORDS

MOST_SAID = 4  # words of a term

_GOES_ON = re.compile(
    r"[\s¿]{0,9}(?:(?:(?:y|e|and|but|pero|then|entonces),?\s{1,3}){1,2}(?:(?:what|how)\sabout\s{1,3})?"
    r"|(?:what|how)\sabout\s{1,3})(?:(?:el|la|los|las|lo|that|those|the\sones?)\s{1,3}(?=(?:de|del|of|for)\s))?"
    r"(?P<term>[^\s?][^?\n]{0,100}?)[\s?.!]{0,9}$"
)
_TOKEN = re.compile(r"[^\s?¿!¡,;:\"«»“”()]+")
_STOPS = "."
_LONGEST_SIGN = 60  # characters
_SIGN = re.compile(r"^[^\w]|\w[-_./]\w|[A-Z]{2}|^[A-Z]$")  # "--delete", "max_size", "DATE"
_ONE = frozenset({"el", "la", "un", "una", "the", "a", "an"})
_MANY = frozenset({"los", "las", "unos", "unas"})
_ARTICLES = _ONE | _MANY
_PREPOSITION_WORDS = """
    a al ante bajo con contra de del desde durante en entre hasta para por sin sobre tras segun
    about after as at before by during for from in into of on over to under until with without
"""
_PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
_OF = frozenset({"de", "del", "of"})
_HELP_WORDS = "is are was were do does did can could may must should will has have"
_HELPS = frozenset(_HELP_WORDS.split())
_SAYS_NOTHING = STOP_WORDS | ASKS | BACK | _ARTICLES | _PREPOSITIONS | _HELPS


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words beside each other about one thing, behind a preposition and an article ("" where there is none).

    `signs`: those of them that are written as a name of a thing ("TIMESTAMP", "--delete", "L/M"). `places`: where each
    word stands. `start`: of the preposition; `body`: of what follows it. `is_helped`: an auxiliary stands before it
    ("does the library open"), or nothing ("Los becarios tienen").
    """

    preposition: str
    article: str
    words: tuple[str, ...]
    signs: frozenset[str]
    places: tuple[tuple[int, int], ...]
    start: int
    body: int
    is_helped: bool

    @property
    def end(self) -> int:
        return self.places[-1][1]


def with_other_term(asked: str, question: str, kept: Sequence[tuple[int, int]] = ()) -> str:
    """`asked` with what `question` says in the place of what that replaces; "" where it says more than a term.

    `kept`: where documents and places stand in `asked`, which are the same still.
    """
    found = _GOES_ON.match(fold_latin(question))
    said = question[found.start("term") : found.end("term")] if found else ""
    if (term := _term_of(said)) is None:
        return ""
    free = [one for one in phrases_of(asked) if not any(one.start < end and start < one.end for start, end in kept)]
    if term.preposition:
        return _of_other(asked, free, term, said) or _added(asked, free, said, min((one for one, _ in kept), default=0))
    if not (replaced := _replaced(free, term)):
        return ""
    start, end = _extent(replaced, term)
    return f"{asked[:start]}{said}{asked[end:]}"


def _of_other(asked: str, phrases: Sequence[Phrase], term: Phrase, said: str) -> str:
    """With another phrase behind the same preposition, or behind another one a phrase that has a word of it; "" where
    there is neither."""
    behind = [
        one for one in phrases if one.preposition == term.preposition or {one.preposition, term.preposition} <= _OF
    ]
    shared = [one for one in phrases if one.preposition and set(one.words) & set(term.words)]
    if not (likest := [one for one in behind if one in shared] or shared or behind):
        return ""
    start = likest[-1].start if likest[-1] in behind else likest[-1].body
    return f"{asked[:start]}{said if likest[-1] in behind else said[term.body :]}{asked[likest[-1].end :]}"


def _added(asked: str, phrases: Sequence[Phrase], said: str, kept: int) -> str:
    """At the end, or before the document that it is of (from `kept` on)."""
    end = max((one.end for one in phrases if not kept or one.end <= kept), default=len(asked.rstrip(" ?.!")))
    return f"{asked[:end]} {said}{asked[end:]}"


def _term_of(said: str) -> Phrase | None:
    """What is said as one phrase, with all that belongs to it; None where it asks, goes on with a sentence, or is no
    more than a number."""
    parts = phrases_of(said)
    others = [word for word in _words(said) if word in _SAYS_NOTHING and word not in _ARTICLES | _PREPOSITIONS]
    if not parts or others or any(one.preposition not in _OF for one in parts[1:]):
        return None
    words = tuple(word for one in parts for word in one.words)
    if len(words) > MOST_SAID or all(word.isdecimal() for word in words):
        return None
    return replace(parts[0], words=words, signs=frozenset().union(*(one.signs for one in parts)))


def _replaced(phrases: Sequence[Phrase], term: Phrase) -> Phrase | None:
    """The last phrase that is most like it: by a word of both, by being written as a name, by
    the article, by its number; then one without a preposition."""

    def likeness(place: int) -> tuple[bool, bool, bool, bool, bool, int]:
        one = phrases[place]
        is_one_kind = bool(one.article) == bool(term.article) and (one.article in _MANY) == (term.article in _MANY)
        has_word, is_sign = bool(set(one.words) & set(term.words)), bool(one.signs and term.signs)
        return has_word, is_sign, one.article == term.article, is_one_kind, not one.preposition, place

    if not phrases:
        return None
    return phrases[max(range(len(phrases)), key=likeness)]


def _extent(one: Phrase, term: Phrase) -> tuple[int, int]:
    """Where what is replaced begins and ends. A phrase may have a verb, in front ("Who approves travel?") or behind
    ("Does the library open?"): then as many words are as there are in the place of them."""
    if one.signs and term.signs:
        signs = [place for word, place in zip(one.words, one.places, strict=True) if word in one.signs]
        return signs[0][0], signs[-1][1]
    if set(one.words) & set(term.words) or len(term.words) >= len(one.words):
        return one.body, one.end
    if one.is_helped:
        return one.body, one.places[len(term.words) - 1][1]
    if one.article or one.preposition:
        return one.body, one.end
    named = [place for place, word in enumerate(one.words) if not word.isdecimal()] or [0]  # "weekly 7"
    return one.places[named[-len(term.words) :][0]][0], one.end


def phrases_of(asked: str) -> list[Phrase]:
    """In their order; a phrase ends where another's preposition or article stands, and at a word that only asks."""
    found: list[Phrase] = []
    preposition = article = ""
    start = body = -1  # where the phrase that comes begins
    is_open, is_helped = False, True
    tokens = list(_TOKEN.finditer(asked))
    for one, behind in zip(tokens, [*tokens[1:], None], strict=False):
        word = _folded(one[0])
        if word in _SAYS_NOTHING:
            is_article = word in _ARTICLES and not _is_to(word, behind)
            is_preposition = word in _PREPOSITIONS and not is_article
            begins = is_preposition or (is_article and not preposition)
            preposition = word if is_preposition else preposition * is_article
            article = word if is_article else ""
            start = one.start() if begins else start if article else -1
            body = one.start() if article else -1
            is_helped = word in _HELPS or (bool(article) and is_helped and not preposition)
            is_open = False
            continue
        place = (one.start(), one.end() - (one[0][-1] in _STOPS))
        signs = frozenset([word]) if _SIGN.search(one[0][:_LONGEST_SIGN].rstrip(_STOPS)) else frozenset()
        if is_open:
            last = found[-1]
            found[-1] = replace(last, words=(*last.words, word), signs=last.signs | signs, places=(*last.places, place))
        else:
            body = body if body >= 0 else one.start()
            found.append(
                Phrase(preposition, article, (word,), signs, (place,), start if start >= 0 else body, body, is_helped)
            )
        preposition = article = ""
        start = body = -1
        is_open, is_helped = True, False
    return found


def _is_to(word: str, behind: re.Match[str] | None) -> bool:
    """Whether "a" is the Spanish preposition, "a los becarios", and no article: "a loan"."""
    return word == "a" and behind is not None and _folded(behind[0]) in _ARTICLES


def _words(text: str) -> list[str]:
    return [_folded(one[0]) for one in _TOKEN.finditer(text)]


def _folded(token: str) -> str:
    return fold_latin(token).rstrip(_STOPS)
