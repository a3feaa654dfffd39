"""Where stored text stands on a printed page: found as it is, else by aligning the page, else said not to be found."""

from array import array
from time import process_time

import pytest

from corpora.reader.aligning import aligned, letters_of
from corpora.reader.locating import Located, Match, locate_on_page
from corpora.reader.printed import SCALE, PageCharacters

ACROSS, HIGH = 600, 1_000  # a character, and a line, in parts of SCALE


def printed(text: str) -> PageCharacters:
    """As a typewriter prints it: each line under the one before, a box for each character that is no space."""
    boxes = array("H")
    row = column = 0
    for sign in text:
        left, top = column * ACROSS, row * 2 * HIGH
        boxes.extend((0, 0, 0, 0) if sign.isspace() else (left, top, left + ACROSS, top + HIGH))
        row, column = (row + 1, 0) if sign == "\n" else (row, column + 1)
    return PageCharacters(600, 600, text, boxes)


def words_in(located: Located, page: PageCharacters) -> list[str]:
    """What is printed in each box."""
    return [
        "".join(
            sign
            for index, sign in enumerate(page.text)
            if not sign.isspace() and box[0] <= page.box(index)[0] < box[2] and box[1] <= page.box(index)[1] < box[3]
        )
        for box in located.boxes
    ]


def boxed(stored: str, cited: str, page: str, nth: int = 0) -> tuple[Match, list[str]]:
    start = -1
    for _ in range(nth + 1):
        start = stored.index(cited, start + 1)
    shown = printed(page)
    located = locate_on_page(stored, start, start + len(cited), shown)
    return located.match, words_in(located, shown)


def test_a_sentence_is_boxed_line_by_line_with_its_own_signs() -> None:
    page = "Antes. «El plazo es de\nun mes.» Después (no)."
    assert boxed(page.replace("\n", " "), "«El plazo es de un mes.»", page) == (
        Match.EXACT,
        ["«Elplazoesde", "unmes.»"],
    )


def test_a_hyphen_at_the_end_of_a_line_is_in_its_box() -> None:
    found = boxed("La notificación llega.", "notificación", "La notifi-\ncación llega.")
    assert found == (Match.EXACT, ["notifi-", "cación"])


@pytest.mark.parametrize(
    ("stored", "page"),
    [
        ("el fin oficial", "el ﬁn oﬁcial"),
        ("año", "an\u0303o"),
        ("una palabra", "una pala\u00adbra"),
        ("ABC 123", "ＡＢＣ １２３"),
        ("| uno | dos |", "uno dos"),
        ("| a \\| b | c |", "a | b c"),
    ],
)
def test_what_extraction_writes_otherwise_is_the_same(stored: str, page: str) -> None:
    shown = printed(page)
    assert locate_on_page(stored, 0, len(stored), shown).match is Match.EXACT


def test_of_equal_sentences_the_right_one_is_boxed() -> None:
    stored = "Artículo uno. Queda derogado. Artículo dos. Queda derogado. Artículo tres. Fin."
    page = printed(stored.replace(". ", ".\n"))
    for nth, row in enumerate((1, 3)):
        start = -1
        for _ in range(nth + 1):
            start = stored.index("Queda derogado.", start + 1)
        (box,) = locate_on_page(stored, start, start + len("Queda derogado."), page).boxes
        assert box[1] == pytest.approx(row * 2 * HIGH / SCALE)


def test_a_running_head_within_a_sentence_is_not_boxed() -> None:
    stored = (
        "Primera parte del texto. Las partes acordarán por escrito las condiciones de la entrega. Otra cosa distinta."
    )
    page = (
        "Primera parte del texto. Las partes acordarán por\n"
        "BOLETÍN OFICIAL DEL ESTADO\n"
        "escrito las condiciones de la entrega. Otra cosa distinta."
    )
    match, words = boxed(stored, "Las partes acordarán por escrito las condiciones de la entrega.", page)
    assert match is Match.EXACT
    assert words == ["Laspartesacordaránpor", "escritolascondicionesdelaentrega."]


def test_a_head_that_begins_as_the_sentence_goes_on_is_not_boxed() -> None:
    stored = (
        "Primera parte del texto. Las partes acordarán por escrito las condiciones de la entrega. Otra cosa distinta."
    )
    page = (
        "Primera parte del texto. Las partes acordarán por\n"
        "escribanía mayor\n"
        "escrito las condiciones de la entrega. Otra cosa distinta."
    )
    _match, words = boxed(stored, "Las partes acordarán por escrito las condiciones de la entrega.", page)
    assert words == ["Laspartesacordaránpor", "escritolascondicionesdelaentrega."]


def test_columns_of_a_row_have_a_box_each() -> None:
    match, words = boxed("| Plazo | un mes |", "| Plazo | un mes |", "Plazo               un mes")
    assert (match, words) == (Match.EXACT, ["Plazo", "unmes"])


def test_what_is_mostly_there_is_told_as_partly_there() -> None:
    stored = "Las condiciones de la entrega se publicarán en la sede electrónica de la entidad correspondiente"
    match, words = boxed(stored, stored, stored.replace("entidad", "compañía"))
    assert match is Match.PARTIAL
    assert "compañía" not in "".join(words)


@pytest.mark.parametrize("page", ["", "Otra cosa muy distinta.", "#### ####"])
def test_what_is_not_there_is_told_as_such(page: str) -> None:
    stored = "El plazo es de un mes."
    assert locate_on_page(stored, 0, len(stored), printed(page)) == Located(Match.NONE)


def test_signs_alone_are_not_looked_for() -> None:
    assert locate_on_page("a --- b", 2, 5, printed("a --- b")).match is Match.NONE


def test_what_is_printed_outside_of_the_page_is_not_there() -> None:
    page = printed("fuera del recorte")
    cut = PageCharacters(page.width, page.height, page.text, array("H", [0] * len(page.boxes)))
    assert locate_on_page("fuera del recorte", 0, 17, cut) == Located(Match.NONE)


def test_turned_text_is_one_box() -> None:
    text = "hacia arriba"
    boxes = array("H")
    for index, sign in enumerate(text):
        top = 60_000 - index * 1_000
        boxes.extend((0, 0, 0, 0) if sign.isspace() else (5_000, top, 7_000, top + 1_000))
    (box,) = locate_on_page(text, 0, len(text), PageCharacters(600, 600, text, boxes)).boxes
    assert box == pytest.approx((5_000 / SCALE, 49_000 / SCALE, 7_000 / SCALE, 61_000 / SCALE))


def test_letters_know_their_characters() -> None:
    letters = letters_of("¡oﬁ-Ñ 2!")
    assert (letters.text, list(letters.places)) == ("ofin2", [1, 2, 2, 4, 6])
    assert letters.span(2, 5) == (1, 4)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("a" * 40_000, "a" * 40_000),
        ("ab" * 20_000, "ba" * 20_000),
        ("".join(chr(97 + i * i % 23) for i in range(40_000)), "".join(chr(97 + i * 7 % 19) for i in range(40_000))),
        ("ﷺ" * 40_000, "ﷺ" * 20_000 + "x" + "ﷺ" * 19_999),
        ("a" * 20_000 + "b" * 20_000, "b" * 20_000 + "a" * 20_000),
    ],
)
def test_no_page_takes_long(ours: str, theirs: str) -> None:
    began = process_time()
    found = [at for at in aligned(ours, theirs) if at >= 0]
    assert found == sorted(set(found))
    assert locate_on_page(ours, 100, 30_000, printed_cheaply(theirs)).match in Match
    assert process_time() - began < 2.0


def printed_cheaply(text: str) -> PageCharacters:
    return PageCharacters(600, 600, text, array("H", [0, 0, 9, 9] * len(text)))
