"""Markdown: headings as a reader sees them, and nothing else taken for one."""

import pytest

from corpora.tests.documents import MARKDOWN
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted


def read(source: str) -> Extracted:
    extracted = extract(source.encode(), MARKDOWN)
    for heading in extracted.headings:
        line = extracted.text[heading.start : heading.end]
        assert line == f"{'#' * heading.level} {heading.title}"
        assert extracted.text[heading.end : heading.end + 1] in ("", "\n")
    return extracted


def headings(source: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in read(source).headings]


def test_atx_and_setext_headings() -> None:
    source = "# Uno\n\ntexto\n\nDos\n===\n\nmás\n\nTres\n---\n### Cuatro ###\n###### Seis\n####### no"
    assert headings(source) == [(1, "Uno"), (1, "Dos"), (2, "Tres"), (3, "Cuatro"), (6, "Seis")]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## **Título**", "Título"),
        ("## ***Muy* importante**", "Muy importante"),
        ("## `codigo` y [enlace](https://example.org)", "codigo y enlace"),
        ("## ![logo](x.png) Portada {#portada}", "logo Portada"),
        ('## <a id="x"></a>Con ancla', "Con ancla"),
        ("## variable snake_case_name", "variable snake_case_name"),
        ("## 2 * 3 * 4", "2 * 3 * 4"),
        ("## __init__ y más", "init y más"),
        ("## C#", "C#"),
        ("## 🧮 La calculadora", "🧮 La calculadora"),
    ],
)
def test_titles_lose_their_marks(line: str, title: str) -> None:
    assert headings(line) == [(2, title)]


@pytest.mark.parametrize(
    "source",
    [
        "```\n# comentario\n```",
        "~~~python\n# comentario\n~~~",
        "````\n```\n# comentario\n```\n````",
        "- lista\n\n    ```sh\n    # comentario\n    ```",
        "> ```\n# comentario\n> ```",
        "#hashtag",
        "    # código sangrado",
        "| a | b |\n|---|---|",
        "- uno\n---",
        "texto\n\n---\n\ntexto",
        "una\ndos\n---",
        "#",
    ],
)
def test_what_is_no_heading(source: str) -> None:
    assert headings(source) == []


def test_a_fence_that_nobody_closes_hides_nothing() -> None:
    assert headings("```\ncode\n\n# Sigue") == [(1, "Sigue")]


def test_front_matter_gives_the_title_and_leaves_the_text() -> None:
    extracted = read('---\ntitle: "U04 — IPv4"\ntags: [a]\n---\n\n# Otro\n\nTexto')
    assert extracted.title == "U04 — IPv4"
    assert extracted.text == "# Otro\n\nTexto"


def test_without_front_matter_the_first_level_one_heading_is_the_title() -> None:
    assert read("## Antes\n\n# **El título**\n").title == "El título"
    assert read("sin nada").title == ""


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    assert "texto" in read("---\n\ntexto").text


def test_windows_line_ends_and_latin1() -> None:
    extracted = extract("# Añadir\r\n\r\nCanción\r\n".encode("cp1252"), MARKDOWN)
    assert extracted.text == "# Añadir\n\nCanción"
    assert extracted.page_count == 0
    assert extracted.pages == ()


@pytest.mark.parametrize(
    "source",
    ["# " + "[" * 400_000, "# " + "<a " * 100_000, "# a" + " " * 400_000 + "b", "# a" + " #" * 200_000 + "b"],
)
def test_long_lines_cost_no_more_than_their_length(source: str) -> None:
    assert headings(source) == []


def test_absurdly_many_headings_become_text() -> None:
    extracted = read("# a\n" * 60_000)
    assert len(extracted.headings) == 50_000
    assert extracted.text.count("# a") == 60_000


def test_what_is_not_seen_of_a_page_is_not_read() -> None:
    source = (
        "<!-- licence -->\n\n# Streams\n\n<!-- YAML\nadded: v0.9.4\n# no heading\n-->\n\n"
        "A [`Duplex`][] stream reads and writes ([guide][g]).\n"
        "It is one of four kinds, and a [note][^1] says so of each of them, as others do in their own words.\n\n"
        "```html\n<!-- shown -->\n[g]: /shown\n```\n\n[HTTP]: the protocol of pages\n[^1]: A note is text.\n\n"
        '[`Duplex`]: #class-duplex\n[g]: https://example.org/guide "The guide"\n'
    )
    extracted = read(source)
    assert [one.title for one in extracted.headings] == ["Streams"]
    assert extracted.text.startswith("# Streams\n\nA [`Duplex`][] stream reads and writes ([guide][g]).\n")
    assert "```html\n<!-- shown -->\n[g]: /shown\n```\n\n[HTTP]: the protocol of pages\n" in extracted.text
    assert extracted.text.endswith("[^1]: A note is text.")


@pytest.mark.parametrize("source", ["<!-- never closed\n\n# Uno\n\ntexto\n", "<!-- a --> said\n\n# Uno\n\ntexto\n"])
def test_a_comment_that_does_not_end_with_its_line_hides_nothing(source: str) -> None:
    assert headings(source) == [(1, "Uno")]
    assert read(source).text == source.strip()
