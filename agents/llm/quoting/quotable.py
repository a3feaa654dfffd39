"""Which sentences can be quoted by themselves, and without which marks. Pure."""

import re
import unicodedata
from collections.abc import Iterator

from agents.llm.quoting.asked_for.offices import is_signed
from agents.llm.quoting.asked_for.roles import names_its_people
from retrieval.text.folding import fold, fold_latin
from retrieval.text.lines.sentences import sentences
from retrieval.text.references import heading_key
from retrieval.text.stems import STOP_WORDS, WORD

CHARACTERS = range(20, 1_201)  # of a sentence that reads well by itself; a long one is quoted in part
FEWEST_WORDS = 4
WORDS_WITHOUT_STOP = 12  # what ends without a stop and has fewer is a title
MOST_SYMBOLS = 2  # arrows, bars, emoji
IN_LETTERS, IN_LETTERS_OF_MANY = 0.75, 0.5  # of what is no row of numbers; of what is in words and has a stop
MANY_WORDS = 8
WORDS_TO_A_FIGURE = 1.5  # of a short sentence with numbers
LONGEST_DATED = 120  # characters of a line that says when its document was approved
LONGEST_HEADING = 10  # words of a sentence that names an article or a chapter and says no more

_PAGE_NUMBER = re.compile(r"^\d{1,4}\s+(?=[A-ZÁÉÍÓÚ]{4,})")
_ITEM = re.compile(r"^\(?(?:\d{1,3}|[a-zñ])[.)º]\s+")
# Between two definitions of a list in one line: "…; (2) ‘skipper’ means …".
_DEFINITIONS = re.compile(r"(?<=[;:])\s(?=\(?(?:\d{1,3}|[a-zñ])[.)º]\s[«\"“‘'])")
_TERM = re.compile(r"[«\"“‘'][^«»\"“”‘’'\n]{2,60}[»\"”’'](?::\s|\s(?:means|significan?)\b)")
_VALUE = re.compile(r"[^\W\d_][^.:;?\n]{2,60}:\s(?=\S{0,12}\d)[^:;?\n]{1,60}")  # "Soporte mensual: 300 €/mes."
_DATED = re.compile(  # "Aprobada por el Consejo el 14 de mayo de 2025", "Last updated: 3 March 2025"; of folded text
    r"\b(?:aprobad|publicad|actualizad|revisad|modificad|firmad|fechad|vigente|en vigor|ultima (?:actualizaci|revisi)"
    r"|fecha de"
    r"|approved|adopted|published|updated|revised|amended|reviewed|issued|signed|dated|effective)"
    r"[^.\n]{0,80}\b(?:19|20)\d\d\s{0,3}(?:[·|(]|\Z)"  # which ends it: "Updated the 2023 notices" is no date
)
_MEANS = re.compile(r"(?:means|significan?)\s")
_WORD = re.compile(r"[^\W_]{2,}|(?<=\s)\d(?:[.,]\d)?(?=[\s%])")  # "We built 5 catamarans." has four
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_FIGURES = re.compile(r"\d[\d.,:/]{0,20}")
_LINK = re.compile(r"!?\[([^\[\]]*)\](\([^)\[\]\n]*\)|\[[^\[\]\n]*\])")
# "<requirement>" is a word of the text.
_TAGS = (
    "a|b|br|code|dd|details|div|dl|dt|em|h[1-6]|hr|i|img|kbd|li|ol|p|pre|small|span|strong|su[bp]|summary|t[dhr]|u|ul"
)
_MARKS = re.compile(
    r"(?:(?<!\s)\s+|(?<!\w))\[\d{1,3}(?:[,\s–-]+\d{1,3})*[,\s–-]*\]|`{3,}|~{3,}"
    rf"|</?(?i:{_TAGS})\b[^<>]{{0,400}}>"
)
# In pairs alone: "2**3" and "*.txt" are said as they are.
_EMPHASIS = (
    re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]+)(?<=[^\s*])\1(?![\w*])"),
    re.compile(
        r"(?<![\w_])(_{1,2})(?=[^\s_])([^_]*\W[^_]*)(?<=[^\s_])\1(?![\w_])|(?<!\w)(_)(?=\w)([^_]+)(?<=\w)_(?!\w)"
    ),
    re.compile(r"(?<!~)(~~)(?=[^\s~])([^~]+)(?<=[^\s~])~~(?!~)"),
)
_DOUBLED = ("**", "__")
_LOST = re.compile(r"(?<=[^\w\s*])(?:\*\*|__)(?=\s|\Z)")  # behind a stop or a colon: "char** names" has none
_CODE = re.compile(r"(`[^`\n]*`)")
_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~]")
_BEGINS_A_LIST = re.compile(r"^(\d{0,9})([.)+-])(?=\s|$)")
_BRACKETED = re.compile(r"\[(\d{1,3}(?:\s*(?:[,;–-]|y|and)\s*\d{1,3})*)\]")


def quotable(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, or of an item, that say something by themselves, in order. A short one goes with
    the one behind it: "No. Se puede en las prácticas." """
    spoken = unmarked(paragraph)
    for said in (one for start, end in sentences(spoken) for one in _DEFINITIONS.split(spoken[start:end])):
        clean = _PAGE_NUMBER.sub("", _ITEM.sub("", said))
        clean = _without_halves(clean)
        if names_its_people(clean) or is_signed(clean) or (len(clean) in CHARACTERS and _TERM.match(clean)):
            yield clean.rstrip(",;")
        elif (
            is_named_value(clean)
            or dates_its_document(clean)
            or (len(clean) in CHARACTERS and len(_WORD.findall(clean)) >= FEWEST_WORDS and _reads(clean))
        ):
            yield clean


def _without_lost_marks(text: str) -> str:
    """Without a "**" or "__" whose other half stands in another passage: "Fix:** See …"; "**kwargs" is said so."""
    for mark in _DOUBLED:
        if text.count(mark) == 1:
            text = _LOST.sub("", text if text[len(mark) : len(mark) + 1].islower() else text.removeprefix(mark))
    return text


def _without_halves(sentence: str) -> str:
    """Without a quotation mark, or a mark of emphasis at its ends, whose other half stands in another sentence."""
    sentence = _without_lost_marks(sentence)
    if sentence.count('"') % 2:
        sentence = sentence.replace('"', "")
    if sentence[:1] in ("*", "_") and sentence.count(sentence[0]) == 1 and not sentence[1:2].islower():
        sentence = sentence[1:]
    if sentence[-1:] in ("*", "_") and sentence.count(sentence[-1]) == 1:
        sentence = sentence[:-1]
    return sentence


def unmarked(line: str) -> str:
    """On one line, without marks of emphasis, links and the numbers of references; code stays as it is."""
    pieces = _CODE.split(_LINK.sub(_linked, line))
    plain = " ".join("".join(one if place % 2 else _plain(one) for place, one in enumerate(pieces)).split())
    return _without_lost_marks(plain)


def _linked(link: re.Match[str]) -> str:
    """Its text; also of a link to what is defined elsewhere, "[text][name]", but neither "[3][4]" nor "a[i][j]"."""
    before = link.string[max(link.start() - 1, 0) : link.start()]
    is_index = link[2].startswith("[") and (before.isalnum() or not any(map(str.isalpha, link[1])))
    return link[0] if is_index else link[1]


def _plain(text: str) -> str:
    text = _MARKS.sub("", text)
    for emphasis in _EMPHASIS:
        text = emphasis.sub(lambda found: found[2] if found[2] is not None else found[4], text)
    return text


def shown(text: str) -> str:
    """As Markdown in which the document's own numbers in brackets cite nothing: "lista[2]" is no source."""
    pieces = _CODE.split(text)
    return "".join(one if place % 2 else _BRACKETED.sub(r"[\1\\]", one) for place, one in enumerate(pieces))


def title_shown(text: str) -> str:
    """A heading or a title of a document as Markdown that says its words on one line, and is nothing else: no link, no
    emphasis, no heading or list, and no source."""
    return _BEGINS_A_LIST.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\g<0>", unmarked(text)))


def is_credit(sentence: str) -> bool:
    """Names between dots, as at the foot of a page: "Curso de Python · Academia Aurora." """
    return " · " in sentence and _are_names(sentence)


def names_alone(sentence: str) -> bool:
    """Names between dashes, as below a title: "Sistemas Operativos — Grado en Ingeniería"."""
    return (" — " in sentence or " – " in sentence) and _are_names(sentence)


def _are_names(sentence: str) -> bool:
    said = (word for word in WORD.findall(sentence) if fold(word) not in STOP_WORDS)
    return not any(word[0].islower() for word in said)


def is_named_value(sentence: str) -> bool:
    """Whether a sentence is a name and its number, which need no further word."""
    return is_ended(sentence) and sentence[0].isupper() and _VALUE.fullmatch(sentence) is not None


def dates_its_document(line: str) -> bool:
    """Whether a line, as below a title, says when something was approved, published or brought up to date: it answers
    without being a sentence."""
    return len(line) <= LONGEST_DATED and line[:1].isupper() and _DATED.search(fold_latin(line)) is not None


def is_ended(sentence: str) -> bool:
    """By its mark, or behind it by what closes."""
    return sentence.rstrip("»”\"')`")[-1:] in {".", "!", "…"}


def goes_on_from_its_heading(sentence: str) -> bool:
    """Whether a sentence has its subject in the heading above it: "1.1. "Borrower"", and below it "means …"."""
    return _MEANS.match(sentence) is not None


def _reads(sentence: str) -> bool:
    """A statement in words: no question, title, row of numbers, nor a sentence without its beginning."""
    first, last = sentence.lstrip("¿¡«“\"'(`")[:1], sentence.rstrip("»”\"')`")[-1:]
    whole = is_ended(sentence) or (last not in ",;-(?" and len(sentence.split()) >= WORDS_WITHOUT_STOP)
    if heading_key(sentence) and len(sentence.split()) <= LONGEST_HEADING:
        return False
    if is_credit(sentence):
        return False
    is_beginning = not first.islower() or sentence.startswith("`")  # a name in code begins as it is written
    is_beginning = is_beginning or goes_on_from_its_heading(sentence)
    return whole and is_beginning and _is_in_words(sentence)


def _is_in_words(sentence: str) -> bool:
    """Whether it is no row of numbers or signs: "Argel perdió de 30 000 a 50 000 habitantes en 1620-21, y de nuevo …"
    has its words, "a 28.5°E" its degrees, and "En 2024 volamos 212.000 kilómetros." enough of them."""
    letters = sum(c.isalpha() or c == " " for c in sentence)
    said = len(_LETTERS.findall(sentence))
    is_said = said >= MANY_WORDS or FEWEST_WORDS <= said >= WORDS_TO_A_FIGURE * len(_FIGURES.findall(sentence))
    if is_ended(sentence) and is_said:
        return letters >= IN_LETTERS_OF_MANY * len(sentence)
    symbols = sum(unicodedata.category(c) in {"So", "Sm"} for c in sentence)
    return letters >= IN_LETTERS * len(sentence) and symbols <= MOST_SYMBOLS
