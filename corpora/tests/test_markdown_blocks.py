"""Markdown in the reader: its signs go, code and tables are set as such, and the marks stay where they belong."""

from hypothesis import given
from hypothesis import strategies as st

from corpora.reader import reading
from corpora.reader.markdown_blocks import markdown_blocks

TEXT = """# Redes

Ejemplo: 192 en **binario**
```text
192 = 128 + 64

# no heading
```
---
> Una nota
> en dos líneas.

<p><small>Ver [la web](https://a.example/x) y ![un dibujo](b.png).</small></p>

- uno
- dos
  y medio

1. primero

| Máscara | Hosts |
|---------|-------|
| `/30`   | 2     |
"""
HEADINGS = [(1, "Redes", 0, 7)]


def blocks_of(
    text: str = TEXT, passage: tuple[int, int] | None = None, quote: tuple[int, int] | None = None
) -> list[reading.Block]:
    return [
        block
        for section in reading.sections(text, [], HEADINGS)
        for block in markdown_blocks(text, section, HEADINGS, passage, quote)
    ]


def shown(block: reading.Block) -> str:
    return "".join(piece.text for piece in block.pieces).strip()


def test_every_block_is_set_as_what_it_is_and_its_signs_go() -> None:
    assert [(block.kind, shown(block)) for block in blocks_of()] == [
        ("heading", "Redes"),
        ("paragraph", "Ejemplo: 192 en binario"),
        ("code", "192 = 128 + 64\n\n# no heading"),
        ("quote", "Una nota\nen dos líneas."),
        ("paragraph", "Ver la web y un dibujo."),
        ("lines", "• uno\n• dos\n  y medio"),
        ("lines", "1. primero"),
        ("grid", "Máscara  Hosts  /30    2"),
    ]


def test_a_table_has_rows_of_cells() -> None:
    grid = [["".join(piece.text for _, piece in cell).strip() for cell in row] for row in blocks_of()[-1].grid]
    assert grid == [["Máscara", "Hosts"], ["/30", "2"]]


def test_the_cited_sentence_keeps_its_mark_in_lists_and_cells() -> None:
    start = TEXT.index("dos\n  y")
    found = blocks_of(TEXT, (0, len(TEXT)), (start, start + 13))
    marked = [piece.text for block in found for piece in block.pieces if piece.is_marked and not piece.is_faint]
    assert marked == ["dos\n", "  y medio"]
    assert [block.first_marked for block in found if block.opens_passage] == [3]
    cell = TEXT.index("2     |")
    last = blocks_of(TEXT, (cell, cell + 1))[-1]
    assert [piece.text for piece in last.pieces if piece.is_marked] == ["2"]
    assert last.pieces[last.first_marked].text == "2"


def test_a_section_that_begins_within_code_goes_on_as_code() -> None:
    text = "```\n" + "a = 1\n\n" * 2_000 + "```\n\nEnd.\n"
    sections = reading.sections(text, [], [])
    found = [markdown_blocks(text, section, [], None) for section in sections]
    assert len(sections) > 1
    assert {block.kind for blocks in found[:-1] for block in blocks} == {"code"}
    assert [block.kind for block in found[-1]] == ["code", "paragraph"]


@given(st.text("ab .#|-\n\t`*>1[]()<", max_size=400), st.integers(0, 300), st.integers(1, 100))
def test_letters_are_shown_once_in_order_and_marked_within_the_passage_alone(
    text: str, start: int, length: int
) -> None:
    (section,) = reading.sections(text, [], [])
    passage = (start, start + length)
    found = markdown_blocks(text, section, [], passage)
    letters = [sign for block in found for piece in block.pieces for sign in piece.text if sign in "ab"]
    rest = iter(text)
    assert all(sign in rest for sign in letters)
    marked = sum(sign in "ab" for b in found for piece in b.pieces if piece.is_marked for sign in piece.text)
    assert marked <= sum(sign in "ab" for sign in text[slice(*passage)])
    assert sum(block.first_marked >= 0 for block in found) <= 1
