"""What a DOCX's elements say, walked on their XML: their text, and what they consist of."""

from collections.abc import Iterator
from typing import Any

from workers.ingestion.extract.word.styles import W

# Not what the document says: deleted text, field codes, phonetic guides; and the second copy of a text box.
_SKIPPED = frozenset(f"{W}{name}" for name in ("del", "delText", "instrText", "rt", "moveFrom", "pPr", "rPr"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_CONTAINERS = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "p": "\n"}
_TEXT = {f"{W}{name}": character for name, character in _CHARACTERS.items()}
_T = frozenset((f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"))


def text_of(element: Any) -> str:
    """All visible text below an element; iterative, because XML may nest deeper than Python's stack."""
    parts: list[str] = []
    waiting = [iter(element)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag in _T:
            parts.append(child.text or "")
        elif child.tag not in _SKIPPED and child.tag != _FALLBACK:
            parts.append(_TEXT.get(child.tag, ""))
            waiting.append(iter(child))
    return "".join(parts)


def is_shown(element: Any) -> bool:
    """Whether an element's text is among what `text_of` its ancestors says."""
    return not any(one.tag in _SKIPPED or one.tag == _FALLBACK for one in element.iterancestors())


def elements_in(element: Any, *names: str) -> Iterator[Any]:
    """The children of these names in order, also those wrapped in content controls or tracked insertions."""
    wanted = frozenset(f"{W}{name}" for name in names)
    waiting = [iter(element)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag in wanted:
            yield child
        elif child.tag in _CONTAINERS:
            waiting.append(iter(child))
