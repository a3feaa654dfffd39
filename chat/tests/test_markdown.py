"""An answer as HTML: nothing that loads, runs or hides where it leads; citations that lead to sources."""

import re
import time
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.parser_inline import ParserInline

from agents.llm.quoting.quotable import title_shown
from chat.rendering.markdown import TAGS, BlockRenderer, render, sanitise
from chat.rendering.markdown_rules import MOST_NESTED

FOLLOWED = 'rel="noopener noreferrer nofollow" target="_blank"'


def cite(n):
    return f'<a class="citation" href="#source-{n}" data-n="{n}">{n}</a>'


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"),
        ("# T", "<h1>T</h1>"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'),
        ("```python\nx < 1\n```", '<pre><code class="language-python">x &lt; 1\n</code></pre>'),
        ("```py<b onclick=1>\nx\n```", "<pre><code>x\n</code></pre>"),
        ("<b onclick=x>a</b><script>y</script>", "<p>&lt;b onclick=x&gt;a&lt;/b&gt;&lt;script&gt;y&lt;/script&gt;</p>"),
    ],
)
def test_markdown_becomes_html_and_html_stays_text(markdown, html):
    assert render(markdown).strip() == html


def test_tables_keep_their_alignment_without_inline_style():
    html = render("|a|b|\n|-|-:|\n|1|2|")
    assert '<td align="right">2</td>' in html
    assert "style" not in html


@pytest.mark.parametrize(
    "image",
    [
        "![el texto](https://evil.example/p.png?q=secreto)",
        "![el texto](//evil.example/p.png)",
        "![el texto](data:image/svg+xml;base64,AAAA)",
        "[![el texto](https://evil.example/a.png)](javascript:alert(1))",
    ],
)
def test_an_image_is_only_its_text(image):
    assert render(image).strip() == "<p>el texto</p>"


def test_references_are_not_resolved_so_that_no_definition_can_take_a_citation_over():
    html = render("Cierto [1] y ![x][pic]\n\n[1]: https://evil.example\n[pic]: https://evil.example/p.png", {1})
    assert 'href="https' not in html
    assert "<img" not in html
    assert html.startswith(f"<p>Cierto {cite(1)} y")


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (
            "[t](https://a.example/x)",
            f'<a href="https://a.example/x" {FOLLOWED}>t</a> <span class="link-host">(a.example)</span>',
        ),
        (
            "[https://bank.example](https://evil.example)",
            f'<a href="https://evil.example" {FOLLOWED}>https://bank.example</a> '
            '<span class="link-host">(evil.example)</span>',
        ),
        ("<https://a.example/x>", f'<a href="https://a.example/x" {FOLLOWED}>https://a.example/x</a>'),
        ("<a@b.example>", f'<a href="mailto:a@b.example" {FOLLOWED}>a@b.example</a>'),
        (
            "[escribe](mailto:a@b.example)",
            f'<a href="mailto:a@b.example" {FOLLOWED}>escribe</a> <span class="link-host">(a@b.example)</span>',
        ),
        (
            "[t](https://a.example 'título')",
            f'<a href="https://a.example" {FOLLOWED}>t</a> <span class="link-host">(a.example)</span>',
        ),
    ],
)
def test_a_link_shows_where_it_leads(markdown, html):
    assert render(markdown).strip() == f"<p>{html}</p>"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "/admin/",
        "//evil.example",
        "#top",
        "https://bank.example@evil.example/",
        "https:///x",
        "ftp://a.example",
        "&#106;avascript:x",
        "https://[",
        "blob:x",
    ],
)
def test_any_other_link_is_only_its_text(address):
    assert "<a" not in render(f"[el texto]({address})")
    assert "el texto" in render(f"[el texto]({address})")


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("Sí [1].", f"Sí {cite(1)}."),
        ("Sí [1][2], [1, 2] y [1-2]", f"Sí {cite(1)}{cite(2)}, {cite(1)}{cite(2)} y {cite(1)}{cite(2)}"),
        ("No [9], sí [2, 9]", f"No [9], sí {cite(2)}"),
        ("`[1]` y \\[1\\]", "<code>[1]</code> y [1]"),
        ("**[1]**", f"<strong>{cite(1)}</strong>"),
    ],
)
def test_citations_lead_to_existing_sources_and_never_in_code(markdown, html):
    assert render(markdown, {1, 2}).strip() == f"<p>{html}</p>"
    assert "citation" not in render(f"```\n{markdown}\n```", {1, 2})
    assert "citation" not in render(markdown)


class Inspector(HTMLParser):
    """Fails on whatever may load, run or lead somewhere unmarked."""

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        for name, value in attrs:
            assert name in {"href", "rel", "target", "class", "data-n", "start", "align"}
            if name == "href":
                assert re.match(r"#source-\d+$|https?://|mailto:", value)
                assert value.startswith("#source-") or dict(attrs)["rel"] == "noopener noreferrer nofollow"


MARKUP = st.lists(
    st.sampled_from(
        [
            "<script>",
            "<img src=x onerror=y>",
            "![a](http://e/p)",
            "[a](javascript:x)",
            "[1]",
            "[1](http://e)",
            "<a href='x'>",
            "`",
            "```\n",
            "\n\n",
            "- ",
            "> ",
            "|a|\n|-|\n|",
            "&lt;",
            "<",
            "]",
            "(",
            "**",
            "\\",
            "[x]: http://e\n",
            "<!--",
            "\0",
            "é",
            "[2]: data:x\n",
            " ",
        ]
    )
).map("".join)


@given(MARKUP | st.text())
def test_nothing_dangerous_comes_out_whatever_goes_in(markdown):
    html = render(markdown, {1, 2})
    Inspector().feed(html)
    assert sanitise(html) == html


BLOCKS = st.lists(
    st.sampled_from(
        [
            "Un párrafo [1].",
            "Dos\nlíneas",
            "# Título",
            "- a\n- b",
            "- a\n\n- b",
            "- a\n\n  más\n- c",
            "1. a\n\n2. b\n   - c",
            "```py\nx\n\ny\n```",
            "~~~\n```\n\n~~~",
            "> cita\n> más",
            "|a|b|\n|-|-|\n|1|2|",
            "    código\n\n    más",
            "Pasos:\n1. uno\n\n2. dos",
            "---",
            "1. Haz:\n\n   ```sh\n   ls\n\n   cd\n   ```\n\n2. Fin",
            "* a\n\n    b",
        ]
    ),
    max_size=8,
)


@given(BLOCKS, st.lists(st.integers(1, 15)))
def test_the_blocks_together_are_the_whole_answer(blocks, cuts):
    markdown = rest = "\n\n".join(blocks)
    renderer, found = BlockRenderer({1}), []
    for cut in cuts:
        found += renderer.feed(rest[:cut])
        rest = rest[cut:]
    found += [*renderer.feed(rest), *renderer.finish()]
    assert "".join(html for _, html in found) == render(markdown, {1})
    assert [index for index, _ in found] == list(range(len(found)))


def test_a_block_is_ready_at_the_blank_line_that_ends_it():
    renderer = BlockRenderer()
    assert renderer.feed("Uno\n") == []
    assert renderer.feed("\nDos") == [(0, "<p>Uno</p>\n")]
    assert renderer.feed("\n\n```\na\n\n") == [(1, "<p>Dos</p>\n")]
    assert renderer.feed("b\n```\n") == []
    assert renderer.feed("\n- x\n\n- y\n\n") == [(2, "<pre><code>a\n\nb\n</code></pre>\n")]
    assert renderer.feed("fin\n") == [(3, "<ul>\n<li>\n<p>x</p>\n</li>\n<li>\n<p>y</p>\n</li>\n</ul>\n")]
    assert renderer.finish() == [(4, "<p>fin</p>\n")]


def seconds_for(markdown, piece=6):
    start = time.process_time()  # the machine may be busy
    renderer = BlockRenderer({1})
    for i in range(0, len(markdown), piece):
        renderer.feed(markdown[i : i + piece])
    renderer.finish()
    return time.process_time() - start


@pytest.mark.parametrize(
    "unit",
    [
        "Un párrafo **normal** con su cita [1] y algo más de texto.\n\n",
        "- elemento de una lista larga [1]\n",
        "palabra",
        "línea\n",
        "[",
        "**a ",
        "`",
        "> ",
    ],
)
def test_a_long_answer_takes_linear_time(unit):
    small, large = unit * (20_000 // len(unit)), unit * (200_000 // len(unit))
    tenth = min(seconds_for(small) for _ in range(3))
    assert any(seconds_for(large) < 40 * max(tenth, 0.004) for _ in range(2))  # quadratic: 100


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("$e = mc^2$", '<p><span class="math inline">e = mc^2</span></p>'),
        ("$a_1 * b_2 * c_3$", '<p><span class="math inline">a_1 * b_2 * c_3</span></p>'),
        ("$$\n\\frac{a}{b}\n$$", '<p><span class="math block">\\frac{a}{b}</span></p>'),
        (
            "$<script>alert(1)</script>$",
            '<p><span class="math inline">&lt;script&gt;alert(1)&lt;/script&gt;</span></p>',
        ),
        ("De $10 a $20, o 5$.", "<p>De $10 a $20, o 5$.</p>"),
        ("`$x$`", "<p><code>$x$</code></p>"),
    ],
)
def test_formulas_between_dollars_are_marked_and_prices_are_none(markdown, html):
    assert render(markdown).strip() == html


@pytest.mark.parametrize("many", [1, 5])
def test_a_link_in_brackets_is_one_and_lists_nest_deeper_than_brackets(many: int) -> None:
    said = f"{'[' * many}[a](https://example.org){']' * many}"
    assert '<a href="https://example.org"' in render(said)
    levels = MOST_NESTED + 2
    lists = "\n".join(f"{'  ' * n}- level {n} **of** it" for n in range(levels))
    assert render(lists).count("<strong>of</strong>") == levels


@pytest.mark.parametrize("unit", ["[", "!["])
def test_open_brackets_are_tried_a_few_times_each(unit: str, monkeypatch: Any) -> None:
    """64 kB of them took three seconds with the parser's own limit."""
    tried = 0
    skip = ParserInline.skipToken

    def counted(parser: ParserInline, state: Any) -> None:
        nonlocal tried
        tried += 1
        skip(parser, state)

    monkeypatch.setattr(ParserInline, "skipToken", counted)
    text = unit * 4_000
    render(text)
    assert 0 < tried <= 16 * len(text)  # with the parser's own limit 20 and 40


@pytest.mark.parametrize("text", ["$" * 20_000, "$a " * 10_000, "$a$" * 10_000, "\\$" * 10_000, "$$a\n" * 5_000])
def test_dollars_take_time_in_proportion_to_their_number(text):
    start = time.process_time()
    render(text)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "title",
    ["[Entrar](https://evil.example/login)", "# Título", "**obliga**", "1. Uno", "<h1>Alto</h1>", "Ver [1]", "`x`"],
)
def test_the_heading_of_a_document_is_words_in_an_answer_and_nothing_else(title: str) -> None:
    html = render(f"- {title_shown(title)}", sources=(1,))
    assert "evil" not in html
    assert re.findall(r"<[^<>]*>", html) == ["<ul>", "<li>", "</li>", "</ul>"]
