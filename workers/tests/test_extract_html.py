"""HTML in a Markdown text: read as what a page shows of it, and what only looks like it left as it is."""

import time

import pytest

from corpora.tests.documents import MARKDOWN
from workers.ingestion.chunk.chunking import cut_chunks
from workers.ingestion.extract.entry import extract
from workers.tests.test_extract_markdown import headings, read

RELEASES = """\
<table>
<tr>
  <th>Release</th>
  <th>LTS End</th>
</tr>
<tr>
  <td>v0.10</td>
  <td><b>2016</b>-10-01</td>
</tr>
<tr><td>a | b<td>&nbsp;</tr>
</table>
"""
ROWS = "| Release | LTS End |\n| --- | --- |\n| v0.10 | 2016-10-01 |\n| a \\| b |  |"


@pytest.mark.parametrize(
    "source",
    [
        "Use `<b>` and ``a `<td>` b`` here.",
        "```html\n<table><tr><td>1</td></tr></table>\n```",
        "- step\n\n    ```html\n    <p>\n    ```",
        "text\n\n    <details>\n    <summary>a</summary>\n\n    </details>\n\ntext",
        "a < b and c > d",
        "if a<b and c>d",
        "A List<String>, a Map<A, B>, a Set<P> and an Optional<A>.",
        "cp <source> <directorio-proyecto> into <title>",
        "See <https://example.org> or <ana@example.org>.",
        r"\<b>bold\</b>",
        "the <b> element",
        '{{< lastmod >}} [x]({{< relref "/a.md" >}})',
        "## Using List<String>",
        "## The `<div>` tag",
    ],
)
def test_what_is_no_html_stays_as_it_is(source: str) -> None:
    assert extract(source.encode(), MARKDOWN).text == source.replace("The `<div>` tag", "The <div> tag")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<b>Bold</b>, <em>it</em> and H<sub>2</sub>O", "Bold, it and H2O"),
        ("one<br>two<br/>\nthree<br><br>four", "one\ntwo\nthree\n\nfour"),
        ("- a<br>b\n- <p>c</p>\n- d", "- a\nb\n- c\n\n- d"),
        ("<p>\n    One.\n</p>\n<p>Two.<p>Three.", "One.\n\nTwo.\n\nThree."),
        ('<div align="center">\n\n# Title\n\n- a\n  - b\n\n</div>\nEnd', "# Title\n\n- a\n  - b\n\nEnd"),
        ("Has:\n<ul>\n  <li>one</li>\n  <li>two\n  <ol><li>x</li><li><p>y</p></li></ol></li>\n</ul>\nEnd",
         "Has:\n\n- one\n- two\n  1. x\n  2. y\n\nEnd"),
        ('<a href="https://a.example/x">here</a>, <a name="x"></a><a href="#y">there</a>',
         "[here](https://a.example/x), there"),
        ('<a href="x"><img src="y"></a><a href="x"><img src="y" alt="Build"></a> <a href="/z"><p>a</p><p>b</p></a>',
         "[![Build](y)](x)\n\na\n\nb"),
        ('<p><img src="s.png" alt="LTS Schedule"/><img src="x.png"></p>', "![LTS Schedule](s.png)"),
        ("| a | b |\n|---|---|\n| <ul><li>x</li><li>y</li></ul> | 1<br>2 |", "| a | b |\n|---|---|\n| x y | 1 2 |"),
        ("<pre><code class=\"x\">a &lt; b\n  <b>c</b>\n</code></pre>", "```\na < b\n  c\n```"),
        ("<dl><dt>Term</dt><dd>What it is.</dd></dl>", "Term\nWhat it is."),
        ("a <b\nclass='x > y'>c</b>", "a c"),
        ("text</div>", "text"),
    ],
)  # fmt: skip
def test_tags_are_what_a_page_shows_of_them(source: str, text: str) -> None:
    assert extract(source.encode(), MARKDOWN).text == text


def test_headings_in_html_are_headings() -> None:
    source = '<h1 align="center">\n  <img src="l.png" alt="Logo">\n  <b>Acervo</b> &amp; co\n</h1>\n\nx\n<h3>C</h3>y'
    assert headings(source) == [(1, "Logo Acervo & co"), (3, "C")]
    assert read(source).text.endswith("x\n\n### C\n\ny")
    assert headings('# <a name="general">General Questions</a>') == [(1, "General Questions")]
    assert headings('## Options <Badge text="new" />') == [(2, "Options")]


def test_a_table_is_rows_below_its_head() -> None:
    assert read(f"Releases:\n{RELEASES}\nEnd").text == f"Releases:\n\n{ROWS}\n\nEnd"


def test_a_passage_that_begins_inside_such_a_table_has_its_columns() -> None:
    rows = "".join(f"<tr><td>v{n}</td><td>ends in the year {2000 + n}</td></tr>\n" for n in range(60))
    source = f"# Plan\n\n<table>\n<tr><th>Release</th><th>LTS End</th></tr>\n{rows}</table>\n"
    chunks = list(cut_chunks(extract(source.encode(), MARKDOWN), 256, 0))
    assert len(chunks) > 1
    assert all("Release · LTS End" in chunk.heading_path[-1] for chunk in chunks[1:])


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ('<table><tr><td colspan="2">All</td></tr><tr><td>a</td><td>b</td></tr></table>', "All\na b"),
        ("<table><tr><td>a<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table></td></tr></table>",
         "a\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |"),
        ("<table><tr><td>Only</td></tr><tr><td>one column</td></tr></table>", "Only\none column"),
        ("<table><tr><td>a</td><td>b</td></tr>", "a b"),
        ("<table><tr><td>\n\n```\n<b>\n```\n\n</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
         "```\n<b>\n```\n\nb\nc d"),
    ],
)  # fmt: skip
def test_what_is_no_plain_table_is_text_without_tags(table: str, text: str) -> None:
    assert read(table).text == text


def test_questions_that_unfold_are_headings_below_the_one_around_them() -> None:
    source = """\
# FAQ

<details markdown="1">
<summary>Which *days* are the talks?</summary>
On Friday.

### Note

It may rain.
</details>

<details><summary><b>Where?</b></summary>In <i>La Laguna</i>.
<details><summary>Which room?</summary>The first.</details>
</details>

Ask us more.

<details><summary>When?</summary>Soon.</details>
"""
    assert headings(source) == [
        (1, "FAQ"), (2, "Which days are the talks?"), (3, "Note"), (2, "Where?"), (3, "Which room?"), (2, "When?")
    ]  # fmt: skip
    assert "\n\n## Where?\n\nIn La Laguna.\n\n### Which room?\n\nThe first.\n\nAsk us more." in read(source).text


def test_what_unfolds_before_more_text_of_its_section_is_no_heading_unless_it_asks() -> None:
    folded = (
        "<details><summary>Windows</summary>Double-click.</details>\n<details><summary>Linux</summary>Run it.</details>"
    )
    assert headings(f"## Install\n\n{folded}\n\n## Use\n\nx") == [
        (2, "Install"), (3, "Windows"), (3, "Linux"), (2, "Use")
    ]  # fmt: skip
    assert read(f"## Install\n\n{folded}\n\nThen start.").text == (
        "## Install\n\n**Windows**\n\nDouble-click.\n\n**Linux**\n\nRun it.\n\nThen start."
    )


def test_solutions_that_unfold_stay_in_the_section_of_their_exercises() -> None:
    solutions = "<details><summary>Answers</summary>\n\n1. Yes.\n\n</details>"
    assert headings(f"## Quiz\n\n1. Is it?\n\n{solutions}\n\n---\n\n## Next\n\nx") == [(2, "Quiz"), (2, "Next")]
    assert headings(f"## Answers to the quiz\n\n{solutions}") == [(2, "Answers to the quiz"), (3, "Answers")]


def test_code_that_unfolds_stays_code() -> None:
    source = "<details>\n<summary>Log?</summary>\n\n```\n<b>x</b>\n# no heading\n```\n</details>\n\n    <i>code</i>\n"
    assert read(source).text == "# Log?\n\n```\n<b>x</b>\n# no heading\n```\n\n    <i>code</i>"


@pytest.mark.parametrize(
    "part", ["<table><tr><td>", "<details><summary>", "<a href=x>", "<h1><h2>", "<b ", "<b '", '<a href="', "<ul><li>"]
)
def test_whatever_is_never_closed_or_nested_forever_is_read(part: str) -> None:
    extract((part * 20_000 + "x").encode(), MARKDOWN)
    names = [name for name in ("table", "details", "summary", "a", "h1", "h2", "ul", "li") if f"<{name}" in part]
    closing = "".join(f"</{name}>" for name in reversed(names)) * 5_000
    started = time.thread_time()
    extract(f"{part * 5_000}x{closing}".encode(), MARKDOWN)
    assert time.thread_time() - started < 2
