"""What a document is called, where it does not say so plainly. Pure."""

import re
from collections.abc import Sequence
from itertools import islice

from retrieval.text.references import heading_key
from workers.ingestion.extract.extracted import Extracted, HeadingSpan

LOOKED_AT = 4_000  # characters from the beginning
LONGEST_NORM = 450
FIRST_LINES = 3  # a text without pages that names a law further down need not be it
_NORM = re.compile(
    r"^(?:\d{3,6} )?(?P<title>(?P<name>(?:Ley(?: Org[áa]nica)?|(?:Real )?Decreto(?:-[Ll]ey| [Ll]egislativo)?|"
    r"Orden|Reglamento|Directiva) (?:\([A-Z]{2,3}\) )?[A-Z/]{0,8}\d{1,4}/\d{2,4}), de [^\n]{1,449})",
    re.MULTILINE,
)
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
_BETWEEN_WORDS = re.compile(r"[\s_]+|(?<=[^\W\d_])-+(?=[^\W\d_])|(?<=\d)-+(?=[^\W\d_])")
_UNACCENTED = re.compile(r"(?<=[a-z]{2}[cs])ion\b", re.IGNORECASE)
_SMALL_WORDS = "a al and con de del e el en for in la las los o of on or para por the to u un una y"
_SMALL = frozenset(_SMALL_WORDS.split())


def title_of_file(filename: str) -> str:
    """A file's name as people write it: `quicksort_explicacion.txt` is `Quicksort Explicación`.

    Capitals and spaces that are there stay as they are; "-cion" and "-sion" get the accent that no Spanish word of
    theirs is without.
    """
    stem = _EXTENSION.sub("", filename).strip()
    words = [word for word in _BETWEEN_WORDS.split(stem) if word]
    if not words:
        return filename
    if " " not in stem and stem == stem.lower():
        words = [word if n and word in _SMALL else word[:1].upper() + word[1:] for n, word in enumerate(words)]
    return _UNACCENTED.sub("ión", " ".join(words))


def title_among(headings: Sequence[HeadingSpan]) -> str:
    """The first heading of level 1, unless it is but the first of several numbered parts."""
    highest = [heading.title for heading in headings if heading.level == 1]
    return "" if not highest or (len(highest) > 1 and heading_key(highest[0])) else highest[0]


def title_at_the_top(extracted: Extracted) -> str:
    """The only heading of level 1, where the text begins with it and others stand below; "" of any other text."""
    highest = [heading for heading in extracted.headings if heading.level == 1]
    if len(highest) != 1 or len(extracted.headings) == 1 or extracted.text[: highest[0].start].strip():
        return ""
    return "" if heading_key(highest[0].title) else highest[0].title[:LONGEST_NORM]


def title_of_first_lines(text: str) -> str:
    """The title of the law that a text begins with, on one of its first lines; "" of any other text."""
    lines = (line.lstrip("# ") for line in text[:LOOKED_AT].split("\n"))
    return title_of_norm("\n".join(islice(filter(None, lines), FIRST_LINES)), "")


def title_of_norm(text: str, declared: str) -> str:
    """The title of the law that the text begins with, where `declared` does not name its number; else `declared`."""
    found = _NORM.search(text[:LOOKED_AT])
    if not found or found["name"].split()[-1] in declared:
        return declared
    return found["title"].partition(". ")[0].strip().rstrip(".")[:LONGEST_NORM] or declared
