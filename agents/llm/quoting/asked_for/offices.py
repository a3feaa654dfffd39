"""Who is what: "Who is the finance director?" is answered by a line that a letter ends with, and by no other director.
Pure."""

import re
from collections.abc import Sequence

from agents.llm.quoting.topic import Wording
from retrieval.text.folding import fold_latin
from retrieval.text.stems import words

LONGEST = 600  # characters of a question, and of a sentence, that are looked at
MOST_OF_AN_OFFICE = 5  # words
LONGEST_OFFICE = 80  # characters of a line
AND_BELOW = 2  # lines of a name and an office

# Of anybody it can be said, in other words ("la encargada", "written by").
_ANYBODY = re.compile(
    r"person\w{0,2}|people|m[ae]n|wom[ae]n|hombre|mujer|ones?|first|second|last|main|primer\w?|segund[oa]|ultim[oa]"
    r"|principal|responsable|encargad[oa]|auth?or\w{0,2}"
)
_ASKS = re.compile(
    r"^\W{0,9}(?:(?:qui[eé]n(?:es)? (?:es|son|fue|era)|who(?: is|'s| was| are)) "
    r"(?:el|la|los|las|the) (?:current |actual )?|(?:el |la |the )?(?:nombre del? (?:la )?|name of the )?(?=\w))",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\b(?:es|son|era|eran|fue|fueron|sera|seran|ser|is|are|was|were|be|means|includes?|became|becomes?|as|como"
    r"|considera\w{0,4}|entiende\w{0,2}|entendera\w{0,2}|condicion|consideracion|significan?|comprenden?|incluyen?"
    r"|(?:nombrad|elegid|designad)[oa]s?|named|elected|appointed|vacan(?:te|t)|sin cubrir|unfilled|nadie|nobody)\b|:"
)
_ASKS_NAME = re.compile(r"^\W{0,9}(?:(?:what (?:is|was)|cual (?:es|era)) )?(?:the |el )?(?:name of|nombre del?)\b")
# Of folded text.
OFFICES = (
    r"(?:(?:(?:vice|sub|co)-?)?(?:president[ea]|director|directora|secretari[oa]|chair(?:man|woman|person)?)"
    r"|tesorer[oa]|vocal|gerente|consejer[oa]|jef[ea]|responsable|coordinador|coordinadora|administrador|administradora"
    r"|alcalde|alcaldesa|concejal|concejala|decan[oa]|rector|rectora|arquitect[oa]|ingenier[oa]|delegad[oa]|encargad[oa]"
    r"|portavoz|fundador|fundadora|propietari[oa]|interventor|interventora|bibliotecari[oa]|conserje|capitan|presidencia"
    r"|president|secretary|treasurer|officer|manager|head|chief|ceo|cfo|cto|coo|mayor|councillor|governor|trustee|warden"
    r"|founder|owner|editor|captain|dean|curator|librarian|clerk|caretaker|engineer|coordinator|superintendent"
    r"|headteacher|headmaster|headmistress|bursar|registrar|convenor)s?"
)
_OFFICES = re.compile(rf"\b{OFFICES}\b")
_TITLED = r"(?:(?:Dr|Dra|Sr|Sra|Mr|Mrs|Ms|Prof|Don|Doña|Sir|Dame|D|Dª|Fdo|Signed)\b[.:]{0,2} ?){0,2}"
_PERSON = (
    rf"{_TITLED}[A-ZÁÉÍÓÚÜÑ][\w'’-]{{0,20}}\.?"
    r"(?: (?:(?:de|del|de la|de los|da|van|von|y|i|bin|al) )?[A-ZÁÉÍÓÚÜÑ][\w'’-]{0,20}\.?){1,4}"
)
_NAME = re.compile(rf"{_PERSON},?")
_SIGNED = re.compile(rf"(?P<name>{_PERSON})(?:(?:,| —| –| -|:)\s| \()(?P<office>[^.;:\n]{{3,{LONGEST_OFFICE}}})\)?\.?")
_RANKS = re.compile(
    r"\b(?:deputy|vice|assistant|honou?rary|de honor|honorari[oa]|saliente|former|outgoing|ex|emerit\w{1,2}|adjunt[oa]"
    r"|acting|interim|en funciones|hasta|until|antigu[oa])\b"
)
_APPOSED = r"(?P<office>(?:[^\W\d_]{2,20} ){0,3}[^\W\d_]{2,20})"
_BEFORE_AN_OFFICE = re.compile(rf"{_PERSON}(?:,| es| is) (?:the |el |la |su |its |our )?{_APPOSED}")
_BEHIND_AN_OFFICE = re.compile(rf"\b{_APPOSED}, {_PERSON}")
_ENDING_WORDS = "de del of at in en on for para que who that when during por with con"
OF_SEVERAL = frozenset({"first", "primer", "primera", "former", "last"})  # who have held an office
_ENDS = frozenset(_ENDING_WORDS.split())
_BESIDES = OF_SEVERAL | {"current", "actual", "new", "nuevo", "nueva", "own"}
_OF = frozenset({"de", "of"})
_ARTICLES = frozenset({"el", "la", "los", "las", "the", "a", "an", "this", "our", "su", "nuestro", "nuestra"})
_SAME = (  # of one office in several words, folded
    re.compile(r"\bceo\b|\bchief executive\b|\bconsejer[oa] delegad[oa]\b|\bdirector\w? ejecutiv[oa]\b"),
    re.compile(r"\bcfo\b|\bchief financial\b|\bfinance director\b|\bdirector\w? financier[oa]\b"),
)


def asked_office(question: str) -> str:
    """What somebody is of whom a question asks who it is: "captain" of "Who is the captain of the ship?"; "" where it
    asks otherwise, or for what is said in many words. Without "who" it has to be a word for an office."""
    asked = question[:LONGEST]
    if not (found := _ASKS.match(asked)):
        return ""
    office = " ".join(_until_whose(asked[found.end() :].split()))
    folded = fold_latin(office)
    is_who = found[0].strip(" ¿").lower()[:2] in ("qu", "wh")
    if (
        _OF.issuperset(words(folded))
        or (not is_who and not _OFFICES.match(folded))
        or _ANYBODY.fullmatch(folded.split()[0])
    ):
        return ""
    return folded


def _until_whose(said: Sequence[str]) -> Sequence[str]:
    """The first words, without that of which the office is: "head of sales" of the company, "head" of the school."""
    office: list[str] = []
    for place, word in enumerate(said[:MOST_OF_AN_OFFICE]):
        behind = said[place + 1] if place + 1 < len(said) else ""
        is_part = word.lower() in _OF and behind[:1].islower() and behind.lower() not in _ARTICLES
        if word.lower() in _ENDS and not is_part:
            break
        if word.endswith(("'s", "’s", "s'")):
            office.clear()
        elif word.lower() not in _BESIDES:
            office.append(word.strip("?.,!"))
    return office


def asks_name(question: str) -> bool:
    """Whether a name is asked for: "name of the ship"."""
    return _ASKS_NAME.search(fold_latin(question[:LONGEST])) is not None


def holds_office(office: str, text: str) -> bool:
    """Whether a text has an office by all of its words, or by those that another language or an abbreviation has."""
    folded = fold_latin(text[: 4 * LONGEST])
    if any(same.search(office) and same.search(folded) for same in _SAME):
        return True
    asked = [word for word in words(office) if word not in _OF]
    if not _OFFICES.search(office):
        return Wording(words(folded)).holds(asked[0]) > 0
    said = [word for word in words(folded) if word not in _OF]
    runs = (Wording(said[place : place + len(asked) + 1]) for place in range(len(said)))
    return any(all(map(run.holds, asked)) for run in runs)


def says_who_is(sentence: str) -> bool:
    """Whether it says of anything what that is: "the owner is the patient" answers without a name."""
    return _IS.search(fold_latin(sentence[:LONGEST])) is not None


def is_signed(line: str) -> bool:
    """Whether it is a name and an office, as below a letter: "Helen Marchetti, Chief Executive Officer"."""
    found = _SIGNED.fullmatch(line.strip()) if len(line) <= 3 * LONGEST_OFFICE else None
    return found is not None and _OFFICES.search(fold_latin(found["office"])) is not None


def names_holder(office: str, sentence: str) -> bool:
    """Whether a name stands right before or behind an office: "el tesorero, Ramiro Chulvi, explicó"."""
    if has_other_rank(office, sentence):
        return False
    found = (*_BEFORE_AN_OFFICE.finditer(sentence[:LONGEST]), *_BEHIND_AN_OFFICE.finditer(sentence[:LONGEST]))
    return any(holds_office(office, one["office"]) for one in found)


def has_other_rank(office: str, sentence: str) -> bool:
    """Whether somebody has the office in another way than is asked, "presidente de honor", or had it."""
    there, asked = (set(_RANKS.findall(fold_latin(said[:LONGEST]))) for said in (sentence, office))
    return not there <= asked


def signed_lines(lines: Sequence[str]) -> str:
    """A name and the office below it, or above it, as one line; "" of other lines."""
    if len(lines) != AND_BELOW or max(map(len, lines)) > LONGEST_OFFICE:
        return ""
    one, other = (line.strip().rstrip(",") for line in lines)
    name, office = (one, other) if _NAME.fullmatch(one) else (other, one)
    is_one = _NAME.fullmatch(name) is not None and _OFFICES.search(fold_latin(office)) is not None
    return f"{one}, {other}" if is_one and office[-1:] not in ".:;?" else ""
