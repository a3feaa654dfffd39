"""Exact terms of a question: codes, identifiers, references and quoted phrases, and which text has them. Pure.

An analyser of words takes "14.2" apart into 14 and 2, which stand in every statute, and loses that "artículo 14.2",
"Art. 14.2" and "§ 14.2" are one thing. An exact term is kept whole: a passage has it or has it not. (SPEC §4;
information-layer, open question 5: "error code 503".)

Known: quoted phrases; `code`; references with a number (artículo/art./article/section/§ 14.2); codes (error 503,
HTTP 404); designations (RFC 2119, ISO-9001, CVE-2021-44228, V3.2.1); programs with their number (Windows 11); requests
and paths (GET /v1/models); snake_case, camelCase, dotted.names and --options; versions and numbers with points (2.5.1).

A reference is first looked up among the sections (`retrieval.places`): one that was found there is no term any more,
for "14.2" stands nowhere in "Artículo 14 … 2.". What follows holds for documents whose sections are not known. Measured
on four Spanish statutes, 149 articles asked for by number, "¿Qué dice el artículo N de …?" and "art. N de …", share
whose passage is first / among five / among eight (top-k):

    words alone          .221  .664  .805        .302  .664  .705
    terms in coverage    .389  .919  .960        .477  .879  .946
    and in the order     .477  .960  .960        .611  .953  .953

XQuAD, where one question in fifty has a term, stays as it is (hit@1 .950 en, .930 es).
"""

import re
from dataclasses import dataclass, field
from itertools import islice

from retrieval.text.folding import fold_latin
from retrieval.text.stems import stems

MOST_TERMS = 8
LONGEST_QUESTION = 2_000  # characters that are looked through
LONGEST_PHRASE = 120
# The kinds without which a passage is of no use; a number may be written otherwise.
ASKED_FOR = frozenset({"reference", "code", "designation", "version", "request", "path"})

# Of folded text, as all of the patterns that look into passages; the finders read the question as it was written.
# What may repeat is counted: without an end, a passage of nothing but such signs takes the square of its length.
_GAP = r"\s{0,9}"
_PART = rf"(?:articulos?|arts?|articles?|seccion|sections?|sec|apartado|§{{1,9}})\.?{_GAP}(?:n\.?[ºo]{_GAP})?"
_CODE = r"(?:errors?|errores|c[oó]digos?|codes?|status|estado|http|errno|exit)"
_NUMBER = r"\d+(?:\.\d+)*"
# Programs that are told apart by a number without a point: "Windows 11".
_PROGRAMS = (
    "Windows|Office|Word|Excel|Outlook|Access|Android|iOS|macOS|Debian|Ubuntu|Fedora|Python|Java|PHP|Node|Django|Angular"
    "|PostgreSQL|MySQL|Oracle|Firefox|Chrome|Acrobat|Moodle|Drupal|Odoo"
)
# In the order in which they are looked for: what an earlier one has taken, a later one does not see.
_FINDERS = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "phrase": rf"[\"“«`]([^\"“”«»`\n]{{2,{LONGEST_PHRASE}}})[\"”»`]",
        "request": r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(/[\w/{}:.%-]*\w\}?)",
        "path": r"(?<![\w/])(?:https?:/)?(/[\w{}:.%-]+(?:/[\w{}:.%-]*\w\}?)+)",
        "reference": rf"(?i:(?<![\w§]){_PART.replace('cion', 'ci[oó]n').replace('arti', 'art[ií]')})"
        rf"({_NUMBER}(?:\s?(?i:bis|ter|quater))?)(?!\w)",
        "code": rf"(?i:\b{_CODE})[\s:]+(?:(?i:{_CODE}|n\.?º)\s+)?#?(\d{{2,}})(?![\w.]\w)",
        "name": r"(?<![\w.-])(--\w[\w-]+|\w+(?:_\w+)+|\w*[a-záéíóúñ][A-Z]\w*|[^\W\d_]\w+(?:\.[^\W\d_]\w+)+)",
        "designation": r"\b([A-Z]{2,6}(?:/[A-Z]{1,6})?[\s-]?\d[\d./:-]*\b(?:-[A-Z0-9]+)*"
        r"|[A-Z]-?\d+(?:\.\d+){0,5})(?!\w)",
        "version": rf"\b((?:{_PROGRAMS}) \d{{1,3}})(?![\w.])",
        "number": r"(?<![\w.,/])(\d+(?:[./]\d+)+)(?!\w|\.\d)",
    }.items()
}
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_HEADED = rf"(?:^|\n)#{{1,9}}{_GAP}|(?:^|\s)>\s"  # in Markdown, or in the path of headings above a passage
_BEFORE, _AFTER = r"(?<![^\W_])", r"(?![^\W_])"


@dataclass(frozen=True, slots=True)
class ExactTerm:
    """`text` as it was asked, `stems` the stems of its words, `pattern` what a folded text must match to have it."""

    text: str
    stems: tuple[str, ...]
    pattern: re.Pattern[str] = field(repr=False)
    must_hold: str = field(repr=False)  # a piece without which the pattern cannot match: a cheap first look
    kind: str = ""  # of the finders: "reference", "code", …
    is_asked_for: bool = False  # who asks for this has no use for passages without it: an article, an error's number

    def is_in(self, folded: str) -> bool:
        """Whether a text, folded by `folding.fold_latin`, has the term, and not inside a longer one."""
        return self.must_hold in folded and self.pattern.search(folded) is not None


def exact_terms(question: str) -> tuple[ExactTerm, ...]:
    """The question's exact terms in order of appearance, each once, at most MOST_TERMS.

    Of a reference there are two: the part wherever it is named, and the part itself where it is headed.
    """
    found = [
        ExactTerm(
            whole.strip(),
            tuple(stems(whole)),
            re.compile(make(core)),
            max(_PIECE.findall(core), key=len),
            kind,
            is_asked_for=kind in ASKED_FOR and make is not _heading,
        )
        for whole, kind, core in _find(question[:LONGEST_QUESTION])
        for make in _PATTERNS.get(kind, (_literal,))
    ]
    return tuple({term.pattern.pattern: term for term in found}.values())[:MOST_TERMS]


def _find(question: str) -> list[tuple[str, str, str]]:
    """(as it was asked, kind, folded core) in order of appearance."""
    found = []
    for kind, finder in _FINDERS.items():
        for match in islice(finder.finditer(question), MOST_TERMS):
            core = fold_latin(match.group(1))
            if _PIECE.search(core):
                found.append((match.start(), (match.group(), kind, core)))
        question = finder.sub(_blank, question, count=MOST_TERMS)
    return [item for _, item in sorted(found)[:MOST_TERMS]]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _literal(core: str) -> str:
    """The signs as they are."""
    return rf"(?<!\w){re.escape(core)}(?!\w)"


def _flexible(core: str) -> str:
    """Letters and numbers in their order, whatever sign or space is between them: ISO-9001, ISO 9001, ISO9001."""
    return _BEFORE + r"[\s/.:_?-]{0,2}".join(_PIECE.findall(core)) + _AFTER


def _version(core: str) -> str:
    """A program's name and its number, which may be one of several: "Windows 10 and 11"."""
    name, number = core.split()
    return rf"{_BEFORE}{name}\W{{1,2}}(?:\d{{1,3}}\W{{1,2}}(?:(?:and|or|y|o)\W)?){{0,3}}{number}{_AFTER}"


def _phrase(core: str) -> str:
    """A phrase's words one after the other, whatever signs are between them."""
    return _BEFORE + r"[\W_]+".join(map(re.escape, _WORD.findall(core))) + _AFTER


def _reference(core: str) -> str:
    """The number after a word for a part, or heading one; a part of it is it, too: 14.2 is of 14."""
    return rf"(?:(?<!\w){_PART}|{_HEADED}){re.escape(core)}".replace(r"\ ", r"\s?") + _AFTER


def _heading(core: str) -> str:
    """The same at the beginning of a line or behind a sentence: the part itself, and not another that refers to it.

    Without a word for a part only a number with a point at the beginning of a line is believed; one without might
    number a list.
    """
    marks = r"[#*\s]{0,9}"
    bare = rf"(?:^|\n){marks}|" if "." in core else ""
    return rf"(?:{_HEADED}|{bare}(?:^|\n|[.:;]){marks}{_PART}){re.escape(core)}".replace(r"\ ", r"\s?") + _AFTER


def _number(core: str) -> str:
    """The number alone, not as a part of a longer one: 503, not 1.503 nor 503.1."""
    return rf"(?<![\w.,/]){re.escape(core)}(?![^\W_]|[.,/]\d)"


def _path(core: str) -> str:
    """A path to its end: /v1/models, not /v1/models-old nor /v1/models/7."""
    return rf"(?<!\w){re.escape(core)}(?![\w-]|/\w)"


_WORD = re.compile(r"[^\W_]+")
_PATTERNS = {
    "phrase": (_phrase,),
    "request": (_path,),
    "path": (_path,),
    "reference": (_reference, _heading),
    "code": (_number,),
    "designation": (_flexible,),
    "version": (_version,),
    "number": (_number,),
}
