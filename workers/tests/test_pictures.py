"""Pictures inside of DOCX and Markdown: which are found and where, and what is drawn of them in the sandbox."""

import io
import time
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from corpora.media_types import DOCX, MARKDOWN
from corpora.reader.printed import PagePixels, PageRequest
from corpora.tests import documents
from tests.printed import carried, png
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.pictures.formats import LARGEST, drawable
from workers.ingestion.reading import ReadRequest
from workers.ingestion.sandbox.pool import Sandbox

RED, BLUE = (200, 30, 30), (20, 40, 180)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    one = Sandbox()
    yield one
    one.close()


def illustrated(document: Any) -> None:
    document.add_picture(io.BytesIO(png(RED)))
    document.add_heading("El taller", 1)
    document.add_paragraph("Esta es la mesa.")
    document.add_picture(io.BytesIO(png(BLUE, size=(60, 30))))
    document.inline_shapes[1]._inline.docPr.set("descr", "La mesa  del taller")
    document.add_paragraph("Y esta la silla.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    table.cell(0, 1).paragraphs[0].add_run().add_picture(io.BytesIO(png(RED)))


def spots(extracted: Extracted) -> list[tuple[str, int, int, int, str]]:
    """The words before each, and what is told of it."""
    return [(extracted.text[: one.at][-8:], one.number, one.width, one.height, one.said) for one in extracted.pictures]


def colour_of(shown: Any) -> tuple[int, ...]:
    """Of its first pixel."""
    assert isinstance(shown, PagePixels)
    return tuple(shown.rows[:3])


def test_pictures_of_a_docx_stand_behind_what_they_follow() -> None:
    extracted = extract(documents.docx(illustrated), DOCX)
    assert extracted.text == "El taller\n\nEsta es la mesa.\n\nY esta la silla.\n\n| a | b |"
    assert spots(extracted) == [
        ("", 1, 40, 20, ""),
        ("la mesa.", 2, 60, 30, "La mesa del taller"),
        ("\n| a | b |"[-8:], 3, 40, 20, ""),
    ]


def test_pictures_that_a_markdown_carries_get_a_name_in_their_place() -> None:
    red, blue = carried(png(RED)), carried(png(BLUE))
    source = (
        f"Uno ![La mesa]({red}) dos.\n\n<img alt='Plano' src='{blue}' width=4>\n\n![][fig]\n\n"
        "![Lejana](https://elsewhere.example/x.png) ![Vector](data:image/svg+xml;base64,PHN2Zz4=)\n\n"
        f"```\n![]({red})\n```\n\n[fig]: <{red}>"
    )
    extracted = extract(source.encode(), MARKDOWN)
    assert extracted.text == (
        "Uno ![La mesa](#picture-1) dos.\n\n![Plano](#picture-2)\n\n![](#picture-3)\n\n"
        f"![Lejana](https://elsewhere.example/x.png) ![Vector]()\n\n```\n![]({red})\n```"
    )
    assert [(extracted.text[one.at :][:4], one.number) for one in extracted.pictures] == [
        ("![La", 1),
        ("![Pl", 2),
        ("![](", 3),
    ]


def test_a_name_that_an_author_wrote_himself_shows_no_picture_that_is_not_there() -> None:
    assert extract(b"![x](#picture-7) and words", MARKDOWN).pictures == ()


@pytest.mark.parametrize(
    ("content", "colour"),
    [
        (png(RED), RED),
        (png((*RED, 255), "RGBA"), RED),
        (png((*RED, 0), "RGBA"), (255, 255, 255)),
        (png((100, 0), "LA"), (255, 255, 255)),
        (png(77, "L"), (77, 77, 77)),
        (png(1, "1"), (255, 255, 255)),
    ],
    ids=["colours", "opaque", "transparent", "transparent grey", "grey", "bits"],
)
def test_a_picture_is_drawn_on_white_as_wide_as_it_is_at_most(
    sandbox: Sandbox, content: bytes, colour: tuple[int, ...]
) -> None:
    source = f"![x]({carried(content)})".encode()
    shown = sandbox.show(source, PageRequest(1, 800, picture_of=MARKDOWN))
    assert isinstance(shown, PagePixels)
    assert (shown.width, shown.height) == (40, 20)
    assert all(abs(one - other) <= 1 for one, other in zip(colour_of(shown), colour, strict=True))
    small = sandbox.show(source, PageRequest(1, 10, picture_of=MARKDOWN))
    assert isinstance(small, PagePixels)
    assert small.width == 10


def test_a_palette_and_a_photograph_are_drawn_too(sandbox: Sandbox) -> None:
    palette, photograph = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (9, 9), BLUE).quantize(4).save(palette, "PNG", transparency=0)
    Image.new("RGB", (9, 9), RED).save(photograph, "JPEG", quality=95, progressive=True)

    def build(document: Any) -> None:
        document.add_paragraph("Dos.")
        document.add_picture(palette)
        document.add_picture(photograph)

    content = documents.docx(build)
    assert colour_of(sandbox.show(content, PageRequest(1, 800, picture_of=DOCX))) == (255, 255, 255)
    shown = colour_of(sandbox.show(content, PageRequest(2, 800, picture_of=DOCX)))
    assert all(abs(one - other) <= 3 for one, other in zip(shown, RED, strict=True))


def test_each_number_is_the_picture_that_extraction_has_numbered(sandbox: Sandbox) -> None:
    content = documents.docx(illustrated)
    read = sandbox.read(content, ReadRequest(DOCX))
    assert [one.number for one in getattr(read, "extracted", read).pictures] == [1, 2, 3]
    shown = [colour_of(sandbox.show(content, PageRequest(n, 800, picture_of=DOCX))) for n in (1, 2, 3)]
    assert shown == [RED, BLUE, RED]


@pytest.mark.parametrize("number", [2, 400])
def test_a_picture_that_is_not_there_is_told_as_such(sandbox: Sandbox, number: int) -> None:
    with pytest.raises(ExtractionError, match="corrupt_document"):
        sandbox.show(f"![x]({carried(png())})".encode(), PageRequest(number, 800, picture_of=MARKDOWN))


def test_a_picture_that_promises_more_than_it_has_ends_within_its_limits(sandbox: Sandbox) -> None:
    head = png()
    bomb = head[:16] + (LARGEST).to_bytes(4, "big") * 2 + head[24:]
    started = time.monotonic()
    try:
        shown = sandbox.show(f"![x]({carried(bomb)})".encode(), PageRequest(1, 1600, picture_of=MARKDOWN))
        assert isinstance(shown, PagePixels)
        assert shown.width <= 1602
    except ExtractionError:
        pass
    assert time.monotonic() - started < 25


def test_what_no_browser_should_be_given_is_no_picture() -> None:
    good = png()
    assert drawable(good)
    interlaced = good[:28] + b"\x01" + good[29:]
    too_large = good[:16] + (LARGEST + 1).to_bytes(4, "big") + good[20:]
    endless = b"\xff\xd8" + b"\xff\xe0\x00\x00" * 50
    for content in (b"", b"GIF89a" + bytes(30), b"<svg>", good[:30], interlaced, too_large, endless, b"\xff\xd8\xff"):
        assert drawable(content) is None, content[:12]
