"""Reads a sample's Markdown source into plain blocks that both writers (PDF and DOCX) understand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

Kind = Literal["heading", "paragraph", "bullet", "number", "quote", "table"]


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text with one look."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One block of a document; `level` is a heading's depth or a numbered item's number."""

    kind: Kind
    runs: Runs = ()
    level: int = 0
    rows: tuple[tuple[Runs, ...], ...] = ()

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


def parse_blocks(markdown: str) -> list[MarkdownBlock]:
    """The blocks of a CommonMark text with tables; nested lists and raw HTML are not used in our sources."""
    tree = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(markdown))
    return [block for node in tree.children for block in _blocks(node)]


def _blocks(node: SyntaxTreeNode) -> Iterator[MarkdownBlock]:
    if node.type == "heading":
        yield MarkdownBlock("heading", _runs(node), level=int(node.tag[1]))
    elif node.type == "paragraph":
        yield MarkdownBlock("paragraph", _runs(node))
    elif node.type == "blockquote":
        for child in node.children:
            yield MarkdownBlock("quote", _runs(child))
    elif node.type == "table":
        yield MarkdownBlock("table", rows=tuple(_rows(node)))
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _items(node)
    else:
        raise ValueError(f"a sample source may not use {node.type}")


def _items(node: SyntaxTreeNode) -> Iterator[MarkdownBlock]:
    kind: Kind = "bullet" if node.type == "bullet_list" else "number"
    for number, item in enumerate(node.children, start=1):
        yield MarkdownBlock(kind, _runs(item), level=number)


def _rows(table: SyntaxTreeNode) -> Iterator[tuple[Runs, ...]]:
    for section in table.children:
        for row in section.children:
            yield tuple(_runs(cell) for cell in row.children)


def _runs(node: SyntaxTreeNode) -> Runs:
    return tuple(
        Run(
            " " if leaf.type == "softbreak" else leaf.content,
            bold=_inside(leaf, "strong"),
            italic=_inside(leaf, "em"),
            code=leaf.type == "code_inline",
        )
        for leaf in node.walk()
        if leaf.type in ("text", "code_inline", "softbreak") and (leaf.content or leaf.type == "softbreak")
    )


def _inside(node: SyntaxTreeNode, kind: str) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.type == kind:
            return True
        parent = parent.parent
    return False
