"""Cutting a text for reading: nothing is lost, nothing is shown twice, and the passage is what is marked."""

from hypothesis import given
from hypothesis import strategies as st

from corpora.reader import reading

TEXTS = st.lists(st.text("ab .#|-\n\t`*", max_size=60), max_size=40).map("\n\n".join)


@given(TEXTS, st.integers(1, 9))
def test_sections_tile_the_text(text: str, repeat: int) -> None:
    text *= repeat * 20
    cut = reading.sections(text, [], [])
    assert [section.start for section in cut] == [0, *(section.end for section in cut[:-1])]
    assert cut[-1].end == len(text)
    assert all(section.end - section.start <= reading.SECTION_CHARACTERS * 3 // 2 for section in cut)


@given(TEXTS, st.integers(0, 2000), st.integers(1, 500))
def test_blocks_hold_every_visible_character_once_and_mark_exactly_the_passage(
    text: str, start: int, length: int
) -> None:
    passage = (start, start + length)
    for section in reading.sections(text, [], []):
        found = reading.blocks(text, section, [], passage)
        shown = "".join(piece.text for block in found for piece in block.pieces)
        marked = "".join(piece.text for block in found for piece in block.pieces if piece.is_marked)
        assert "".join(shown.split()) == "".join(text[section.start : section.end].split())
        inside = text[max(section.start, passage[0]) : min(section.end, passage[1])]
        assert "".join(marked.split()) == "".join(inside.split())


def test_pages_are_sections_and_a_page_is_found_by_its_number() -> None:
    cut = reading.sections("one two three", [[1, 0, 4], [2, 4, 8], [4, 8, 13]], [])
    assert [section.page for section in cut] == [1, 2, 4]
    assert [reading.section_of_page(cut, page) for page in (1, 2, 3, 4, 9)] == [0, 1, 1, 2, 2]


def test_a_heading_loses_its_hashes_and_keeps_its_place() -> None:
    text = "# Loans\nA loan lasts.\n\n## Renewal\nTwice."
    headings = [(1, "Loans", 0, 7), (2, "Renewal", 23, 33)]
    (section,) = reading.sections(text, [], headings)
    found = reading.blocks(text, section, headings, None)
    assert [(block.kind, block.tag_level, block.at) for block in found if block.level] == [
        ("heading", 2, 0),
        ("heading", 3, 23),
    ]
    assert found[0].pieces[0].text == "Loans"


def test_a_code_fence_with_blank_lines_stays_one_block() -> None:
    text = "Before\n\n```\na\n\nb\n```\n\nAfter"
    (section,) = reading.sections(text, [], [])
    kinds = [block.kind for block in reading.blocks(text, section, [], None)]
    assert kinds == ["paragraph", "table", "paragraph"]


def test_only_one_piece_opens_the_passage() -> None:
    text = "One.\n\nTwo.\n\nThree."
    (section,) = reading.sections(text, [], [])
    found = reading.blocks(text, section, [], (4, 14))
    assert [block.first_marked for block in found] == [-1, 0, -1]


def test_emphasis_of_markdown_is_set_and_its_signs_go() -> None:
    piece = reading.Piece("a **strong** and *soft* `code` 2*3*4", is_marked=True)
    assert [(one.text, one.tag) for one in reading.split_emphasis(piece)] == [
        ("a ", ""),
        ("strong", "strong"),
        (" and ", ""),
        ("soft", "em"),
        (" ", ""),
        ("code", "code"),
        (" 2*3*4", ""),
    ]


def test_paragraphs_of_a_page_end_after_a_short_closing_line() -> None:
    text = "A line that fills the whole width\nand ends.\nAnother paragraph that is long\n"
    (section,) = reading.sections(text, [[1, 0, len(text)]], [])
    assert len(reading.blocks(text, section, [], None)) == 2
