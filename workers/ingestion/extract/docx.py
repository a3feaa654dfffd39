"""DOCX: paragraphs, headings, lists and tables in document order.

python-docx opens the package; the body is then walked on its XML, because its `paragraph.style` and `.text`
cost 1.4 s on an 872-page handbook (this walk: 0.2 s) and pass over content controls and tracked insertions.
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import docx

from corpora.uploads.archives import ArchiveBomb, NotADocx, check_docx
from workers.ingestion.extract.canonical import clean, one_line
from workers.ingestion.extract.extracted import (
    MAX_HEADINGS,
    Extracted,
    HeadingSpan,
    PictureSpot,
    Span,
    furniture_of,
)
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.outline.contents import contents_lines
from workers.ingestion.extract.outline.faq import QUESTION_RANK, question_lines
from workers.ingestion.extract.outline.fonts import reads_as_title
from workers.ingestion.extract.outline.levels import FoundHeading, levels_of
from workers.ingestion.extract.outline.numbered import LONGEST_TITLE, numbered_lines, run_in_articles
from workers.ingestion.extract.outline.places import DECIMAL_RANK, numbered_place
from workers.ingestion.extract.outline.set_off import SetOff, set_off_lines
from workers.ingestion.extract.titles import title_among, title_of_first_lines
from workers.ingestion.extract.word.elements import elements_in, text_of
from workers.ingestion.extract.word.notes import Notes
from workers.ingestion.extract.word.pictures import Pictures, WordPicture
from workers.ingestion.extract.word.styles import (
    PLAIN,
    Numbering,
    Print,
    Styles,
    W,
    numbering_of,
    outline_level,
    print_of_paragraph,
    value,
)
from workers.ingestion.extract.word.tables import table_text
from workers.ingestion.pictures.formats import MOST_PICTURES

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Office wraps an encrypted DOCX in an OLE file
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_LINE_BREAK = re.compile(r"(?<![ \t])[ \t]*\n[ \t\n]*")  # the lookbehinds keep long runs linear
_TAB = re.compile(r"(?<! ) *\t[ \t]*")
_NO_TITLE = re.compile(r"(?:word )?document|documento|untitled|sin título|normal", re.IGNORECASE)
_INDENT = "  "
PLAIN_SIZE = 20  # half points of letters of which nothing is said
FEWEST_TITLED, LEAST_TITLED = 3, 0.7  # articles with a title on the line below them, and of all
LONGEST_TITLE_BELOW = 150
UNTOLD = -1  # the level of a heading that no style tells


@dataclass(frozen=True, slots=True)
class DocxBlock:
    """One paragraph, list item, table or note. `level` 0: not a heading.

    `in_list`: an item; `is_counted`: of a list that counts sections. `look`: of a paragraph's letters.
    """

    text: str
    level: int = 0
    is_title: bool = False
    in_list: bool = False
    is_contents: bool = False
    rank: int = 0  # of the place that a heading names
    is_counted: bool = False
    look: Print = PLAIN
    pictures: tuple[WordPicture, ...] = ()  # in it, or below it


def extract_docx(content: bytes) -> Extracted:
    """A DOCX as text; headings from heading styles and outline levels, where it has none from print; it has no pages.

    Raises ExtractionError: archive_bomb (before anything is unpacked), encrypted_document, corrupt_document;
    and whatever the libraries raise on a damaged package (`extract` makes it corrupt_document).
    """
    _check(content)
    document: Any = docx.Document(io.BytesIO(content))
    first, found = with_pictures(read_blocks(document))
    found = with_whole_titles(with_set_off_blocks(with_typed_contents(found)))
    declared = one_line(document.core_properties.title or "")
    return _assemble(with_numbered_blocks(found), "" if _NO_TITLE.fullmatch(declared) else declared, first)


def pictures_in_docx(content: bytes) -> Iterator[bytes]:
    """Those that can be drawn, in the order of their numbers. Raises as `extract_docx`."""
    _check(content)
    document: Any = docx.Document(io.BytesIO(content))
    for block in read_blocks(document):
        yield from (one.content for one in block.pictures)


def read_blocks(document: Any) -> Iterator[DocxBlock]:
    return body_blocks(
        document.element.body, Styles(document), Numbering(document), Notes(document), Pictures(document)
    )


def with_pictures(found: Iterable[DocxBlock]) -> tuple[tuple[WordPicture, ...], list[DocxBlock]]:
    """The blocks that have a text, with the pictures that stand in them and below; and those in front of all."""
    first: tuple[WordPicture, ...] = ()
    blocks: list[DocxBlock] = []
    for block in found:
        if block.text.strip():
            blocks.append(block)
        elif blocks and block.pictures:
            blocks[-1] = replace(blocks[-1], pictures=blocks[-1].pictures + block.pictures)
        else:
            first += block.pictures
    return first, blocks


def _check(content: bytes) -> None:
    if content.startswith(_OLE) and _ENCRYPTED_STREAM in content:
        raise ExtractionError("encrypted_document", cause="an encrypted Office file")
    try:
        check_docx(io.BytesIO(content))
    except ArchiveBomb as error:
        raise ExtractionError("archive_bomb", cause=str(error)) from error
    except NotADocx as error:
        raise ExtractionError("corrupt_document", cause=str(error)) from error


def _tidy(text: str) -> str:
    """A block's text; only the indentation of a nested list item survives in front."""
    return _LINE_BREAK.sub("\n", _TAB.sub(" ", clean(text).rstrip()))


def _assemble(found: list[DocxBlock], declared_title: str, first: tuple[WordPicture, ...] = ()) -> Extracted:
    parts: list[str] = []
    pictures = [(0, one) for one in first]
    headings: list[HeadingSpan] = []
    furniture: list[Span] = []
    position = 0
    title = ""
    previous: DocxBlock | None = None
    for block in found:
        text = one_line(block.text) if block.level else _tidy(block.text)
        if not text:
            continue
        together = previous is not None and (
            (previous.in_list and block.in_list) or (previous.is_contents and block.is_contents)
        )
        separator = "" if previous is None else "\n" if together else "\n\n"
        position += len(separator)
        if block.level and len(headings) < MAX_HEADINGS:
            headings.append(HeadingSpan(block.level, text, position, position + len(text)))
        if block.is_contents:
            furniture.append((position, position + len(text)))
        if block.is_title and not title:
            title = text
        parts += (separator, text)
        position += len(text)
        pictures += [(position, one) for one in block.pictures]
        previous = block
    whole = "".join(parts)
    return Extracted(
        whole,
        headings=tuple(headings),
        title=title or declared_title or title_among(headings) or title_of_first_lines(whole),
        furniture=furniture_of(furniture, position),
        pictures=tuple(
            PictureSpot(at, number, one.head.width, one.head.height, one.said)
            for number, (at, one) in enumerate(pictures[:MOST_PICTURES], 1)
        ),
    )


def with_typed_contents(found: list[DocxBlock]) -> list[DocxBlock]:
    """The blocks, those as contents that are typed as such and have no style that says it."""
    typed = contents_lines([[one_line(one.text) for one in found]])[0]
    return [replace(one, level=0, is_contents=True) if at in typed else one for at, one in enumerate(found)]


def with_set_off_blocks(found: list[DocxBlock]) -> list[DocxBlock]:
    """The blocks, those as headings that stand out by their print, where styles tell one at most, and the title."""
    if not found or sum(one.level > 0 and not one.is_title for one in found) > 1:
        return found
    levels = set_off_lines(
        [
            SetOff(
                one_line(one.text),
                (one.look.size or PLAIN_SIZE) / 2,
                bool(one.look.is_bold),
                bool(one.look.size or one.look.is_bold)
                and not (one.is_contents or (one.in_list and below.in_list and not one.is_counted)),
            )
            for one, below in zip(found, [*found[1:], DocxBlock("")], strict=True)
        ]
    )
    return [
        replace(one, level=levels[at], in_list=False, text=one.text.strip()) if at in levels and not one.level else one
        for at, one in enumerate(found)
    ]


def with_whole_titles(found: list[DocxBlock]) -> list[DocxBlock]:
    """The blocks, "ANEXO II" as one with the title on the line below it, and so are articles where most have one."""
    numbers = [index for index, block in enumerate(found) if _is_bare_article(block)]
    titled = {index for index in numbers if _is_title_below(found, index)}
    if len(titled) < max(FEWEST_TITLED, LEAST_TITLED * len(numbers)):
        titled = set()
    blocks: list[DocxBlock] = []
    for index, block in enumerate(found):
        if blocks and (_is_number_of(blocks[-1], block) or index - 1 in titled):
            text = f"{blocks[-1].text.rstrip('. ')}. {block.text.strip()}"
            blocks[-1] = replace(blocks[-1], text=text, pictures=blocks[-1].pictures + block.pictures)
        else:
            blocks.append(block)
    return blocks


def _is_bare_article(block: DocxBlock) -> bool:
    """Whether a heading is an article's number and nothing else."""
    place = numbered_place(one_line(block.text)) if block.level and not block.is_title else None
    return bool(place and place.bare and place.family == "articulo")


def _is_title_below(found: Sequence[DocxBlock], index: int) -> bool:
    """Whether a short paragraph that is no sentence stands between a heading and its text."""
    title, text = [*found[index + 1 : index + 3], DocxBlock(""), DocxBlock("")][:2]
    is_text = not (title.level or title.in_list or title.is_contents or text.level or "|" in title.text)
    return is_text and bool(text.text) and len(title.text) <= LONGEST_TITLE_BELOW and reads_as_title(title.text.strip())


def _is_number_of(above: DocxBlock, block: DocxBlock) -> bool:
    """Whether a heading is but the number of the one below it."""
    if not above.level or above.level != block.level or above.is_title:
        return False
    place = numbered_place(one_line(above.text))
    return bool(place and place.bare and place.rank < DECIMAL_RANK and not numbered_place(one_line(block.text)))


def with_numbered_blocks(found: list[DocxBlock]) -> list[DocxBlock]:
    """The blocks, those as headings that only their numbers tell, or that ask what is answered below; a text behind a
    number stands apart."""
    is_text = [not (one.in_list or one.is_contents or one.text.startswith("|")) for one in found]
    may_be = [is_one or one.is_counted for is_one, one in zip(is_text, found, strict=True)]
    places = numbered_lines([one.text.strip() for one in found], may_be, [bool(one.level) for one in found])
    asked = question_lines(
        ["" if one.level or index in places or not is_text[index] else one.text for index, one in enumerate(found)]
    )
    if not asked and not any(not found[index].level for index in places):
        return found
    untold = {index: place for index, place in places.items() if not found[index].level}
    run_in = run_in_articles([one.text.strip() for one in found], untold, are_wrapped=False)
    blocks: list[DocxBlock] = []
    for index, block in enumerate(found):
        place = places.get(index)
        if index in asked:
            blocks.append(replace(block, level=UNTOLD, rank=QUESTION_RANK))
        elif block.level or place is None:
            blocks.append(replace(block, rank=place.rank) if place else block)
        elif index not in run_in and len(block.text) <= LONGEST_TITLE and "\n" not in block.text:
            blocks.append(replace(block, level=UNTOLD, rank=place.rank, in_list=False, text=block.text.strip()))
        else:
            text = block.text.strip()
            blocks.append(DocxBlock(text[: place.end], UNTOLD, rank=place.rank))
            blocks.append(replace(block, text=text[place.end :].strip(), in_list=False))
    headings = [FoundHeading(max(one.level, 0), one.rank) for one in blocks if one.level]
    levels = iter(levels_of(headings))
    return [replace(one, level=next(levels)) if one.level else one for one in blocks]


def body_blocks(
    body: Any, styles: Styles, numbering: Numbering, notes: Notes, pictures: Pictures
) -> Iterator[DocxBlock]:
    """The body's paragraphs and tables, also those inside content controls and tracked insertions; notes below what
    refers to them."""
    for element in elements_in(body, "p", "tbl"):
        is_paragraph = element.tag == f"{W}p"
        block = _paragraph(element, styles, numbering) if is_paragraph else DocxBlock(table_text(element))
        inside = tuple(pictures.of(element))
        yield replace(block, pictures=inside) if inside else block
        yield from map(DocxBlock, notes.of(element))


def _paragraph(paragraph: Any, styles: Styles, numbering: Numbering) -> DocxBlock:
    text = text_of(paragraph).strip()
    if not text:
        return DocxBlock("")
    properties = paragraph.find(f"{W}pPr")
    style = styles.of(value(properties.find(f"{W}pStyle")) or "" if properties is not None else "")
    if style.is_contents:
        return DocxBlock(text, is_contents=True)
    level = outline_level(properties) or style.level
    numbered = numbering_of(properties) or style.numbering
    marker = numbering.marker(*numbered) if numbered else ""
    if level:
        return DocxBlock(f"{marker} {text}".strip() if marker != "-" else text, level, style.is_title)
    look = print_of_paragraph(paragraph, style, styles)
    if not marker or numbered is None:
        return DocxBlock(text, look=look)
    counted = marker != "-" and numbering.counts_sections(numbered[0])
    return DocxBlock(f"{_INDENT * numbered[1]}{marker} {text}", in_list=True, is_counted=counted, look=look)


def warm_up() -> None:
    """Parse python-docx's own template, so that every lazy import has happened."""
    buffer = io.BytesIO()
    document = docx.Document()
    document.add_heading("Title", 1)
    document.add_paragraph("warming up", style="List Bullet")
    document.add_table(1, 1)
    document.save(buffer)
    extract_docx(buffer.getvalue())
