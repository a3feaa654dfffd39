"""What speaks for a statement as the answer to a question, and what against it. Pure.

Its words and those above it are held against the question's, rarer ones weighing more; its form against the kind of
thing that is asked for; and what is no answer is told by how it is written: exercises, dialogues, what a course wants.
"""

import re
from collections.abc import Mapping, Sequence
from math import log, sqrt

from agents.llm.quoting.layout import Form
from agents.llm.quoting.question_kinds import Wish, asks_for_difference, asks_for_list, has_kind, kind_of_question
from agents.llm.quoting.statements import Statement, said_words
from retrieval.confidence.closeness import ASKING_WORDS
from retrieval.text.folding import fold_latin
from retrieval.text.section_kinds import DIALOGUE, EXERCISE, GOALS, WORKS, section_kind
from retrieval.text.stems import STEM_LETTERS, STOP_WORDS, words
from retrieval.text.terms import exact_terms

AMONG = 32  # as `retrieval.confidence.coverage` has it: a few statements do not make every word rare
SHORTEST_STEM = 3  # letters, of a singular
SHORT_STEM = 4  # letters: "ganó" and "ganaron" share no stem of six
SHORT_SHARE = 0.5  # of a word's worth, where only so much of it is there
NEAR = 2  # words between the two of a pair
OPENING, LONGEST_WORD = 6, 30  # words; characters of one
MOST_OPENED = 0.6  # of the topic's worth, that a definition opens with
NEARLY_ALL = 0.95
ALIKE = 0.75  # a heading and what is asked for, where what stands below defines it
VERB_WITHIN = 120  # characters of a definition, in which its verb stands
MOST_OF_A_THING, MOST_BESIDE = 3, 2  # words of what is asked for; beside it before a colon
FEWEST_NEW, FEWEST_DONE = 3, 2  # words of what is said of it, and not asked; of what it does
MOST_ASKED = 64  # words of a question
LAST_RANK = 3  # behind it all passages are alike
LONGEST_COUNTED = 400  # characters

# What a question asks with, and not about. Folded.
_KINDS_OF_THINGS = """
    concepto termino palabra siglas comando protocolo funcion metodo operador instruccion consiste trata entiende
    distingue meaning stand term word command protocol function method operator keyword
"""
_ASKED_WITH = {word[:STEM_LETTERS] for word in (*_KINDS_OF_THINGS.split(), *ASKING_WORDS)}
_LEANS = re.compile(
    r"(?:Est[oae]s?|Es[oa]s?|Ell[oa]s?|Dich[oa]s?|Además|Asimismo|También|Por (?:ello|eso|tanto)|Sin embargo"
    r"|Th(?:is|ese|ose|ey)|It|He|She|However|Therefore|Also|But|And)\b"
)
_DEFINING = re.compile(
    r"\b(?:es|son|significan?|se refieren?|consisten?|permiten?|sirven?"
    r"|se (?:llaman?|definen?|conocen?|usan?|utilizan?|entiende)|is|are|means|refers|stands|allows|lets)\b"
)
_DOES = re.compile(
    r"\b(?:que hacen?|para que (?:sirven?|se (?:usan?|utilizan?))|what do(?:es)?)\b|^what (?:is|are) .{1,60} for\b"
)
_CONDITION = re.compile(
    r"\W{0,3}(?:si|cuando|mientras|aunque|if|when|while|unless|although)\b"
)  # "Si no, X es infinito"
_OUTRIGHT = re.compile(r"(?:es|son|significan?|consisten?|se (?:define|entiende)|is|are|means|refers)\b")
_ARTICLES = frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas", "the", "a", "an"})
_ENTRY = re.compile(r"[«\"“(]?[^.:;|—–]{2,60}[:—–|]\s")  # of a glossary: "Latencia: tiempo que …"
_GLOSSARY = re.compile(r"definicion|glosario|terminolog|conceptos|definition|glossary|terminology|terms")
_DESCRIBES = re.compile(  # what a column says of what stands in the first one
    r"\b(?:descripcion|significado|definicion|funcion|que (?:es|hace|significa)|para que|uso|description|meaning"
    r"|definition|purpose|what it|used for|use)\b"
)
_TASK = re.compile(
    r"^(?:explica|describe|configura|calcula|nombra|enumera|compara|define|indica|investiga|haz|dibuja|diseña|razona"
    r"|explain|list|name|configure|compare|calculate|discuss|draw|design)\w{0,3}\b"
    r"|^(?:verdadero o falso|true or false)\b|^\"[^\"]*\"$|¿",
    re.I,
)


class Weighing:
    """A question's words with their worth among the statements, and which statement has which."""

    def __init__(self, question: str, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._words = said_words(question)[:MOST_ASKED]
        self._kind, self._said = kind_of_question(question), frozenset(words(question)[: 4 * MOST_ASKED])
        self._terms = exact_terms(question)
        self._lists, self._differs = asks_for_list(question), asks_for_difference(question)
        self._does = _DOES.search(fold_latin(question[:VERB_WITHIN])) is not None
        stems = [one.stems for one in statements]
        counts = [sum(word[:STEM_LETTERS] in one for one in stems) for word in self._words]
        among = max(AMONG, len(statements))
        self._worth = [log(1 + (among - count + 0.5) / (count + 0.5)) for count in counts]
        self._total = sum(self._worth) or 1.0
        about = _asked_about(self._words)
        worth = dict(zip(self._words, self._worth, strict=True))
        self._topic = {word[:STEM_LETTERS]: worth[word] for word in about}
        self._topic_forms = _stems_of(about)
        self._has = [self._held_by(one.words) for one in statements]
        self._places = {one.place: number for number, one in enumerate(statements)}
        self._pairs = list(zip(self._words, self._words[1:], strict=False))

    def speaks_of_it(self, number: int) -> bool:
        """Whether a statement shares any word with the question, itself or above it: else nobody could tell why it is
        quoted."""
        return any(self._has[number]) or any(self._held_by(self._statements[number].above))

    def features(self, number: int) -> Mapping[str, float]:
        """By the names of `selecting.WEIGHTS`; the most are 0..1."""
        one, has = self._statements[number], self._has[number]
        return self._of_words(one, has) | self._of_kind(one) | self._of_place(one, has) | _of_writing(one)

    def topic_in(self, number: int) -> float:
        """0..1: what the question is about, in a statement and above it, as it is written there."""
        one = self._statements[number]
        return self._about({word[:STEM_LETTERS] for word in (*one.words, *one.above)})

    def heading_tells(self, number: int) -> bool:
        """Whether some of what the question is about stands in the heading, and not in what is quoted below it."""
        one = self._statements[number]
        quoted = _stems_of(one.words, said_words(" ".join((one.block.lead, *one.block.header))))
        return self._about(quoted | _stems_of(said_words(one.block.heading))) > self._about(quoted)

    def is_aside(self, number: int) -> bool:
        """Whether the heading above a statement has nothing of what the question is about, in no form of its words."""
        said = said_words(self._statements[number].block.heading)
        stems, short = _stems_of(said), {word[:SHORT_STEM] for word in said}
        return bool(said) and not any(_held(word, stems, short) for word in self._words if self._is_topic(word))

    def defines(self, number: int) -> bool:
        """Whether a statement says of one thing what it is: it names it at first, or is the first below a heading that
        does, and says something that the question does not."""
        one = self._statements[number]
        if one.block.form is Form.TABLE and not one.is_whole and not _describes(one.block.header):
            return False
        text = one.block.lead if one.is_whole else one.text
        says = self._says_of_it(text)
        is_titled = self._alike(said_words(one.block.heading)) >= ALIKE
        is_below = is_titled and one.opens_section and not one.is_whole
        says_more = [word for word in said_words(text[says:]) if not self._is_topic(word)]
        is_told = self._does and one.block.form is Form.PARAGRAPH  # "abandona el bucle" is enough, and a cell is not
        return (says > 0 or is_below) and len(says_more) >= (FEWEST_DONE if is_told else FEWEST_NEW)

    def says_outright(self, number: int) -> bool:
        """Whether a sentence begins with the thing and goes on with what it is: "Una función es …", and no "Una función
        recursiva es …"; or is the first below a heading that has the thing and nothing else."""
        one = self._statements[number]
        if one.opens_section and self._alike(said_words(one.block.heading)) > NEARLY_ALL:
            return True
        opening = words(one.text[: OPENING * LONGEST_WORD])[: OPENING + 1]
        behind = self._behind_the_thing(opening)
        is_said = behind > 0 and _OUTRIGHT.match(" ".join(opening[behind:])) is not None
        return is_said and one.block.form is Form.PARAGRAPH and self._about(_stems_of(opening[:behind])) > NEARLY_ALL

    def _says_of_it(self, text: str) -> int:
        """Where a sentence that opens with the topic begins to say what it is, or, where that is asked for, what it
        does, in characters; 0 where it does not."""
        opening, folded = words(text[: OPENING * LONGEST_WORD])[:OPENING], fold_latin(text[:VERB_WITHIN])
        if self._about(_stems_of(opening)) < MOST_OPENED or _CONDITION.match(folded):
            return 0
        if found := _DEFINING.search(folded) or self._entered(text):
            return found.end()
        return self._acts(opening) and folded.find(opening[self._acts(opening)])

    def _entered(self, text: str) -> re.Match[str] | None:
        """The word of a glossary and little else, with its colon."""
        entry = _ENTRY.match(text)
        others = entry and sum(not self._is_topic(word) for word in said_words(entry[0]))
        return entry if others is not None and others <= MOST_BESIDE else None

    def _acts(self, opening: Sequence[str]) -> int:
        """The place of what the thing that a sentence begins with does: "`break` abandona …"; 0 for none."""
        behind = self._behind_the_thing(opening) if self._does else 0
        return behind if behind and opening[behind] not in STOP_WORDS else 0

    def _behind_the_thing(self, opening: Sequence[str]) -> int:
        """The place of the word behind the thing that a sentence begins with; 0 where it begins with something else."""
        before = (
            word in _ARTICLES or (word[:STEM_LETTERS] in _ASKED_WITH and not self._is_topic(word)) for word in opening
        )
        thing = next((place for place, is_before in enumerate(before) if not is_before), len(opening))
        behind = next((place for place in range(thing, len(opening)) if not self._is_topic(opening[place])), 0)
        return behind if thing < behind else 0

    def _is_topic(self, word: str) -> bool:
        return bool(_forms(word) & self._topic_forms)

    def _of_words(self, one: Statement, has: Sequence[float]) -> dict[str, float]:
        rank, position = one.place
        before, after = (self._has_of((rank, position + step)) for step in (-1, 1))
        own = self._share(has)
        above = self._held_by(one.above)
        return {
            "exact": self._share([float(held == 1) for held in has]),
            "own": own,
            "squared": own**2,
            "around": self._share([max(three) for three in zip(has, before, after, strict=True)]),
            "before": self._share([max(two) for two in zip(has, before, strict=True)]),
            "above": self._share([max(two) for two in zip(has, above, strict=True)]) - own,
            "pairs": self._paired(one.words),
            "terms": self._terms_in(one.text),
            "rarest": max((w * h for w, h in zip(self._worth, has, strict=True)), default=0)
            / max([1e-9, *self._worth]),
        }

    def _of_kind(self, one: Statement) -> dict[str, float]:
        known = has_kind(one.text, self._kind, self._said)
        is_row = one.block.form is Form.TABLE and not one.is_whole
        defines = self._kind is Wish.DEFINITION
        opens = self._about(_stems_of(words(one.text[: OPENING * LONGEST_WORD])[:OPENING]))
        glossary = _GLOSSARY.search(fold_latin(one.block.heading)) is not None
        steps = self._kind is Wish.STEPS and one.block.is_numbered
        return {
            "kind": float(known is True),
            "no kind": float(known is False),
            "row kind": float(is_row and known is True),
            "opens": float(opens >= MOST_OPENED),
            "defines": float(defines and opens >= MOST_OPENED),
            "defining verb": float(defines and self._says_of_it(one.text) > 0),
            "glossary": float(defines and opens >= MOST_OPENED and glossary),
            "whole list": float(one.is_whole and (self._lists or steps)),
            "whole difference": float(one.is_whole and self._differs),
            "both": float(self._differs and self._about(_stems_of(one.words, one.above)) > NEARLY_ALL),
        }

    def _of_place(self, one: Statement, has: Sequence[float]) -> dict[str, float]:
        titled = self._alike(said_words(one.block.heading))
        is_first = one.opens_section or (one.is_whole and one.block.is_first)
        is_mere_code = one.block.form is Form.CODE and not one.block.lead  # shows, and defines nothing
        defines = self._kind is Wish.DEFINITION and not is_mere_code
        rank = one.place[0]
        return {
            "rank": min(rank, LAST_RANK),
            "first": float(rank == 0),
            "titled": titled,
            "titled first": titled * is_first,
            "titled definition": titled * is_first * defines,
            "asked": max((self._alike(said_words(each)) for each in one.asked.split("?")), default=0.0),
        }

    def _held_by(self, said: Sequence[str]) -> list[float]:
        stems = _stems_of(said)
        short = {word[:SHORT_STEM] for word in said}
        return [_held(word, stems, short) for word in self._words]

    def _has_of(self, place: tuple[int, int]) -> list[float]:
        number = self._places.get(place)
        return [0.0] * len(self._words) if number is None else self._has[number]

    def _share(self, has: Sequence[float]) -> float:
        return sum(worth * there for worth, there in zip(self._worth, has, strict=True)) / self._total

    def _about(self, stems: set[str]) -> float:
        total = sum(self._topic.values())
        return sum(worth for stem, worth in self._topic.items() if _is_in(stems, stem)) / total if total else 0.0

    def _terms_in(self, text: str) -> float:
        """The share of the exact terms, numbers and codes above all, that a statement has."""
        if not self._terms:
            return 0.0
        folded = fold_latin(text)
        return sum(term.is_in(folded) for term in self._terms) / len(self._terms)

    def _alike(self, said: Sequence[str]) -> float:
        """0..1: how far a heading or a question is about the same, and nothing else."""
        stems = _stems_of(said)
        shared = sum(_is_in(stems, stem) for stem in self._topic)
        others = {word[:STEM_LETTERS] for word in said if not word.isdigit()}  # "5.1. Listas" is about lists alone
        return self._about(stems) * sqrt(shared / max(1, shared, len(others)))

    def _paired(self, said: Sequence[str]) -> float:
        """The share of the question's neighbouring words that stand together here, too."""
        places: dict[str, int] = {}
        for place, word in enumerate(said):
            places.setdefault(word[:STEM_LETTERS], place)
        found = 0
        for one, other in self._pairs:
            first, second = places.get(one[:STEM_LETTERS]), places.get(other[:STEM_LETTERS])
            found += first is not None and second is not None and abs(first - second) <= NEAR
        return found / max(1, len(self._pairs))


def _stems_of(*several: Sequence[str]) -> set[str]:
    return {form for said in several for word in said for form in _forms(word)}


def _forms(word: str) -> set[str]:
    """A word's stem and, of one that six letters do not cut, what may be its singular: "listas" and "lista"."""
    stem = word[:STEM_LETTERS]
    singulars = {stem.removesuffix("s"), stem.removesuffix("es")} if stem.endswith("s") else set()
    return {stem, *(one for one in singulars if len(one) >= SHORTEST_STEM)}


def _is_in(stems: set[str], word: str) -> bool:
    return not stems.isdisjoint(_forms(word))


def _asked_about(said: Sequence[str]) -> list[str]:
    """A question's words without what it asks with; all of one that has nothing else: "¿Qué es una función?" """
    return [word for word in said if word[:STEM_LETTERS] not in _ASKED_WITH] or list(said)


def _describes(header: Sequence[str]) -> bool:
    return _DESCRIBES.search(fold_latin(" ".join(header))) is not None


def asks_what_one_thing_is(question: str) -> bool:
    """ "¿Qué es una VLAN nativa?": a definition, of what few words name."""
    about = _asked_about(said_words(question)[:MOST_ASKED])
    return kind_of_question(question) is Wish.DEFINITION and 0 < len(about) <= MOST_OF_A_THING


def leans(text: str) -> bool:
    """On the sentence before it."""
    return _LEANS.match(text) is not None


def _of_writing(one: Statement) -> dict[str, float]:
    is_alone = not one.is_whole
    return {
        "leans": float(leans(one.text)),
        "length": min(len(one.text), LONGEST_COUNTED) / LONGEST_COUNTED,
        "whole": float(one.is_whole),
        "whole code": float(one.is_whole and one.block.form is Form.CODE),
        "row": float(is_alone and one.block.form is Form.TABLE),
        "item": float(is_alone and one.block.form is Form.ITEMS),
        "dialogue": float(is_spoken(one)),
        "task": float(_TASK.search(one.text) is not None),
        "exercise": float(_is_of_exercise(one)),
    }


def is_spoken(one: Statement) -> bool:
    """By somebody, and not by the author."""
    return one.block.is_spoken or section_kind((one.block.heading,)) == DIALOGUE


def lists_works(one: Statement) -> bool:
    """Whether it is of a bibliography: who wrote those wrote others."""
    return section_kind((one.block.heading,)) == WORKS


def is_task(one: Statement) -> bool:
    """Whether it asks for something, or stands where that is done, and does not answer it."""
    return _TASK.search(one.text) is not None or _is_of_exercise(one)


def _is_of_exercise(one: Statement) -> bool:
    return not one.asked and section_kind((one.block.heading,)) in (EXERCISE, GOALS)


def _held(word: str, stems: set[str], short: set[str]) -> float:
    if _is_in(stems, word):
        return 1.0
    return SHORT_SHARE if len(word) >= SHORT_STEM and word[:SHORT_STEM] in short else 0.0
