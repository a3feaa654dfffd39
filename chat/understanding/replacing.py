"""A follow-up that says only another term, as the question before with that term in its place. Pure.

"¿y los discos ópticos?" after "¿Qué función tienen los discos duros?" is "¿Qué función tienen los discos ópticos?". A
question is cut into phrases, at its prepositions, its articles and the words that only ask. One is replaced where it
and the term plainly are two of a kind: both have a word, stand behind the same preposition, or are written as names of
things. "¿y el precio?" may be the price of what was asked about and replaces nothing.
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
_ARTICLES = frozenset({"el", "la", "un", "una", "the", "a", "an", "los", "las", "unos", "unas"})
_PREPOSITION_WORDS = """
    a al ante bajo con contra de del desde durante en entre hasta para por sin sobre tras segun
    about after as at before by during for from in into of on over to under until with without
"""
_PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
_OF = frozenset({"de", "del", "of"})
_HELP_WORDS = "is are was were do does did can could may must should will has have"
_SAYS_NOTHING = STOP_WORDS | ASKS | BACK | _ARTICLES | _PREPOSITIONS | frozenset(_HELP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words beside each other about one thing, behind a preposition ("" where there is none).

    `signs`: those of them that are written as a name of a thing ("TIMESTAMP", "--delete", "L/M"). `places`: where each
    word stands. `start`: of the preposition; `body`: of what follows it, with its article.
    """

    preposition: str
    words: tuple[str, ...]
    signs: frozenset[str]
    places: tuple[tuple[int, int], ...]
    start: int
    body: int

    @property
    def end(self) -> int:
        return self.places[-1][1]


def with_other_term(asked: str, question: str, kept: Sequence[tuple[int, int]] = ()) -> str:
    """`asked` with what `question` says in the place of what that replaces; "" where it says more than a term, or
    nothing in `asked` is plainly of its kind.

    `kept`: where documents and places stand in `asked`, which are the same still.
    """
    found = _GOES_ON.match(fold_latin(question))
    said = question[found.start("term") : found.end("term")] if found else ""
    if (term := _term_of(said)) is None:
        return ""
    free = [one for one in phrases_of(asked) if not any(one.start < end and start < one.end for start, end in kept)]
    return _of_other(asked, free, term, said) if term.preposition else _of_a_kind(asked, free, term, said)


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


def _of_a_kind(asked: str, phrases: Sequence[Phrase], term: Phrase, said: str) -> str:
    """With the last phrase that has a name where the term is one, or a word of it; "" where there is none."""
    named = [one for one in phrases if one.signs and term.signs]
    if named:
        signs = [
            place for word, place in zip(named[-1].words, named[-1].places, strict=True) if word in named[-1].signs
        ]
        return f"{asked[: signs[0][0]]}{said}{asked[signs[-1][1] :]}"
    shared = [one for one in phrases if set(one.words) & set(term.words)]
    return f"{asked[: shared[-1].body]}{said}{asked[shared[-1].end :]}" if shared else ""


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


def phrases_of(asked: str) -> list[Phrase]:
    """In their order; a phrase ends where another's preposition or article stands, and at a word that only asks."""
    found: list[Phrase] = []
    preposition = article = ""
    start = body = -1  # where the phrase that comes begins
    is_open = False
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
            is_open = False
            continue
        place = (one.start(), one.end() - (one[0][-1] in _STOPS))
        signs = frozenset([word]) if _SIGN.search(one[0][:_LONGEST_SIGN].rstrip(_STOPS)) else frozenset()
        if is_open:
            last = found[-1]
            found[-1] = replace(last, words=(*last.words, word), signs=last.signs | signs, places=(*last.places, place))
        else:
            body = body if body >= 0 else one.start()
            found.append(Phrase(preposition, (word,), signs, (place,), start if start >= 0 else body, body))
        preposition = article = ""
        start = body = -1
        is_open = True
    return found


def _is_to(word: str, behind: re.Match[str] | None) -> bool:
    """Whether "a" is the Spanish preposition, "a los becarios", and no article: "a loan"."""
    return word == "a" and behind is not None and _folded(behind[0]) in _ARTICLES


def _words(text: str) -> list[str]:
    return [_folded(one[0]) for one in _TOKEN.finditer(text)]


def _folded(token: str) -> str:
    return fold_latin(token).rstrip(_STOPS)
