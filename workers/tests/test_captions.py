"""Captions are places of their own, and no headings."""

from workers.ingestion.extract.extracted import Extracted, HeadingSpan
from workers.ingestion.extract.outline.captions import LONGEST, captions_of

TEXT = (
    "Chapter 1. Dams\n\nTable 1 lists the dams, and Figure 2 shows one.\n\n"
    "Table 1. The dams of the basin\nName Height\nAlta 40\n\nTable 1. The dams of the basin (continued)\nBaja 12\n\n"
    "**Tabla 2-1**: Caudales\nEnero 4\n\nChapter 2. Rivers\n\nFigura 3 – El río\n\n" + "Agua. " * 400
)


def extracted() -> Extracted:
    headings = tuple(HeadingSpan(1, name, at := TEXT.index(name), at + len(name)) for name in CHAPTERS)
    return Extracted(TEXT, headings=headings)


CHAPTERS = ("Chapter 1. Dams", "Chapter 2. Rivers")


def test_a_caption_is_known_by_its_number_and_reaches_to_the_next() -> None:
    found = captions_of(extracted())
    assert [(one.kind, one.number, one.level) for one in found] == [
        ("tabla", "1", 2),
        ("tabla", "2.1", 2),
        ("figura", "3", 2),
    ]
    first, second, third = (TEXT[one.start : one.end] for one in found)
    assert first.startswith("Table 1. The dams")
    assert first.rstrip().endswith("Alta 40")
    assert second.rstrip().endswith("Enero 4")
    assert third.startswith("Figura 3 – El río")
    assert len(third) <= LONGEST


def test_a_table_of_an_annex_has_its_letter() -> None:
    found = captions_of(Extracted("Table A.1 — Lots\n\nFigura B-2. Mapa\n\nTable C3: Limits\n\nTable A is long\n"))
    assert [(one.kind, one.number) for one in found] == [("tabla", "a.1"), ("figura", "b.2"), ("tabla", "c.3")]


def test_a_caption_in_contents_is_none() -> None:
    text = "Table 1. The dams\n\nText.\n\nTable 1. The dams\nAlta 40\n"
    (only,) = captions_of(Extracted(text, furniture=((0, 17),)))
    assert text[only.start :].startswith("Table 1. The dams\nAlta")


def test_thousands_of_captions_are_not_all_kept() -> None:
    many = "".join(f"Table {n}. x\n\n" for n in range(9_000))
    assert len(captions_of(Extracted(many))) == 2_000
