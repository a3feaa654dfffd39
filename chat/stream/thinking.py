"""Takes the `<think>` blocks of reasoning models out of a streamed answer (SPEC §5); pure."""

import re

TAG = re.compile(r"<(/?)think>", re.IGNORECASE)
TAGS = ("<think>", "</think>")


class ThinkFilter:
    """Feed it the pieces of an answer; it returns what may be shown. Each character is looked at once.

    Tags may be cut anywhere. Blocks may nest; an unclosed one hides the rest. But a thought that only
    mentions `<think>` opens a block that nothing closes: what follows the last `</think>` is therefore kept,
    and shown by `finish` instead of being lost.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._held = ""  # the beginning of what may become a tag
        self._after_close: list[str] | None = None  # text in an open block since a block inside it was closed
        self._shown = False

    def feed(self, text: str) -> str:
        """The visible part of `text`, without the white space that a block leaves at the start, and without NUL,
        which small models say and PostgreSQL does not store."""
        if "\0" in text:
            text = text.replace("\0", "")
        if not self._depth and not self._held and "<" not in text and self._shown:
            return text
        text = self._held + text
        self._held = text[_possible_tag(text) :]
        return self._visible(self._passed(text[: len(text) - len(self._held)]))

    def finish(self) -> str:
        """What was held back: an incomplete tag, or the answer behind a block that only seemed open."""
        held, self._held = self._held, ""
        if not self._depth:
            return self._visible(held)
        if self._after_close is None:
            return ""
        return self._visible("".join([*self._after_close, held]))

    def _visible(self, text: str) -> str:
        if not self._shown:
            text = text.lstrip()
            self._shown = bool(text)
        return text

    def _passed(self, text: str) -> str:
        shown, position = [], 0
        for tag in TAG.finditer(text):
            shown.append(self._outside(text[position : tag.start()]))
            self._turn(closing=bool(tag[1]))
            position = tag.end()
        shown.append(self._outside(text[position:]))
        return "".join(shown)

    def _outside(self, text: str) -> str:
        if not self._depth:
            return text
        if self._after_close is not None:
            self._after_close.append(text)
        return ""

    def _turn(self, *, closing: bool) -> None:
        if not closing:
            self._depth += 1
        elif self._depth:
            self._depth -= 1
            self._after_close = [] if self._depth else None


def _possible_tag(text: str) -> int:
    """Where a tag that is still incomplete begins; the length of `text` when there is none."""
    start = text.rfind("<", max(0, len(text) - len(TAGS[1]) + 1))
    if start >= 0 and any(tag.startswith(text[start:].lower()) for tag in TAGS):
        return start
    return len(text)
