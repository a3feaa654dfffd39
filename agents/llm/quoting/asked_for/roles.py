"""Who did what: "Who edited it?" is answered where an editor is named, whatever the word for it. Pure."""

import re

from agents.llm.quoting.asked_for.kinds import Wish, has_kind, kind_of_question
from agents.llm.quoting.asked_for.offices import asked_office, has_other_rank, holds_office, is_signed, names_holder
from retrieval.text.folding import fold_latin
from retrieval.text.lines.fields import is_field

LONGEST = 600  # characters of a question, and of a sentence, that are looked at

# What a question asks with, and what stands beside the name. Of folded text.
_ROLES = tuple(
    (re.compile(rf"\b(?:{asks})\b"), re.compile(rf"\b(?:{says})\b"))
    for asks, says in (
        ("edit(?:ed|s|o|a|aron|an|ors?|ores|ora)", "editor(?:s|es|a|as|ship)?|edited by|editad[oa]s? por"),
        (
            "wr(?:ote|ites?|itten)|author(?:s|ed)?|escri(?:bio|be|bieron|ben|to)|redact(?:o|a|aron|an)|autor(?:es|a|as)?",
            "autor(?:es|a|as|ia)?|authors?|authorship|written by|(?:escrit|redactad)[oa]s? por|redactor(?:es|a|as)?",
        ),
        (
            "teach(?:es|ers?)?|taught|lectur(?:es?|ed|ers?)|instruct(?:s|ors?)|ensenan?|imparten?|impartio|dan? clase"
            "|docentes?|profesor(?:es|a|as)?|professors?",
            "docentes?|profesor(?:es|a|as|ado)?|teachers?|lecturers?|instructors?|professors?|taught by"
            "|impartid[oa]s? por",
        ),
        (
            "translat(?:ed|es?|ors?)|tradujo|tradujeron|traduce|traductor(?:es|a|as)?",
            "translators?|translated by|traductor(?:es|a|as)?|traducid[oa]s? por",
        ),
        (
            "coordinat(?:ed|es?|ors?)|coordin(?:o|a|an|aron)|coordinador(?:es|a|as)?",
            "coordinators?|coordinated by|coordinador(?:es|a|as)?|coordinacion|coordinad[oa]s? por",
        ),
        (
            "review(?:ed|s|ers?)?|revis(?:o|a|aron|an)|revisor(?:es|a|as)?",
            "reviewers?|reviewed by|revisor(?:es|a|as)?|revisad[oa]s? por",
        ),
        (
            "maintain(?:ed|s|ers?)?|mantienen?|mantenedor(?:es|a|as)?",
            "maintainers?|maintained by|mantenedor(?:es|a|as)?|mantenid[oa]s? por",
        ),
        (
            "prepar(?:ed|es?|o|a|aron)|elabor(?:o|a|aron)|drafted|drew up",
            "(?:prepared|drafted|drawn up) by|(?:preparad|elaborad)[oa]s? por",
        ),
    )
)
_LINE = re.compile(  # "Editors: A. Haldorsen, I. Bakare"
    r"((?:[^\W\d_]{1,20} ){0,3}[^\W\d_]{2,20})(?::| \|) (?:[^\W\d_]{1,6}\. ?){0,4}[A-ZÁÉÍÓÚÜÑ][\w'’-]"
)


# "was stolen", "se descubrieron", "Built: 1998"; who did it stands behind "by". Of folded text.
_PASSIVE = re.compile(
    r"\b(?:was|were|been|being)\b(?: \w{1,12}){0,2} \w{2,20}(?:ed|en|wn|ld|lt|nt|ght|ung|ost|de|ut|id)\b"
    r"|\bse (?:\w{2,20}(?:aron|ieron|io|o))\b|\b(?:fue|fueron|sido) \w{2,20}[aeiu]d[oa]s?\b"
    r"|^[a-z]{2,20}(?:ed|lt|do|da): "
)
_TO_WHOM = re.compile(
    r"\bwho(?:m)? (?:was|were|is|are|got|has been|have been) |\ba quien(?:es)?\b"
    r"|\bquien(?:es)? (?:fue|fueron|es|son|ha sido|han sido) "
)
_BY = re.compile(r"\b(?:by|por|de mano de|a cargo de)\b")


def asks_to_whom(question: str) -> bool:
    """Whether it is asked to whom something was done: "Who was injured?"."""
    return _TO_WHOM.search(fold_latin(question[:LONGEST])) is not None


def leaves_out_who(sentence: str) -> bool:
    """Whether it says that something was done, and not by whom."""
    folded = fold_latin(sentence[:LONGEST])
    return _PASSIVE.search(folded) is not None and _BY.search(folded) is None


class AskedRole:
    """The role of the person that a question asks for, if it is one of those that documents name their people by."""

    def __init__(self, question: str) -> None:
        is_who = kind_of_question(question) is Wish.PERSON
        folded = fold_latin(question[:LONGEST]) if is_who else ""
        found = [(match.start(), says) for asks, says in _ROLES if (match := asks.search(folded))]
        self._says = min(found, key=lambda one: one[0])[1] if found else None
        self._office = asked_office(question) if is_who else ""

    def is_named_in(self, sentence: str, asked: frozenset[str]) -> bool:
        """Whether a sentence or a line has the role and a name; `asked`: the question's own words, folded."""
        if self._office and self._is_held_in(sentence):
            return True
        if self._says is None or not self._says.search(fold_latin(sentence[:LONGEST])):
            return False
        return names_its_people(sentence) or has_kind(sentence, Wish.PERSON, asked) is True

    def _is_held_in(self, sentence: str) -> bool:
        if is_signed(sentence) or is_field(sentence):
            return holds_office(self._office, sentence) and not has_other_rank(self._office, sentence)
        return names_holder(self._office, sentence)


def names_its_people(line: str) -> bool:
    """Whether a line says alone who has a role: "Docente: Prof. Ana Gil" is no sentence, and says it."""
    if not (found := _LINE.match(line)):
        return False
    return any(says.search(fold_latin(found[1])) for _asks, says in _ROLES)
