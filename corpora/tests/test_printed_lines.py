"""Characters of a page that stand beside each other are a line, parted where columns are."""

from array import array

from corpora.reader.printed import SCALE, PageCharacters
from corpora.reader.printed_lines import lines_among
from corpora.reader.printing import set_lines


def page_of(*placed: tuple[str, float, float]) -> PageCharacters:
    """Words with where they begin, in characters that are a hundredth of the page wide and two hundredths high."""
    text, boxes = "", array("i")
    for word, left, top in placed:
        for index, _sign in enumerate(word):
            x = left + index / 100
            boxes.extend(round(one * SCALE) for one in (x, top, x + 0.01, top + 0.02))
        text += word + "\n"
        boxes.extend((0, 0, 0, 0))
    return PageCharacters(600, 600, text, boxes)


def test_two_columns_and_two_lines_are_four_pieces() -> None:
    page = page_of(("uno", 0.1, 0.1), ("dos", 0.6, 0.1), ("tres", 0.1, 0.2), ("cuatro", 0.6, 0.2))
    found = list(lines_among(page, 0, len(page.text)))
    assert [page.text[one.start : one.end] for one in found] == ["uno", "dos", "tres", "cuatro"]
    assert all(0.09 < one.box[0] < 0.61 and one.box[2] > one.box[0] for one in found)


def test_lines_are_set_at_the_units_of_the_drawing_and_turned_ones_are_not() -> None:
    page = page_of(("palabra", 0.1, 0.5))
    (line,) = set_lines(page, 10_000)
    assert (line.text, line.x, line.width, line.size) == ("palabra", 1_000, 700, 200)
    assert 5_100 < line.y < 5_200
    turned = PageCharacters(600, 600, "giro", array("i"))
    for index in range(4):
        turned.boxes.extend((1_000, 1_000 + 900 * index, 1_500, 1_900 + 900 * index))
    assert list(set_lines(turned, 10_000)) == []
