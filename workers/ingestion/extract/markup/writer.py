"""Text that is written piece by piece, with the spaces and line ends between that Markdown needs; pure."""

import re

_MARK = re.compile(r"(?:(?:[-*+>]|\d{1,3}[.)])\s?){1,3}\Z")  # of an item or a quotation, with nothing behind it
_LONGEST_MARK = 12
LINE, PARAGRAPH = 1, 2  # line ends


class Writer:
    """`is_one_line`: what would end a line is a space. So it is in a heading and in a row of a table."""

    def __init__(self, *, is_one_line: bool = False) -> None:
        self._is_one_line = is_one_line
        self._parts: list[str] = []
        self._due: int | None = None  # line ends before what comes; 0: it goes on right here, behind an item's mark
        self._is_space_due = False
        self._line = ""  # how the last line begins
        self._signs = ""

    @property
    def is_within_a_line(self) -> bool:
        return self._is_one_line or (self._due is None and self._line.strip()[:1] in ("|", "#"))

    def text(self, said: str) -> None:
        """As it is, but for the white space where a space or a line end is due."""
        if self._due is None and not self._is_space_due:
            self._append(said)
        elif kept := said.lstrip():
            self._go_on(said[: len(said) - len(kept)])
            self._append(kept)
        elif self._due:
            self._due = max(self._due, min(said.count("\n"), PARAGRAPH))

    def sign(self, sign: str) -> None:
        """One that stands before whatever is said next, and does not count as text."""
        self._signs += sign

    def space(self) -> None:
        self._is_space_due = self._due is None and (self._is_one_line or self._line.strip() != "")

    def end_line(self) -> None:
        """Twice makes a paragraph."""
        self._end(LINE if self._due is None else self._due + 1)

    def begin_line(self) -> None:
        self._end(LINE)

    def begin_paragraph(self) -> None:
        self._end(PARAGRAPH)

    def _end(self, ends: int) -> None:
        if self.is_within_a_line:
            self.space()
        elif self._due != 0:  # else right behind an item's mark
            is_marked = self._due is None and _MARK.match(self._line.strip())
            self._due = 0 if is_marked else min(max(self._due or 0, ends), PARAGRAPH)
            self._is_space_due = False

    def block(self, lines: str) -> None:
        """A paragraph of its own, written as it is."""
        self.begin_paragraph()
        self.text(lines)
        self._line, self._due = "", PARAGRAPH

    def item(self, mark: str) -> None:
        self.begin_line()
        if self._due:
            self._go_on("")
            self._append(mark)
            self._due = 0

    def written(self) -> str:
        return "".join(self._parts)

    def _go_on(self, space: str) -> None:
        """What is due, and as many line ends as stand there already. `space`: what stands before the text to come."""
        due, self._due, self._is_space_due = self._due, None, False
        if due is None:
            if self._parts and not self._parts[-1][-1:].isspace():
                self._parts.append(" ")
        elif due:
            self._end_lines(due, space.count("\n"))
            if PARAGRAPH * "\n" in space:  # behind an empty line it is Markdown's
                self._append(space.rpartition("\n")[2])

    def _end_lines(self, due: int, ends: int) -> None:
        self._line = ""
        while self._parts and not self._parts[-1].strip():
            ends += self._parts.pop().count("\n")
        if self._parts:
            last = self._parts[-1].rstrip()
            ends += self._parts[-1].count("\n", len(last))
            self._parts[-1:] = [last, "\n" * min(max(due, ends), PARAGRAPH)]

    def _append(self, said: str) -> None:
        if self._signs and said.strip():
            self._parts.append(self._signs)
            self._signs = ""
        self._parts.append(said)
        _, ended, behind = said.rpartition("\n")
        self._line = (behind if ended else self._line + said)[:_LONGEST_MARK]
