"""python -m bench.boxes FOLDER [--most 80] [--only NAME]… [--wrong]: whether boxes hold exactly the words cited.

Reads each PDF as ingestion does, takes sentences of it spread over its pages (as `chat.citing` tells sentences, and
the parts of one that stands on two pages each by itself), has each located, and asks PDFium by itself what is printed
in the boxes: a second way, which knows nothing of the alignment. A table by document, and how long it took.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pypdfium2

from bench.answers.papers import squeeze
from corpora.media_types import PDF
from corpora.reader.locating import Match, locate_on_page
from corpora.reader.png import png_of
from corpora.reader.printed import Box, PageCharacters, PagePixels, PageRequest
from retrieval.text.lines.sentences import statements
from workers.ingestion.extract.extracted import Extracted, PageSpan
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.reading import ReadRequest
from workers.ingestion.sandbox.pool import close_sandbox, read_in_sandbox, show_in_sandbox

INSET_ACROSS, INSET_DOWN = 0.4, 0.3  # points, and share of a box's height: PDFium takes in what a rectangle touches
IMAGES = 5  # of each document
LEAST_LETTERS = 2


@dataclass
class Tally:
    sentences: int = 0
    by_match: dict[Match, int] = field(default_factory=lambda: dict.fromkeys(Match, 0))
    right: int = 0
    wrong: list[tuple[int, str, str]] = field(default_factory=list)
    locating: list[float] = field(default_factory=list)  # seconds
    reading: list[float] = field(default_factory=list)
    drawing: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=80)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--wrong", action="store_true")
    asked = parser.parse_args()
    print(f"{'document':44} asked exact part none right    ms: characters, boxes, image of 1,600 (p95)")
    everything = Tally()
    for path in sorted(asked.folder.rglob("*.pdf")):
        if asked.only and not any(name in path.name for name in asked.only):
            continue
        try:
            tally = tallied(path, asked.most)
        except ExtractionError as error:
            print(f"{path.name:44} {error.code}")
            continue
        tell(path.name, tally)
        for page, wanted, got in tally.wrong if asked.wrong else ():
            print(f"    p. {page}: {wanted!r}\n      got {got!r}")
        for one in ("locating", "reading", "drawing", "wrong"):
            getattr(everything, one).extend(getattr(tally, one))
        everything.sentences += tally.sentences
        everything.right += tally.right
        for match, count in tally.by_match.items():
            everything.by_match[match] += count
    tell("all", everything)
    close_sandbox()


def tallied(path: Path, most: int) -> Tally:
    extracted = read_in_sandbox(path, ReadRequest(PDF)).extracted
    document = pypdfium2.PdfDocument(path)
    tally = Tally()
    parts = list(parts_of(extracted))
    for page, start, end in parts[:: max(len(parts) // most, 1)][:most]:
        began = time.perf_counter()
        characters = show_in_sandbox(path, PageRequest(page.number))
        tally.reading.append(time.perf_counter() - began)
        assert isinstance(characters, PageCharacters)
        began = time.perf_counter()
        stored = extracted.text[page.start : page.end]
        located = locate_on_page(stored, start - page.start, end - page.start, characters)
        tally.locating.append(time.perf_counter() - began)
        tally.sentences += 1
        tally.by_match[located.match] += 1
        wanted = extracted.text[start:end]
        got = "".join(printed_in(document[page.number - 1], box) for box in located.boxes)
        if squeeze(got) == squeeze(wanted):
            tally.right += 1
        else:
            tally.wrong.append((page.number, wanted, got))
    for number in range(1, len(document) + 1, max(len(document) // IMAGES, 1)):
        began = time.perf_counter()
        pixels = show_in_sandbox(path, PageRequest(number, 1600))
        assert isinstance(pixels, PagePixels)
        png_of(pixels)
        tally.drawing.append(time.perf_counter() - began)
    return tally


def parts_of(extracted: Extracted) -> Iterator[tuple[PageSpan, int, int]]:
    """Sentences, cut where a page ends."""
    spans = statements(extracted.text)
    at = 0
    for page in extracted.pages:
        while at < len(spans) and spans[at][1] <= page.start:
            at += 1
        for start, end in spans[at:]:
            if start >= page.end:
                break
            part = max(start, page.start), min(end, page.end)
            if len(squeeze(extracted.text[slice(*part)])) >= LEAST_LETTERS:
                yield page, *part


def printed_in(page: Any, box: Box) -> str:
    """What PDFium finds in a box, for pages that are not turned."""
    left, bottom, right, top = page.get_bbox()
    inset = INSET_DOWN * (box[3] - box[1])
    return str(
        page.get_textpage().get_text_bounded(
            left=left + box[0] * (right - left) + INSET_ACROSS,
            right=left + box[2] * (right - left) - INSET_ACROSS,
            top=top - (box[1] + inset) * (top - bottom),
            bottom=top - (box[3] - inset) * (top - bottom),
        )
    )


def tell(name: str, tally: Tally) -> None:
    if not tally.sentences:
        return
    counts = " ".join(f"{count:5}" for count in tally.by_match.values())
    times = (tally.reading, tally.locating, tally.drawing)
    took = ", ".join(
        f"{1000 * median(one):.0f} ({1000 * quantiles(one, n=20)[-1]:.0f})" for one in times if len(one) > 1
    )
    print(f"{name:44} {tally.sentences:5} {counts} {tally.right / tally.sentences:6.3f}  {took}")


if __name__ == "__main__":
    main()
