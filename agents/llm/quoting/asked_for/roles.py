"""Who did what: "Who edited it?" is answered where an editor is named, whatever the word for it. Pure."""

import re

from agents.llm.quoting.asked_for.kinds import Wish, has_kind, kind_of_question
from retrieval.text.folding import fold_latin

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

# Of anybody it can be said, in other words ("la encargada", "written by").
_ANYBODY = re.compile(
    r"person\w{0,2}|people|m[ae]n|wom[ae]n|hombre|mujer|ones?|first|second|last|main|primer\w?|segund[oa]|ultim[oa]"
    r"|principal|responsable|encargad[oa]|auth?or\w{0,2}"
)
_OFFICE = re.compile(
    r"^\W{0,9}(?:quien(?:es)? (?:es|son|fue|era)|who(?: is|'s| was| are)) "
    r"(?:el|la|los|las|the) (?:current )?([^\W\d_]{4,30})"
)
_IS = re.compile(
    r"\b(?:es|son|era|eran|fue|fueron|sera|seran|ser|is|are|was|were|be|means|includes?|became|becomes?|as|como"
    r"|considera\w{0,4}|entiende\w{0,2}|entendera\w{0,2}|condicion|consideracion|significan?|comprenden?|incluyen?"
    r"|(?:nombrad|elegid|designad)[oa]s?|named|elected|appointed)\b|:"
)


def asked_office(question: str) -> str:
    """What somebody is of whom a question asks who it is, folded: "captain" of "Who is the captain of the ship?"; ""
    where it asks otherwise, or for what is said in many words."""
    found = _OFFICE.match(fold_latin(question[:LONGEST]))
    return found[1] if found and not _ANYBODY.fullmatch(found[1]) else ""


def says_who_is(sentence: str) -> bool:
    """Whether it says of anything what that is: "the owner is the patient" answers without a name."""
    return _IS.search(fold_latin(sentence[:LONGEST])) is not None


class AskedRole:
    """The role of the person that a question asks for, if it is one of those that documents name their people by."""

    def __init__(self, question: str) -> None:
        is_who = kind_of_question(question) is Wish.PERSON
        folded = fold_latin(question[:LONGEST]) if is_who else ""
        found = [(match.start(), says) for asks, says in _ROLES if (match := asks.search(folded))]
        self._says = min(found, key=lambda one: one[0])[1] if found else None

    def is_named_in(self, sentence: str, asked: frozenset[str]) -> bool:
        """Whether a sentence or a line has the role and a name; `asked`: the question's own words, folded."""
        if self._says is None or not self._says.search(fold_latin(sentence[:LONGEST])):
            return False
        return names_its_people(sentence) or has_kind(sentence, Wish.PERSON, asked) is True


def names_its_people(line: str) -> bool:
    """Whether a line says alone who has a role: "Docente: Prof. Ana Gil" is no sentence, and says it."""
    if not (found := _LINE.match(line)):
        return False
    return any(says.search(fold_latin(found[1])) for _asks, says in _ROLES)
