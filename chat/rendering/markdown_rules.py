"""What Acervo's Markdown changes in a parsed text: images, links and citations (RELIABILITY R17); pure."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from importlib import import_module
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from chat.rendering.citations import CITATION, MOST_CITATIONS, numbers_in

HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")  # as the parser normalises it: lower case, punycode
# Of a table's cells that nobody wrote: rows of a bare `|` are filled up to the columns of the first one. With the
# parser's own limit of 65,536, 10 KB of text became 1.3 s of work and 750 KB of HTML.
MOST_EMPTY_CELLS = 2_000
_OF_FORMULAS = frozenset("\\^_=+*/<>{}|")
LONGEST_VARIABLE = 3  # letters
# Brackets within brackets: each is tried as many levels deep as may be nested, at every letter. The parser's own limit
# of 20 is for lists in lists too, which stay as they are.
MOST_NESTED = 6
LINK_ATTRIBUTES = {"rel": "noopener noreferrer nofollow", "target": "_blank"}


def parser() -> MarkdownIt:
    """CommonMark with tables, strikethrough and formulas between dollars, without HTML and reference definitions.

    A model that is led to write `[1]: https://…` must not turn the citation `[1]` into that link; and a block
    that is rendered by itself must not depend on a definition in another.
    """
    import_module("markdown_it.rules_block.table").MAX_AUTOCOMPLETED_CELLS = MOST_EMPTY_CELLS  # type: ignore[attr-defined]  # its own
    markdown, within_lines = _dialect(), _dialect(maxNesting=MOST_NESTED)
    markdown.core.ruler.at("inline", partial(_parse_lines, within_lines))
    for name, kind in (("math_inline", "inline"), ("math_inline_double", "block"), ("math_block", "block")):
        markdown.add_render_rule(name, _formula(kind))
    markdown.core.ruler.after("inline", "acervo", _rewrite)  # before escapes (`\[1\]`) join the text
    return markdown


def _dialect(**options: int) -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, **options})
    markdown.enable(["table", "strikethrough"]).disable("reference")
    markdown.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    # Every address is parsed, so that a refused one shows its text, not its source; `_rewritten` judges.
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown


def _parse_lines(markdown: MarkdownIt, state: StateCore) -> None:
    """What stands within blocks, as `markdown` parses it."""
    for token in state.tokens:
        if token.type == "inline":
            token.children = []
            markdown.inline.parse(token.content, markdown, state.env, token.children)


def _formula(kind: str) -> Callable[..., str]:
    """TeX as it was written; a page sets it (`static/acervo/rich.js`)."""

    def rendered(_renderer: object, tokens: Sequence[Token], index: int, *_: object) -> str:
        content = tokens[index].content.strip()
        if kind == "inline" and not _OF_FORMULAS.intersection(content) and len(content) > LONGEST_VARIABLE:
            return escape(f"${content}$")  # between two prices
        span = f'<span class="math {kind}">{escape(content)}</span>'
        return f"<p>{span}</p>\n" if tokens[index].block else span

    return rendered


def _rewrite(state: StateCore) -> None:
    citing = Citing(state.env["sources"], state.env.get("marks", {}))
    for token in state.tokens:
        if style := token.attrs.pop("style", None):  # a column's alignment; the CSP allows no inline style
            token.attrs["align"] = str(style).removeprefix("text-align:")
        if token.children is not None:
            token.children = list(_rewritten(token.children, citing))


def _rewritten(children: list[Token], citing: "Citing") -> Iterator[Token]:
    link: SplitResult | None = None
    inside = False
    said = ""
    for token in children:
        if token.type == "link_open":
            inside, said = True, ""
            link = _followable(str(token.attrs.get("href", "")))
            if link is not None:
                token.attrs.pop("title", None)  # a tooltip may claim another destination
                token.attrs |= LINK_ATTRIBUTES
                yield token
        elif token.type == "link_close":
            inside = False
            if link is not None:
                yield token
                yield from _destination(link, said)
        elif inside:
            said += token.content
            yield _without_image(token)
        elif token.type == "text" and citing.sources:
            yield from citing.linked(token.content)
        else:
            yield _without_image(token)


def _without_image(token: Token) -> Token:
    return _text(token.content) if token.type == "image" else token


def _followable(href: str) -> SplitResult | None:
    """The address of a link that may be followed: http, https or mailto, absolute, without userinfo."""
    try:
        parts = urlsplit(href)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme == "mailto":
        return parts if parts.path and not parts.netloc else None
    if parts.scheme not in {"http", "https"} or not HOST.fullmatch(host or "") or "@" in parts.netloc:
        return None
    return parts


def _destination(link: SplitResult, said: str) -> Iterator[Token]:
    """Where the link leads, in sight, unless its text says exactly that."""
    target = unquote(link.path) if link.scheme == "mailto" else str(link.hostname)
    shown = _followable(said.strip())
    if said.strip() == target or (shown is not None and shown.hostname and shown.hostname == link.hostname):
        return
    yield _html(f' <span class="link-host">({escape(target)})</span>')


class CitationMark(NamedTuple):
    """How one citation is drawn: the sentence behind it, its characters in the document and its page, or that there is
    none."""

    is_supported: bool
    quote: str = ""
    span: str = ""  # "start-end"
    place: str = ""


Marks = Mapping[int, Sequence[CitationMark]]  # by number, in the order of its citations


class Citing:
    """Makes links of the citations of one text, up to MOST_CITATIONS: a range in six characters is fifty links."""

    def __init__(self, sources: Collection[int], marks: Marks) -> None:
        self.sources = sources
        self._left = MOST_CITATIONS
        self._marks = {n: iter(each) for n, each in marks.items()}

    def linked(self, text: str) -> Iterator[Token]:
        position = 0
        for group in CITATION.finditer(text):
            existing = dict.fromkeys(numbers_in(group[1], self.sources))
            if existing and len(existing) <= self._left:
                self._left -= len(existing)
                yield _text(text[position : group.start()])
                position = group.end()
                for n in existing:
                    yield _html(self._link(n))
        yield _text(text[position:])

    def _link(self, n: int) -> str:
        mark = next(self._marks.get(n, iter(())), None)
        if mark is None:
            return f'<a class="citation" href="#source-{n}" data-n="{n}">{n}</a>'
        if not mark.is_supported:
            return f'<a class="citation unsupported" href="#source-{n}" data-n="{n}">{n}</a>'
        said = f' data-span="{escape(mark.span)}" data-quote="{escape(mark.quote)}"'
        said += f' data-place="{escape(mark.place)}"' if mark.place else ""
        return f'<a class="citation" href="#source-{n}" data-n="{n}"{said}>{n}</a>'


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _html(content: str) -> Token:
    return Token("html_inline", "", 0, content=content)
