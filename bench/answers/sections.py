"""Where the sections of a paper are, by rule: headings in the order of their numbers, outside tables of contents."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from bench.answers.numbers import ORDINALS, ROMANS, WORDS
from bench.answers.papers import Paper, squeeze

_AHEAD = 3  # a number that leaps further is a reference at the beginning of a line, no heading
_NUMBER = r"(?P<number>\d{1,3}(?: (?:bis|ter|quater))?|[a-záéíóú]+(?: [a-záéíóú]+){0,3}|único)"
_KINDS = {
    "articulo": re.compile(rf"^Artículo {_NUMBER}\.", re.M),
    "disposicion": re.compile(
        r"^Disposición (?P<kind>adicional|transitoria|derogatoria|final) (?P<number>[a-záéíóú]+(?: [a-záéíóú]+)?)\."
        r"(?!.*\.{3})",
        re.M,
    ),
    "anexo": re.compile(r"^ANEXO (?P<number>[IVXL]+)\b", re.M),
    "requirement": re.compile(r"^V?(?P<number>\d{1,2}\.\d{1,2}\.\d{1,2}) (?=Verif)", re.M),
    "clause": re.compile(r"^V(?P<number>\d{1,2}\.\d{1,2}) (?=[A-ZÁÉÍÓÚ])(?!.*(?:\.{4}|\s\.\s\.))", re.M),
    "chapter": re.compile(r"^(?:Chapter|CHAPTER) (?P<number>\d{1,2})(?:\.| ?[-–]) .*[^\d\s]\s*$", re.M),
    "appendix": re.compile(r"^Appendix (?P<number>[A-Z])\. .*[^\d\s]\s*$", re.M),
    "table": re.compile(r"^Table (?P<number>\d{1,2})\. (?!.*continued)", re.M),
}
_MARKDOWN = re.compile(r"^#{2,4} (?P<number>.+)$", re.M)
_LONGEST = {"table": 1_500, "requirement": 1_200}  # characters: what follows it before the next is not of it
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_SIGNS = re.compile(r"#*")
_SAME = {
    "requirement": "V?", "clause": "V?", "chapter": "(?:chapter|cap[íi]tulo|unidad|unit|tema|u) ?0?",
    "appendix": "(?:appendix|annex|anexo|ap[ée]ndice) ", "table": "(?:table|tabla|cuadro) ",
}  # fmt: skip
_ENDS = ("articulo", "disposicion", "anexo")  # any of these ends any other of them


@dataclass(frozen=True, eq=False)
class Place:
    """A section of a paper: kind, number, heading line; `texts` are the squeezed texts of where it stands (more than
    one where a paper numbers twice), `pages` those of each."""

    paper: Paper
    kind: str
    number: str
    heading: str
    texts: list[str] = field(default_factory=list)
    pages: list[range] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)

    def has_page(self, page: int | None) -> bool:
        return any(page in pages for pages in self.pages) if self.paper.paged else True

    def holds(self, text: str) -> bool:
        """Whether a text begins in the section: its first forty letters and figures stand there."""
        wanted = squeeze(text)[:40]
        return bool(wanted) and any(wanted in text for text in self.texts)


def places_of(paper: Paper) -> list[Place]:
    """Every section, in order of appearance."""
    found: dict[tuple[str, str], Place] = {}
    heads = sorted(_headings(paper))
    for start, kind, number, heading in heads:
        end = next(
            (at for at, of, _, line in heads if at > start and _ends(kind, of) and not _below(heading, line)), None
        )
        most = start + _LONGEST.get(kind, 1 << 40)
        text, pages = _span(paper, start, min(end or most, most))
        place = found.setdefault((kind, number), Place(paper, kind, number, heading))
        place.texts.append(squeeze(text))
        place.raw.append(text)
        place.pages.append(pages)
    return list(found.values())


def _ends(kind: str, other: str) -> bool:
    if kind in _ENDS or kind.startswith("disposicion"):
        return other.startswith(_ENDS)
    return other == kind or (kind == "requirement" and other == "clause")


def _below(heading: str, other: str) -> bool:
    """Whether a Markdown heading is of a deeper level: it and its text are a part of the one above."""
    return heading.startswith("#") and len(_SIGNS.match(other)[0]) > len(_SIGNS.match(heading)[0])  # type: ignore[index]


def is_elsewhere(place: Place, papers: Iterable[Paper]) -> bool:
    """Whether another paper has a line that may be the same place, so that a question has to say whose it means."""
    names = _SAME.get(place.kind, "")
    if place.kind == "heading":
        wanted = squeeze(place.number)
        return any(wanted in _lines(paper) for paper in papers if paper is not place.paper)
    line = re.compile(rf"^{names}{re.escape(place.number)}(?:[.):]? |[.):]?$)", re.M | re.I)
    return any(line.search(page) for paper in papers if paper is not place.paper for page in paper.pages)


@cache
def _lines(paper: Paper) -> frozenset[str]:
    return frozenset(squeeze(line) for page in paper.pages for line in page.splitlines())


def _headings(paper: Paper) -> Iterator[tuple[int, str, str, str]]:
    """(place in the joined pages, kind, number, the line)."""
    joined, first = "", {}
    for page, text in enumerate(paper.pages, 1):
        first[page] = len(joined)
        joined += (" " * len(text) if paper.paged and paper.is_contents(page) else text) + "\n"
    last: dict[str, int] = defaultdict(int)
    kinds = _KINDS if paper.path.suffix != ".md" else {"heading": _MARKDOWN}
    for kind, pattern in kinds.items():
        for match in pattern.finditer(joined):
            number = _LINK.sub(r"\1", match["number"].strip())
            named = f"{kind} {match['kind']}" if kind == "disposicion" else kind
            count = _count(kind, number)
            if kind in ("articulo", "disposicion") and count is None:
                continue
            if kind == "articulo" and count is not None and not last[named] < count + 1 <= last[named] + _AHEAD + 1:
                continue
            if count is not None:
                last[named] = count
            line = joined[match.start() : joined.find("\n", match.start())]
            yield match.start(), named, _written(kind, number, count), _LINK.sub(r"\1", line.strip())


def _count(kind: str, number: str) -> int | None:
    if number.split()[0].isdigit():
        return int(number.split()[0])
    if kind == "disposicion":
        return ORDINALS.get(number)
    return ROMANS.get(number) if kind == "anexo" else WORDS.get(number)


def _written(kind: str, number: str, count: int | None) -> str:
    """The number in figures, with its "bis"."""
    if kind not in ("articulo", "disposicion", "anexo"):
        return number
    suffix = number.split()[1] if number.split()[0].isdigit() and " " in number else ""
    return f"{count} {suffix}".strip()


def _span(paper: Paper, start: int, end: int) -> tuple[str, range]:
    """The text between two places of the joined pages, and its pages from 1."""
    position, pieces, pages = 0, [], []
    for page, text in enumerate(paper.pages, 1):
        low, high = max(start, position), min(end, position + len(text))
        if low < high and text[low - position : high - position].strip():
            pieces.append(text[low - position : high - position])
            pages.append(page)
        position += len(text) + 1
    return "\n".join(pieces), range(pages[0], pages[-1] + 1) if pages else range(0)
