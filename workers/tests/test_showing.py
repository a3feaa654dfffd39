"""A page as it is printed, through the sandbox: turned, cut and hostile ones, and answers that lie."""

from array import array
from collections.abc import Iterator
from dataclasses import replace

import pytest

from corpora.reader.locating import Match, locate_on_page
from corpora.reader.png import png_of
from corpora.reader.printed import (
    MOST_CHARACTERS,
    MOST_PIXELS,
    Box,
    PageCharacters,
    PagePixels,
    PageRequest,
)
from corpora.tests import documents
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.sandbox import wire
from workers.ingestion.sandbox.pool import ChildLimits, Sandbox
from workers.ingestion.sandbox.wire_pages import decode_page, encode_page, encode_page_request

CHARACTERS = PageRequest(1)
SENTENCE = "a mark in the upper left"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    one = Sandbox()
    yield one
    one.close()


def page_pdf(content: bytes, attributes: bytes = b"/MediaBox[0 0 600 800]") -> bytes:
    fonts = b"/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    return documents.raw_pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R%b%b/Contents 4 0 R>>" % (attributes, fonts),
            b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
        ]
    )


def words(text: str, x: int = 30, y: int = 750, size: int = 12) -> bytes:
    return b"BT /F %d Tf %d %d Td (%b) Tj ET" % (size, x, y, text.encode())


def characters(sandbox: Sandbox, content: bytes, number: int = 1) -> PageCharacters:
    shown = sandbox.show(content, PageRequest(number))
    assert isinstance(shown, PageCharacters)
    return shown


def pixels(sandbox: Sandbox, content: bytes, width: int = 200) -> PagePixels:
    shown = sandbox.show(content, PageRequest(1, width))
    assert isinstance(shown, PagePixels)
    return shown


def box_of_ink(shown: PagePixels) -> Box:
    """Around every pixel that is not white."""
    dark = [
        (x, y) for y in range(shown.height) for x in range(shown.width) if shown.rows[y * shown.stride + 3 * x] < 128
    ]
    across, down = [x for x, _ in dark], [y for _, y in dark]
    return (
        min(across) / shown.width,
        min(down) / shown.height,
        (max(across) + 1) / shown.width,
        (max(down) + 1) / shown.height,
    )


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("cut", [b"", b"/CropBox[10 20 500 790]", b"/CropBox[500 790 10 20]", b"/UserUnit 2"])
def test_a_box_is_where_the_page_shows_its_words(sandbox: Sandbox, turned: int, cut: bytes) -> None:
    """However the page is turned and cut: PDFium's pixels are the judge."""
    content = page_pdf(words(SENTENCE), b"/MediaBox[0 0 600 800]/Rotate %d%b" % (turned, cut))
    page, image = characters(sandbox, content), pixels(sandbox, content, 800)
    (box,) = locate_on_page(SENTENCE, 0, len(SENTENCE), page).boxes
    ink = box_of_ink(image)
    margin = 0.012  # a box is as high as its font, a word's ink is not
    assert all(edge >= of_box - margin for edge, of_box in zip(ink[:2], box[:2], strict=True)), (ink, box)
    assert all(edge <= of_box + margin for edge, of_box in zip(ink[2:], box[2:], strict=True)), (ink, box)
    assert (box[2] - box[0]) * (box[3] - box[1]) < 4 * (ink[2] - ink[0]) * (ink[3] - ink[1])
    assert (page.width > page.height) == (image.width > image.height)


def test_what_the_crop_box_leaves_out_has_no_box(sandbox: Sandbox) -> None:
    page = characters(sandbox, page_pdf(words(SENTENCE), b"/MediaBox[0 0 600 800]/CropBox[0 0 600 400]"))
    assert locate_on_page(SENTENCE, 0, len(SENTENCE), page).match is Match.NONE


def test_an_image_is_as_wide_as_it_was_asked_for(sandbox: Sandbox) -> None:
    content = page_pdf(words(SENTENCE))
    for width in (200, 800):
        shown = pixels(sandbox, content, width)
        assert (shown.width, round(shown.height / shown.width, 1)) == (width, 1.3)


@pytest.mark.parametrize(
    "attributes",
    [
        b"/MediaBox[0 0 14400000 14400000]",
        b"/MediaBox[-1e30 -1e30 1e30 1e30]",
        b"/MediaBox[0 0 600 60000]",
        b"/MediaBox[0 0 600 800]/UserUnit 75000",
        b"/MediaBox[0 0 0 0]",
        b"/MediaBox[0 0 0.001 0.001]",
        b"/MediaBox[0 0 1 100000]",
        b"/MediaBox[nan nan nan nan]",
        b"/MediaBox[0 0 600 800]/CropBox[900 900 990 990]",
        b"/MediaBox[0 0 600 800]/Rotate 45",
        b"",
    ],
)
def test_a_page_of_any_size_is_small_or_refused(sandbox: Sandbox, attributes: bytes) -> None:
    content = page_pdf(words(SENTENCE), attributes)
    for request in (CHARACTERS, PageRequest(1, 1600)):
        assert outcome_of(sandbox, content, request) in ("small", "corrupt_document", "extraction_memory")


def outcome_of(sandbox: Sandbox, content: bytes, request: PageRequest) -> str:
    try:
        shown = sandbox.show(content, request)
    except ExtractionError as error:
        return error.code
    is_large = isinstance(shown, PagePixels) and shown.width * shown.height > 1.1 * MOST_PIXELS
    return "large" if is_large else "small"


def test_of_a_page_with_very_many_letters_as_many_are_told_as_may_be(sandbox: Sandbox) -> None:
    crowd = b"\n".join(words("abcdefghij" * 30, y=790 - 3 * row, size=3) for row in range(200))
    page = characters(sandbox, page_pdf(crowd))
    assert len(page.text) == MOST_CHARACTERS
    assert locate_on_page("abcdefghij" * 4, 0, 40, page).match in Match


def test_what_takes_long_to_draw_is_stopped() -> None:
    """A form that draws one that draws another, ten times each: 10 to the eighth rectangles in two kilobytes."""
    forms = [
        b"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X %d 0 R>>>>/Length %d>>"
        b"stream\n%b\nendstream" % (number + 6, 10 * 6, b"/X Do\n" * 10)
        for number in range(8)
    ]
    last = b"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Length 17>>stream\n0 0 600 800 re f\n\nendstream"
    content = documents.raw_pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</XObject<</X 5 0 R>>>>/Contents 4 0 R>>",
            b"<</Length 5>>stream\n/X Do\nendstream",
            *forms,
            last,
        ]
    )
    one = Sandbox()
    try:
        with pytest.raises(ExtractionError) as caught:
            one.show(content, PageRequest(1, 800), ChildLimits(cpu_seconds=1, wall_seconds=4))
        assert caught.value.code in ("extraction_timeout", "extraction_memory")
    finally:
        one.close()


@pytest.mark.parametrize("number", [0, 2, 10**9])
def test_a_page_that_is_not_there_is_the_documents_fault(sandbox: Sandbox, number: int) -> None:
    with pytest.raises(ExtractionError, match="corrupt_document"):
        characters(sandbox, page_pdf(b""), number)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "corrupt_document"),
        (b"%PDF-1.4 nothing", "corrupt_document"),
        (documents.pdf([["secret"]], password="secret"), "encrypted_document"),
    ],
)
def test_what_is_no_readable_pdf_is_refused(sandbox: Sandbox, content: bytes, code: str) -> None:
    with pytest.raises(ExtractionError, match=code):
        characters(sandbox, content)


# The wire

GOOD = PageCharacters(600.0, 800.0, "añ", array("H", [1, 2, 3, 4, 5, 6, 7, 8]))
IMAGE = PagePixels(4, 2, 12, bytes(24))
WIDE = PageRequest(1, 4)


def test_what_a_child_says_crosses_as_it_is() -> None:
    assert decode_page(encode_page(GOOD), CHARACTERS) == GOOD
    assert decode_page(encode_page(IMAGE), WIDE) == IMAGE
    assert wire.decode_read_request(encode_page_request(WIDE)) == WIDE


@pytest.mark.parametrize(
    "lie",
    [
        b"",
        b"[]\n",
        b"{}\n",
        encode_page(GOOD)[:-1],
        encode_page(GOOD) + b"\0" * 8,
        encode_page(replace(GOOD, width=0.0)),
        encode_page(replace(GOOD, boxes=array("H", [9, 2, 3, 4, 5, 6, 7, 8]))),
        encode_page(GOOD).replace(b'"bytes":3', b'"bytes":-3'),
        encode_page(GOOD).replace(b'"bytes":3', b'"bytes":true'),
        encode_page(GOOD).replace(b"600.0", b"1e999"),
        encode_page(
            PageCharacters(1.0, 1.0, "a" * (MOST_CHARACTERS + 1), array("H", bytes(8 * (MOST_CHARACTERS + 1))))
        ),
        b'{"error":"made_up","cause":""}',
        encode_page(IMAGE),
    ],
)
def test_a_lie_about_characters_is_refused(lie: bytes) -> None:
    with pytest.raises(ExtractionError, match="extraction_crashed"):
        wire.decode_shown(lie, CHARACTERS)


@pytest.mark.parametrize(
    "lie",
    [
        encode_page(GOOD),
        encode_page(replace(IMAGE, rows=bytes(23))),
        encode_page(replace(IMAGE, width=0)),
        encode_page(replace(IMAGE, stride=11)),
        encode_page(PagePixels(40, 2, 120, bytes(240))),
        encode_page(PagePixels(1, 2, 600, bytes(1_200))),
        encode_page(IMAGE).replace(b"[4,2]", b"[4,2.0]"),
        encode_page(IMAGE).replace(b"[4,2]", b"4"),
    ],
)
def test_a_lie_about_pixels_is_refused(lie: bytes) -> None:
    with pytest.raises(ExtractionError, match="extraction_crashed"):
        wire.decode_shown(lie, WIDE)


def test_a_png_says_what_the_pixels_say() -> None:
    import io

    from PIL import Image

    grey = PagePixels(2, 2, 8, b"\0\0\0\xff\xff\xff..\x80\x80\x80\1\1\1..")
    colour = PagePixels(2, 1, 6, b"\xff\0\0\0\0\xff")
    with Image.open(io.BytesIO(png_of(grey))) as image:
        assert (image.mode, list(image.get_flattened_data())) == ("L", [0, 255, 128, 1])
    with Image.open(io.BytesIO(png_of(colour))) as image:
        assert (image.mode, list(image.get_flattened_data())) == ("RGB", [(255, 0, 0), (0, 0, 255)])
