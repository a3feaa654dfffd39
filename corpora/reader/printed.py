"""What a page of a PDF is, as it is printed: characters where they stand, and pixels. Plain values, free of Django.

The sandbox's child makes them (`workers.ingestion.showing`); its wire and the reader know no more of a PDF than this.
"""

from array import array
from dataclasses import dataclass

WIDTHS = (200, 800, 1200, 1600)  # of an image, in pixels: a thumbnail, a column, and both on a dense screen
MOST_PIXELS = 6_000_000  # of an image: a page that is higher than usual becomes narrower instead
MOST_CHARACTERS = 40_000  # of a page; the densest pages of books have 8,000
SCALE = 65_535  # of a box: 0 is the page's left or upper edge, this its right or lower one

Box = tuple[float, float, float, float]  # left, top, right, bottom; 0 to 1 of the page as it is shown, from above


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Page `number` (from 1): its pixels, at most `width` of them wide; or, without a width, its characters.

    `picture_of`: the media type of a document that has no pages; then picture `number` of it, as wide as it is at most.
    """

    number: int
    width: int = 0
    picture_of: str = ""


@dataclass(frozen=True, slots=True)
class PageCharacters:
    """The characters of a page in PDFium's order, and four numbers (0 to SCALE) for the box of each.

    `width` and `height` are points of the page as it is shown: its crop box, turned as the page says. A character
    without ink, or outside of the crop box, has a box without area.
    """

    width: float
    height: float
    text: str
    boxes: "array[int]"

    def box(self, index: int) -> Box:
        left, top, right, bottom = self.boxes[4 * index : 4 * index + 4]
        return left / SCALE, top / SCALE, right / SCALE, bottom / SCALE


@dataclass(frozen=True, slots=True)
class PagePixels:
    """`height` rows of `stride` bytes, of which the first 3 × `width` are red, green and blue."""

    width: int
    height: int
    stride: int
    rows: bytes


PrintedPage = PageCharacters | PagePixels
