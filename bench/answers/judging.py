"""What became of each question, judged against the papers as the bench reads them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bench.answers.library import Library
from bench.answers.papers import Paper, squeeze
from bench.answers.references import Reference
from bench.answers.sections import Place

_CITED = re.compile(r"([^\n]*?)\s*\[(\d{1,2})\]")
_ELISION = re.compile(r"\s*(?:\[…\]|…|\[\.\.\.\])\s*")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^)\[\]\n]*\)")
_MARKS = re.compile(r"[*_`#>|]+")
_SHORTEST = 12  # letters and figures of a piece that can be looked for


@dataclass(frozen=True)
class Verdict:
    """Of a question that names a place. `page`: None where the format has none. `wrong_high`: high, and not it."""

    question: str
    form: str
    document: bool
    section: bool
    page: bool | None
    confidence: str
    state: str
    told: str

    @property
    def wrong_high(self) -> bool:
        return self.confidence == "high" and not (self.document and self.section)


def judge_reference(library: Library, reference: Reference, answer: dict[str, Any]) -> Verdict:
    sources = answer["sources"]
    first = sources[0] if sources else {}
    paper = library.papers.get(first.get("document") or "")
    meant = [place for place in reference.places if place.paper is paper]
    quoted = _quote_of_first(answer, first)
    section = any(_is_of(place, first, quoted) for place in meant)
    paged = any(place.paper.paged for place in reference.places)
    page = None
    if paged:
        page = section and any(place.has_page(first.get("page")) for place in meant)
        page = page and paper is not None and paper.stands_on(quoted, _page_of_first(answer, first))
    told = f"{first.get('title', '')[:40]} p{first.get('page')} {' > '.join(first.get('heading_path', []))[-60:]}"
    return Verdict(
        reference.text, reference.form, bool(meant), section, page, answer["confidence"], answer["state"], told
    )


def _quote_of_first(answer: dict[str, Any], first: dict[str, Any]) -> str:
    """What is shown of the first source: the sentence that is cited of it, else its snippet."""
    for one in answer["citations"]:
        if first and one["n"] == first["n"] and one.get("text"):
            return _piece(one["text"])
    return _piece(first.get("snippet", ""))


def _page_of_first(answer: dict[str, Any], first: dict[str, Any]) -> int | None:
    for one in answer["citations"]:
        if first and one["n"] == first["n"] and one.get("text") and one.get("page"):
            return int(one["page"])
    return first.get("page")


def _piece(text: str) -> str:
    """The longest piece between elisions."""
    return max(_ELISION.split(text), key=len, default="")


def _is_of(place: Place, first: dict[str, Any], quoted: str) -> bool:
    """Whether the first source is the place: what is shown of it stands there, or its heading is the place's own."""
    headings = [squeeze(part) for part in first.get("heading_path", [])]
    named = squeeze(place.heading)
    if headings and (headings[-1] == named or (len(named) > 12 and headings[-1].startswith(named[:40]))):
        return True
    return place.holds(quoted)


@dataclass(frozen=True)
class Quote:
    """A cited sentence of a work: does what is marked stand, or begin, on the page that is told; is the sentence inside
    the mark; and is the mark no longer than three of it? `page` is None where the format has no pages."""

    work: str
    kind: str
    sentence: str
    page: bool | None
    inside: bool
    tight: bool


def quotes_of(library: Library, answer: dict[str, Any]) -> Iterable[Quote]:
    """Every sentence that an answer cites, with what `citations` tells of it."""
    by_number = {source["n"]: source for source in answer["sources"]}
    told = list(answer["citations"])
    for match in _CITED.finditer(answer["content"]):
        sentence, n = _plain(match[1]), int(match[2])
        support = next((one for one in told if one["n"] == n), None)
        if support is not None:
            told.remove(support)
        source = by_number.get(n)
        paper = library.papers.get((source or {}).get("document") or "")
        if source is None or paper is None or len(squeeze(sentence)) < _SHORTEST:
            continue
        yield _quote(library, paper, source, support or {}, sentence)


def _read(mark: str, paper: Paper) -> str:
    """As people read it: of a Markdown link its words."""
    return _LINK.sub(r"\1", mark) if paper.path.suffix == ".md" else mark


def _plain(text: str) -> str:
    return _MARKS.sub("", re.sub(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+", "", text)).strip(' «»"“”')


def _quote(library: Library, paper: Paper, source: dict[str, Any], support: dict[str, Any], sentence: str) -> Quote:
    said = _piece(support.get("text") or sentence)
    page = support.get("page") or source.get("page")
    mark = ""
    if support.get("start") is not None:
        mark = _read(library.marked(source["document"], support["start"], support["end"]), paper)
    wanted = squeeze(_piece(sentence))
    inside = bool(mark) and wanted in squeeze(mark)
    return Quote(
        work=paper.group,
        kind="pdf" if paper.paged else paper.path.suffix[1:],
        sentence=sentence,
        page=paper.stands_on(said, page) if paper.paged else None,
        inside=inside,
        tight=inside and len(squeeze(mark)) <= 3 * max(len(wanted), 1),
    )


def holds_all(text: str, must: Iterable[str]) -> bool:
    """Whether a text has every one of what must be said, each in one of its spellings between bars."""
    squeezed = squeeze(text)
    return all(any(squeeze(one) in squeezed for one in either.split("|")) for either in must)
