"""What of a passage is embedded and indexed: its text under its document's title and headings."""

from collections.abc import Sequence


def indexed_text(title: str, heading_path: Sequence[str], text: str) -> str:
    """The passage with its context above it, so that "the deadline" is found with the section it belongs to."""
    context = " > ".join(dict.fromkeys(part for part in (title, *heading_path) if part))
    return f"{context}\n{text}" if context else text
