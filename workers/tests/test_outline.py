"""Which lines of a PDF without an outline are headings, at which level, and what is a table of contents."""

import pytest

from corpora.media_types import MARKDOWN, TEXT
from corpora.models import Document
from workers.ingestion.chunk.chunking import ChunkDraft, cut_chunks
from workers.ingestion.extract.docx import DocxBlock, with_numbered_blocks
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted, HeadingSpan, furniture_of
from workers.ingestion.extract.outline.contents import contents_lines
from workers.ingestion.extract.outline.fonts import PrintedLine, headings_by_print, title_in_print
from workers.ingestion.extract.outline.levels import FoundHeading, levels_of
from workers.ingestion.extract.outline.lines import Bookmark
from workers.ingestion.extract.outline.places import numbered_place
from workers.ingestion.extract.pdf_text import assemble
from workers.ingestion.extract.titles import title_among, title_of_file, title_of_norm
from workers.ingestion.index.outline import sections_of

WIDE = "Esta línea del texto llega hasta el margen derecho de la página y sigue en la"


def outline(*lines: str, bookmarks: tuple[Bookmark, ...] = ()) -> list[tuple[int, str]]:
    return [(one.level, one.title) for one in assemble([[WIDE, "otra.", *lines]], bookmarks).headings]


def test_numbered_lines_are_headings_at_their_level() -> None:
    found = outline(
        *("TÍTULO PRELIMINAR", "De la protección", "CAPÍTULO ÚNICO", "Artículo uno.", f"1. {WIDE}", "otra."),
        *(
            "TÍTULO I",
            "Del sistema",
            "CAPÍTULO PRIMERO",
            "DE LOS PRINCIPIOS",
            "Artículo dos. Los medios.",
            WIDE,
            "otra.",
        ),
        *("CAPÍTULO II", "De los fines", "Artículo 3 bis. Otros.", "Texto.", "Disposición adicional única. Vigencia."),
    )
    assert found == [
        (1, "TÍTULO PRELIMINAR De la protección"),
        (2, "CAPÍTULO ÚNICO"),
        (3, "Artículo uno."),
        (1, "TÍTULO I Del sistema"),
        (2, "CAPÍTULO PRIMERO DE LOS PRINCIPIOS"),
        (3, "Artículo dos. Los medios."),
        (2, "CAPÍTULO II De los fines"),
        (3, "Artículo 3 bis. Otros."),
        (1, "Disposición adicional única. Vigencia."),
    ]


def test_a_mention_is_no_heading() -> None:
    found = outline(
        *(
            "Artículo 1. Objeto.",
            "Texto.",
            "Artículo 70. Otra ley.",
            "Artículo 2. Fines.",
            WIDE,
            "Artículo 3. De nada.",
        ),
        *("Artículo 3. Medios.", "Como dice el", "artículo 4. Nada.", "Artículo 4. Final.", "Artículo 149. Otra más."),
    )
    assert [title for _, title in found] == [
        "Artículo 1. Objeto.",
        "Artículo 2. Fines.",
        "Artículo 3. Medios.",
        "Artículo 4. Final.",
    ]


@pytest.mark.parametrize(
    "line", ["Artículo 5 de la Ley", "Part of it", "Sección de ventas", "12 meses", "art. 4", "3.500 euros"]
)
def test_what_names_no_place(line: str) -> None:
    assert numbered_place(line) is None


def test_clauses_keep_their_text_on_their_line() -> None:
    lines = ["V1 Arquitectura", "V1.1 Ciclo de vida", "1.1.1 Verifique el uso de un ciclo de", "vida seguro."]
    lines += [
        "1.1.2 Verifique el modelado de las",
        "amenazas.",
        "V1.2 Autenticación",
        "1.2.1 Verifique las",
        "cuentas.",
    ]
    lines += ["V1.3 Sesiones"]
    extracted = assemble([lines], [])
    found = [(one.level, extracted.text[one.start : one.end]) for one in extracted.headings]
    assert found == [
        *((1, "V1 Arquitectura"), (2, "V1.1 Ciclo de vida"), (3, "1.1.1"), (3, "1.1.2")),
        *((2, "V1.2 Autenticación"), (3, "1.2.1"), (2, "V1.3 Sesiones")),
    ]
    assert "1.1.1 Verifique el uso de un ciclo de\nvida seguro." in extracted.text.replace(" vida", "\nvida")
    assert extracted.headings[2].title == "1.1.1 Verifique el uso de un ciclo de"


def test_numbers_in_a_table_are_no_headings() -> None:
    assert outline("1.5 Millones", "9.7 Kilos", "2.4 Metros", "1.1 Litros", "8.2 Gramos", "0.3 Toneladas") == []


def test_the_outline_is_filled_up() -> None:
    marks = (Bookmark(1, "TÍTULO I. De todo", 0), Bookmark(1, "TÍTULO II. De nada", 0))
    found = outline(
        "TÍTULO I", "De todo", "Artículo 1. Uno.", "TÍTULO II", "De nada", "Artículo 2. Dos.", bookmarks=marks
    )
    assert found == [(1, marks[0].title), (2, "Artículo 1. Uno."), (1, marks[1].title), (2, "Artículo 2. Dos.")]


def test_dispositions_belong_to_no_chapter() -> None:
    # an outline that puts them below the last chapter
    law, chapter, article, disposition = (
        FoundHeading(1, 0),
        FoundHeading(2, 30),
        FoundHeading(3, 60),
        FoundHeading(3, 14),
    )
    assert levels_of([law, chapter, article, disposition, disposition]) == [1, 2, 3, 2, 2]


def test_contents_are_found_and_nothing_else() -> None:
    first = ["Manual", "Índice", "Introducción ... 3", "Un título que va por dos", "líneas ... 4", "Final 9"]
    text = [f"{n}: {WIDE}" for n in range(20)]
    prices = ["Vino ... 9", "Pan ... 2", "Agua ... 3", "Sal ... 1", "Té ... 8"]
    found = contents_lines([first, ["Anexo ... 10", "Texto."], text, prices, ["Fin."]])
    assert [sorted(page) for page in found] == [[1, 2, 3, 4, 5], [0], [], [], []]


def test_contents_of_a_few_pages_name_their_headings_and_a_list_of_prices_does_not() -> None:
    entries = ["Índice", "Artículo 1. Objeto ... 2", "Obligaciones de", "quienes pescan ... 4", "Anexo. Vedas ... 7"]
    text = ["Artículo 1. Objeto. Es objeto de esta norma.", "Obligaciones de quienes pescan", "Pagar.", "Anexo. Vedas"]
    assert [sorted(page) for page in contents_lines([entries, text])] == [[0, 1, 2, 3, 4], []]
    prices = ["Contenido", "Tornillos ... 4", "Tuercas ... 8", "Arandelas ... 12"]
    assert contents_lines([prices, ["Montaje", "Ponga cada uno en su sitio."]]) == [set(), set()]


NAMES = ["Objeto de la norma", "Ámbito de aplicación", "Derechos de quienes leen", "Deberes", "Sanciones y plazos"]
ENTRIES = [f"Artículo {n}. {name}" for n, name in enumerate(NAMES, 1)]
ARTICLES = [line for entry in ENTRIES for line in (f"{entry}.", f"1. {WIDE}", "otra línea.", f"2. {WIDE}", "más.")]


def test_contents_whose_pages_stand_apart_are_known_by_their_leaders() -> None:
    numbers = ["2", "2", "3", "4", "4"]
    led = [f"{entry} ..." for entry in ENTRIES]
    found = contents_lines([[*numbers, "Ley de lectura", "Índice", *led], ["Texto."], ["Texto."], ["Fin."]])
    assert [sorted(page) for page in found] == [[0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11], [], [], []]
    assert contents_lines([[*led, *numbers], ["Texto."], ["Texto."], ["Fin."]])[0] == set(range(10))
    form = ["Nombre ...", "Apellidos ...", "Domicilio ...", "Firma ..."]
    assert contents_lines([form, ["Texto."], ["Texto."], ["Fin."]])[0] == set()


def test_titles_that_come_again_with_a_text_are_contents() -> None:
    entries = ["Título I. De la lectura", *ENTRIES]
    pages = [["Ley", *entries], ["Título I. De la lectura", *ARTICLES]]
    assert [sorted(page) for page in contents_lines(pages)] == [[1, 2, 3, 4, 5, 6], []]
    headings = assemble(pages, []).headings
    assert [one.title for one in headings] == ["Título I. De la lectura", *(f"{entry}." for entry in ENTRIES)]
    assert contents_lines([["Ley", *entries, *pages[1]]]) == [set(range(1, 7))], "the text right below"
    assert contents_lines([["Ley", *ENTRIES], ["Texto.", *ENTRIES]]) == [set(), set()], "twice, with no text"
    assert contents_lines([["Ley", *ARTICLES], ["Ley", *ARTICLES]]) == [set(), set()], "a law that is printed twice"


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_contents_of_a_text_without_pages_are_no_headings(between: str) -> None:
    extracted = extract(between.join(["Ley", *ENTRIES, *ARTICLES]).encode(), TEXT)
    assert [one.title for one in extracted.headings] == [f"{entry}." for entry in ENTRIES]
    assert [extracted.text[start:end] for start, end in extracted.furniture] == [between.join(ENTRIES)]


def test_contents_without_title_and_leaders_are_known_by_the_pages_of_their_headings() -> None:
    entries = ["Guía de la red", "Cables y conectores 11", "Antenas de tejado 12", "Averías frecuentes 13"]
    pages = [[name, WIDE] for name in ("Cables y conectores", "Antenas de tejado", "Averías frecuentes")]
    assert [sorted(page) for page in contents_lines([entries, *pages])] == [[1, 2, 3], [], [], []]
    points = ["Cables y conectores 2", "Antenas de tejado 2", "Averías frecuentes 3"]
    assert contents_lines([points, *(page * 2 for page in pages[:1]), [*pages[1], *pages[2]]]) == [set()] * 3


@pytest.mark.parametrize("title", ["Concept Index", "Function and Data Index", "Índice onomástico", "Index of names"])
def test_an_index_at_the_end_is_one_whatever_it_is_of(title: str) -> None:
    text = [[WIDE, "otra."]] * 5
    entries = [title, "A", "asn1_array2tree ... 9", "asn1_bit_der... 17", "F", "FDL, GNU Licence ... 24", "Future, 4"]
    assert sorted(contents_lines([*text, entries])[-1]) == list(range(len(entries)))
    assert (
        contents_lines([*text, ["Price index", "Wine is cheap.", "Bread is not.", WIDE, "otra.", "and"]])[-1] == set()
    )


@pytest.mark.parametrize(
    ("front", "title"),
    [
        (
            [("Advanced Methods", 20), ("For Record Linkage", 20), ("Article 3 of 1994", 9)],
            "Advanced Methods For Record Linkage",
        ),
        ([("See publications at", 9), ("Shared Database", 17.5), ("The editor", 9)], "Shared Database"),
        ([("Big", 20), ("small and long text", 9), ("Bigger", 20)], ""),  # which of them?
        ([("One", 10), ("size", 10)], ""),
        ([("Boletín Oficial de la Provincia", 20), ("Ayuntamiento de Ávila, que dice", 9)], ""),
        ([("Contents", 20), ("Introduction and others", 9)], ""),
        ([("1. Introduction", 20), ("This is what it says.", 9)], ""),
        ([("A line that ends as a sentence does.", 20), ("This is what it says.", 9)], ""),
        ([], ""),
    ],
)
def test_the_largest_print_of_the_first_page_is_the_title(front: list[tuple[str, float]], title: str) -> None:
    lines = [PrintedLine(text, 0, size) for text, size in front] + [PrintedLine("A CHAPTER", 1, 40.0)]
    assert title_in_print(lines) == title


def test_contents_are_read_and_not_retrieved() -> None:
    contents = ["Índice", "Artículo 1. Objeto ... 2", "Artículo 2. Fines ... 3", "Artículo 3. Medios ... 4"]
    pages = [
        [f"Artículo {n}. {name}.", f"{WIDE} {n}", "otra página."]
        for n, name in enumerate(("Objeto", "Fines", "Medios"), 1)
    ]
    extracted = assemble([contents, *pages, ["Se acabó."]], [])
    assert [extracted.text[start:end] for start, end in extracted.furniture] == ["\n".join(contents)]
    chunks = list(cut_chunks(extracted, 800, 100))
    assert not any("..." in one.text for one in chunks)
    assert [one.title for one in extracted.headings] == [
        "Artículo 1. Objeto.",
        "Artículo 2. Fines.",
        "Artículo 3. Medios.",
    ]


def test_a_document_of_little_else_is_found_by_its_contents() -> None:
    assert furniture_of([(0, 60)], 100) == ()
    assert furniture_of([(0, 10), (11, 20), (40, 50)], 100) == ((0, 20), (40, 50))


def test_large_lines_are_headings_unless_they_run() -> None:
    body = [PrintedLine(WIDE, page, 10.0) for page in range(9) for _ in range(5)]
    heads = [PrintedLine("Revista", page, 14.0) for page in range(9)]
    lines = sorted([*heads, *body], key=lambda line: line.page)
    lines[:1] = [PrintedLine("El Título", 0, 30.0), PrintedLine("Primera parte", 0, 16.0)]
    lines[8:8] = [
        PrintedLine("Lo que sigue", 1, 12.0),
        PrintedLine("en otra línea", 1, 12.0),
        PrintedLine(WIDE, 1, 10.0),
    ]
    lines[11:11] = [PrintedLine("Segunda parte", 1, 16.0), PrintedLine(WIDE, 1, 10.0)]
    assert headings_by_print(lines) == [
        Bookmark(1, "El Título", 0),
        Bookmark(1, "Primera parte", 0),
        Bookmark(2, "Lo que sigue en otra línea", 1),
        Bookmark(1, "Segunda parte", 1),
    ]


BOLD = "AAAAAA+DejaVuSerif-Bold"


def in_bold(text: str, top: float, *, page: int = 0, font: str = BOLD) -> PrintedLine:
    return PrintedLine(text, page, 12.0, top, top - 12, font)


def body(*tops: float, page: int = 0) -> list[PrintedLine]:
    return [PrintedLine(WIDE, page, 12.0, top, top - 12, "AAAAAA+DejaVuSerif") for top in tops]


def test_lines_in_bold_that_are_set_off_are_headings() -> None:
    lines = [
        *body(800, 786),
        in_bold("Plazos", 760),
        *body(740, 726),
        in_bold("Artículo 16 - Presidente. Funciones", 700),
        *body(680, 666, 652),
        in_bold("Al final de la página", 630),
        *body(800, 786, 772, 758, page=1),
    ]
    assert headings_by_print(lines) == [
        Bookmark(1, "Plazos", 0),
        Bookmark(1, "Artículo 16 - Presidente. Funciones", 0),
        Bookmark(1, "Al final de la página", 0),
    ]


@pytest.mark.parametrize(
    "line",
    [
        in_bold("Plazos", 772),  # below a line of the text as another one of it
        in_bold("Plazos", 760, font="AAAAAA+DejaVuSerif-Italic"),
        in_bold("Plazos", 760, font=""),  # a few words of it alone
        in_bold("Se avisa con tiempo. Quien no lo hace, paga.", 760),
        in_bold(WIDE, 760),
        in_bold("Nota:", 760),
        in_bold("Importe 1.250 €", 760),
        in_bold("Fdo. Ana Ruiz", 760),
        in_bold("Tabla 1. Precios", 760),
    ],
)
def test_other_lines_in_bold_are_none(line: PrintedLine) -> None:
    assert headings_by_print([*body(800, 786), line, *body(740, 726, 712, 698)]) == []


def test_labels_of_a_form_and_what_ends_a_document_are_none() -> None:
    labels = [in_bold("Nombre", 760), in_bold("Domicilio", 730), in_bold("Un saludo", 700)]
    assert headings_by_print([*body(900, 886, 872), *labels]) == []


def test_large_titles_over_two_lines_count_as_one() -> None:
    wrapped = [PrintedLine(f"{text} {n}", 0, 18.0) for n in range(3) for text in ("La larga historia de", "la parte")]
    lines = [line for n in range(3) for line in (*wrapped[2 * n : 2 * n + 2], *body(800, 786, 772, 758))]
    assert len(headings_by_print(lines)) == 3


def test_in_a_text_in_bold_nothing_stands_out_by_it() -> None:
    lines = [line for top in range(800, 400, -60) for line in (in_bold("Plazos de entrega", top), *body(top - 20))]
    bold = [PrintedLine(line.text, line.page, line.size, line.top, line.bottom, BOLD) for line in lines]
    assert headings_by_print(bold) == []


@pytest.mark.parametrize(
    ("filename", "title"),
    [
        ("quicksort_explicacion.txt", "Quicksort Explicación"),
        ("01-fundamentos-de-redes.md", "01 Fundamentos de Redes"),
        ("Informe_Anual-2024.pdf", "Informe Anual-2024"),
        ("README", "README"),
        ("___.pdf", "___.pdf"),
    ],
)
def test_a_file_name_becomes_a_title(filename: str, title: str) -> None:
    assert title_of_file(filename) == title


def test_the_first_of_many_chapters_is_no_title() -> None:
    first, second = HeadingSpan(1, "CHAPTER 1 – INTRODUCTION", 0, 5), HeadingSpan(1, "CHAPTER 2", 6, 9)
    assert [title_among(some) for some in ([first, second], [first], [])] == ["", first.title, ""]


def test_a_law_is_called_by_its_number() -> None:
    text = "BOLETÍN\n10477 Real Decreto 1192/2012, de 3 de agosto, por el que se regula algo. Más.\n"
    named = "Real Decreto 1192/2012, de 3 de agosto, por el que se regula algo"
    assert title_of_norm(text, "Disposición 10477") == named
    assert title_of_norm(text, "El Real Decreto 1192/2012") == "El Real Decreto 1192/2012"


def test_a_passage_of_several_sections_says_where_each_stands() -> None:
    text = "# Uno\n\nEl primero.\n\n## Dos\n\nEl segundo.\n\n## Tres\n\nEl tercero."
    starts = [(1, "Uno", 0, 5), (2, "Dos", text.index("## Dos"), text.index("## Dos") + 6)]
    starts += [(2, "Tres", text.index("## Tres"), len(text) - 13)]
    extracted = Extracted(text, headings=tuple(HeadingSpan(*one) for one in starts))
    (chunk,) = cut_chunks(extracted, 800, 100)
    assert chunk.heading_path == ("Uno",)
    assert [(one.heading_path, text[one.start : one.end].split()[-1]) for one in chunk.parts] == [
        (("Uno",), "primero."),
        (("Uno", "Dos"), "segundo."),
        (("Uno", "Tres"), "tercero."),
    ]


def test_what_is_counted_below_dispositions_is_kept_as_one_of_them() -> None:
    text = (
        "Artículo 1. Objeto.\nUno.\n\nArtículo 2. Fines.\nDos.\n\nDISPOSICIONES ADICIONALES\n\n"
        "Primera. Comisión.\nTres.\n\nSegunda. Zonas.\nOtro.\n\nDISPOSICIONES DEROGATORIAS\n\nÚnica. Normas.\nCinco.\n"
    )
    rows = sections_of(Document(), 1, extract(text.encode(), TEXT))
    assert [row.key for row in rows if "disposicion" in row.key and row.key[-1].isdigit()] == [
        "disposicion adicional:1",
        "disposicion adicional:2",
        "disposicion derogatoria:1",
    ]


def test_a_text_has_its_numbered_headings() -> None:
    text = "CAPÍTULO I\n\nArtículo 1. Objeto.\nTexto del primero.\n\nArtículo 2. Fines.\nTexto."
    extracted = extract(text.encode(), TEXT)
    assert [(one.level, one.title, text[one.start : one.end]) for one in extracted.headings] == [
        (1, "CAPÍTULO I", "CAPÍTULO I"),
        (2, "Artículo 1. Objeto.", "Artículo 1. Objeto."),
        (2, "Artículo 2. Fines.", "Artículo 2. Fines."),
    ]


def test_paragraphs_of_a_document_without_styles_are_headings_by_their_numbers() -> None:
    long = "Los ciudadanos tienen derecho a todo lo que se dice. " * 6
    blocks = [
        DocxBlock("TÍTULO I"),
        DocxBlock(f"Artículo 1. {long}"),
        DocxBlock("Artículo 2. Fines."),
        DocxBlock("a) Uno."),
    ]
    assert [(one.level, one.text[:18]) for one in with_numbered_blocks(blocks)] == [
        (1, "TÍTULO I"),
        (2, "Artículo 1."),
        (0, "Los ciudadanos tie"),
        (2, "Artículo 2. Fines."),
        (0, "a) Uno."),
    ]


def cut(text: str, granularity: int = 64) -> list[ChunkDraft]:
    return list(cut_chunks(Extracted(text), granularity, 8))


def test_code_is_cut_beside_its_fence() -> None:
    prose = " ".join(["Una frase que habla de ello."] * 5)
    code = "```python\n" + "\n".join(f"valor_{n} = {n}" for n in range(6)) + "\n```"
    chunks = cut(f"{prose}\n{code}\n{prose}\n{code}\n{prose}", 128)
    assert len(chunks) > 1
    assert all(
        one.text.count("```") in (0, 2, 4) and one.text.count(code) * 2 == one.text.count("```") for one in chunks
    )


def test_rows_of_a_cut_table_keep_the_names_of_its_columns() -> None:
    table = "| Puerto | Uso |\n|---|---|\n" + "\n".join(f"| {n} | servicio número {n} |" for n in range(40))
    first, *others = cut(f"Los puertos:\n\n{table}\n\nFin.")
    assert first.heading_path == ()
    within = [one for one in others if one.text.startswith("|")]
    assert within
    assert all(one.heading_path == ("Puerto · Uso",) and one.text.endswith(("|", ".")) for one in within)


def test_contents_of_markdown_are_not_retrieved() -> None:
    text = "# Redes\n\n## 📚 Contenidos\n\n- Qué es una red\n- Topologías\n\n---\n\n## Qué es una red\n\nUn conjunto."
    text += "\n\n## Contenido\n\nNo es una lista, sino un texto que dice algo."
    extracted = extract(text.encode(), MARKDOWN)
    assert [extracted.text[start:end] for start, end in extracted.furniture] == ["- Qué es una red\n- Topologías"]
    assert not any("- Topologías" in one.text for one in cut_chunks(extracted, 800, 100))


def headed(lines: list[str], *bookmarks: Bookmark) -> list[tuple[str, str]]:
    extracted = assemble([lines], bookmarks)
    return [(one.title, extracted.text[one.start : one.end]) for one in extracted.headings]


def test_an_outline_without_numbers_takes_those_that_are_printed() -> None:
    lines = [
        "2.7.3. Elegir una versión",
        WIDE,
        "B.5 Opciones avanzadas",
        WIDE,
        "12 monos",
        WIDE,
        "4.1 Ya contado",
        WIDE,
    ]
    titles = ("Elegir una versión", "Opciones avanzadas", "12 monos", "4.1 Ya contado")
    assert [title for title, _ in headed(lines, *(Bookmark(1, title, 0) for title in titles))] == [
        "2.7.3. Elegir una versión",
        "B.5 Opciones avanzadas",
        "12 monos",
        "4.1 Ya contado",
    ]


def test_a_title_takes_the_number_of_its_chapter_from_above() -> None:
    lines = [
        "Capítulo 5",
        "Arrancar",
        WIDE,
        "CHAPTER",
        "FOUR",
        "",
        "SOURCE PACKAGES",
        WIDE,
        "Véase el capítulo 7",
        "Fin",
    ]
    marks = (Bookmark(1, "Arrancar", 0), Bookmark(1, "Source packages", 0), Bookmark(1, "Fin", 0))
    assert headed(lines, *marks) == [
        ("Capítulo 5. Arrancar", "Capítulo 5 Arrancar"),
        ("CHAPTER FOUR. Source packages", "CHAPTER FOUR SOURCE PACKAGES"),
        ("Fin", "Fin"),
    ]


def test_items_of_a_list_are_no_headings_where_the_outline_counts_by_points() -> None:
    lines = ["3 Antes", "3.1 Ver", "1. Haga copias.", "2. Busque el programa.", "3. Arranque la máquina.", "3.2 Copias"]
    lines += ["3.3 Redes", WIDE]
    titles = ("3 Antes", "3.1 Ver", "3.2 Copias", "3.3 Redes")
    assert [title for title, _ in headed(lines, *(Bookmark(1, title, 0) for title in titles))] == list(titles)


def test_a_mention_of_a_section_that_the_outline_counts_is_no_heading() -> None:
    titles = ("1.1 Órdenes", "1.2 Textos", "1.3 Redes")
    mentions = ["Sección 1.1 (para órdenes),", "Sección 1.2 (para textos),", "Sección 1.3 (para redes)."]
    lines = [WIDE, *mentions, titles[0], WIDE, titles[1], WIDE, titles[2], WIDE]
    assert [title for title, _ in headed(lines, *(Bookmark(1, title, 0) for title in titles))] == list(titles)


def test_articles_may_be_shortened_and_followed_by_their_text() -> None:
    lines = ["Art. 1.º Denominación. Con este nombre se hace", "una asociación.", "Art. 2.- Fines. Son fines:"]
    lines += [
        "a) uno.",
        "Art. 2.º bis. Otros fines. Los que se añadan.",
        "Art. 3.º Los socios pagan en febrero.",
        "Art. 14",
    ]
    lines += ["DISPOSICIÓN DEROGATORIA. Queda derogado el texto de 2001.", "DISPOSICIÓN FINAL. Entra en vigor hoy."]
    assert [title for _, title in outline(*lines)] == [
        "Art. 1.º Denominación.",
        "Art. 2.- Fines.",
        "Art. 2.º bis. Otros fines.",
        "Art. 3.º Los socios pagan en febrero.",
        "DISPOSICIÓN DEROGATORIA.",
        "DISPOSICIÓN FINAL.",
    ]


def test_a_long_sentence_that_is_all_that_an_article_has_is_its_text() -> None:
    opened = "La biblioteca abre de lunes a viernes de ocho a veinte horas"
    lines = [f"Artículo 1. {opened}.", "Artículo 2. Tabaco.", f"{WIDE}.", "Artículo 3. Se prohíbe fumar."]
    lines += [f"Artículo 4. {opened}. Cierra.", f"Artículo 5. {opened.upper()}.", f"Artículo 6. {opened}.", f"{WIDE}."]
    assert [title for _, title in outline(*lines)] == [
        "Artículo 1.",
        "Artículo 2. Tabaco.",
        "Artículo 3. Se prohíbe fumar.",
        f"Artículo 4. {opened}.",
        *lines[5:7],
    ]


def test_clauses_may_be_counted_by_ordinals_and_schedules_follow_them() -> None:
    lines = ["PRIMERA.- Objeto. El del contrato.", WIDE, "Tercera. Ninguna.", "SEGUNDA.- Precio. Mil euros.", "Texto."]
    lines += [
        "TERCERA: Plazo. Un año.",
        "Primera. De ellas.",
        "SCHEDULE 1: INVENTORY",
        "Una silla.",
        "Schedule 2 Rules",
    ]
    assert [title for _, title in outline(*lines)] == [
        *("PRIMERA.- Objeto.", "SEGUNDA.- Precio.", "TERCERA: Plazo.", "SCHEDULE 1: INVENTORY", "Schedule 2 Rules")
    ]


def test_sections_may_be_named_with_a_number_of_several_parts() -> None:
    lines = [
        "Section 1. Terms",
        "Texto.",
        "Section 1.1. Rent",
        "Texto.",
        "Section 1.2. Deposit",
        "Texto.",
        "Section 2. End",
    ]
    assert [title for _, title in outline(*lines)] == [line for line in lines if line != "Texto."]


def test_a_title_in_capitals_opens_its_clauses() -> None:
    lines = [WIDE, "1. DEFINITIONS", "1.1 Deposit means a sum.", "1.2 Term means a year.", "2. RENT", "2.1 It is paid."]
    assert [title for _, title in outline(*lines)][:2] == ["1. DEFINITIONS", "1.1 Deposit means a sum."]


def test_a_title_of_many_lines_is_whole_and_may_end_with_a_full_stop() -> None:
    title = ["REGULATION (EU) 7/2016 OF THE ASSEMBLY", "and of the Council of 27 April 2016 on the protection of those"]
    title += ["who read and of what they have read, on the free movement of", "books (General Reading", "Regulation)."]
    lines = [PrintedLine(line, 0, 14.0) for line in title] + [
        PrintedLine(WIDE, page, 10.0) for page in (0, 0, 1, 1)
    ] * 4
    whole = " ".join(title).rstrip(".")
    assert title_in_print(lines) == whole
    assert headings_by_print(lines) == [Bookmark(1, whole, 0)]
    extracted = assemble([[*title, WIDE, "otra."]], headings_by_print(lines))
    assert [one.title for one in extracted.headings] == [whole]


@pytest.mark.parametrize("media_type", [TEXT, MARKDOWN])
def test_a_law_without_pages_is_called_as_its_first_lines_say(media_type: str) -> None:
    law = "Ley Orgánica 3/2018, de 5 de diciembre, de Lectura"
    assert extract(f"{law}.\n\nArtículo 1. Objeto.\n\nLeer.".encode(), media_type).title == law
    notes = f"Notas\n\nuna\n\notra\n\n{law}.\n\nSe aplica."
    assert extract(notes.encode(), media_type).title == "", "a law that a text names is not what it is"


def test_an_article_whose_text_begins_on_its_line_has_its_number_for_a_heading() -> None:
    law = "\n\n".join(f"ARTICULO {n}°.- {WIDE}\notra línea, que acaba." for n in range(1, 4))
    extracted = extract(f"{law}\n\nARTICULO 4°.- Comuníquese al Poder Ejecutivo.".encode(), TEXT)
    assert [one.title for one in extracted.headings] == [f"ARTICULO {n}°." for n in range(1, 5)]
    titled = "\n\n".join(f"Artículo {n}. Objeto y fines.\n\n{WIDE}\notra línea, que acaba." for n in range(1, 4))
    assert extract(titled.encode(), TEXT).headings[0].title == "Artículo 1. Objeto y fines."


def test_what_introduces_a_list_is_no_title_of_an_article() -> None:
    lines = [line for n in (1, 2) for line in (f"Artículo {n}. Son fines de la norma:", "a) leer;", "b) y escribir.")]
    assert [one.title for one in assemble([[WIDE, "otra.", *lines]], []).headings] == ["Artículo 1.", "Artículo 2."]
