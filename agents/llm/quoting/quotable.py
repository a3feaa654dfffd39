"""The sentences of a passage that can be quoted by themselves. Pure."""

import re
import unicodedata
from collections.abc import Iterator

from retrieval.context.compression import ELISION
from retrieval.text.references import heading_key
from retrieval.text.sentences import sentences

CHARACTERS = range(20, 1_201)  # of a sentence that reads well by itself; a long one is quoted in part
FEWEST_WORDS = 4
WORDS_WITHOUT_STOP = 12  # what ends without a stop and has fewer is a title
MOST_SYMBOLS = 2  # arrows, bars, emoji
LONGEST_HEADING = 10  # words of a sentence that names an article or a chapter and says no more

_FENCE = re.compile(r"^(```|~~~).*?^\1.*?$", re.M | re.S)
_HEADING = r"^\s*#{1,6}\s|^\s*\[\d+\]:|^[^a-záéíóúüñ]{12,}$"  # Markdown's, a reference, or capitals only
_TABLE = r"^\s*\||\|.*\||^\W*(?:\d+\W*)?$"
# A gazette's own lines, contents, page numbers, templates.
_FURNITURE = r"^\s*cve:|\bISSN\b|\.{4,}|(?:\s\.){4,}|\b[Pp][áa]g(?:ina|e)?s?\.?\s*\d+\s*$|\{[%{]"
_DEBRIS = re.compile("|".join((_HEADING, _TABLE, _FURNITURE)))
_ITEM = re.compile(r"^\s*(?:[-*+•▪◦–—]|\(?\d{1,3}[.)º]|\d{1,3}(?:\.\d{1,3})+\.?|\(?[a-zñ][.)])\s+")
_PAGE_NUMBER = re.compile(r"^\d{1,4}\s+(?=[A-ZÁÉÍÓÚ]{4,})")
_WORD = re.compile(r"[^\W\d_]{2,}")
_HYPHENATED = re.compile(r"(?<=\w)[-\u00ad]\n\s*(?=[a-záéíóúüñ])")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^)\[\]\n]*\)")
_MARKS = re.compile(
    r"\*\*|__|~~|(?:(?<!\s)\s+|(?<!\w))\[\d{1,3}(?:[,\s–-]+\d{1,3})*[,\s–-]*\]|</?[a-zA-Z][^<>]{0,400}>|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)


def quotable(passage: str) -> Iterator[str]:
    """The sentences of `passage` in order: lines joined, headings, tables and page furniture left out."""
    for paragraph in _paragraphs(_FENCE.sub("\n", passage).replace(ELISION, "\n\n")):
        spoken = _LINK.sub(r"\1", paragraph)
        for start, end in sentences(spoken, shortest=1):
            clean = " ".join(_MARKS.sub("", spoken[start:end]).split())
            clean = _PAGE_NUMBER.sub("", _ITEM.sub("", clean))
            if clean.count('"') % 2:
                clean = clean.replace('"', "")
            if len(clean) in CHARACTERS and len(_WORD.findall(clean)) >= FEWEST_WORDS and _reads(clean):
                yield clean


def _reads(sentence: str) -> bool:
    """A statement in words: no question, title, row of numbers, nor a sentence without its beginning."""
    letters = sum(c.isalpha() or c == " " for c in sentence)
    symbols = sum(unicodedata.category(c) in {"So", "Sm"} for c in sentence)
    first, last = sentence.lstrip("¿¡«“\"'(`")[:1], sentence.rstrip("»”\"')`")[-1:]
    whole = last in {".", "!", "…"} or (last not in ",;-(?" and len(sentence.split()) >= WORDS_WITHOUT_STOP)
    if heading_key(sentence) and len(sentence.split()) <= LONGEST_HEADING:
        return False
    is_beginning = not first.islower() or sentence.startswith("`")  # a name in code begins as it is written
    return whole and letters >= 0.75 * len(sentence) and symbols <= MOST_SYMBOLS and is_beginning


def _paragraphs(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*_HYPHENATED.sub("", text).splitlines(), ""]:
        stops = not line.strip() or _DEBRIS.search(line) is not None
        if (stops or _ITEM.match(line)) and lines:
            yield " ".join(lines)
            lines = []
        if not stops:
            lines.append(line.strip().lstrip("> "))
