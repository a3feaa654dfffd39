"""Pictures in a DOCX's paragraphs and tables: files inside of the package alone; what is linked is never fetched."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workers.ingestion.extract.canonical import one_line
from workers.ingestion.extract.extracted import MAX_SAID
from workers.ingestion.extract.word.elements import is_shown
from workers.ingestion.pictures.formats import Drawable, drawable

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_BLIP, _AROUND = f"{_A}blip", (f"{_WP}inline", f"{_WP}anchor")


@dataclass(frozen=True, slots=True)
class WordPicture:
    content: bytes
    head: Drawable
    said: str  # what the author says of it


class Pictures:
    """Those of a document that can be drawn, in order."""

    def __init__(self, document: Any) -> None:
        self._related = document.part.related_parts
        self._has_any = next(document.element.body.iter(_BLIP), None) is not None

    def of(self, element: Any) -> Iterator[WordPicture]:
        """Of a paragraph or a table."""
        for blip in element.iter(_BLIP) if self._has_any else ():
            part = self._related.get(blip.get(f"{_R}embed", ""))
            content = getattr(part, "blob", b"")
            head = drawable(content)
            if head and is_shown(blip):
                yield WordPicture(content, head, _said_of(blip))


def _said_of(blip: Any) -> str:
    around = next(blip.iterancestors(*_AROUND), None)
    properties = around.find(f"{_WP}docPr") if around is not None else None
    return one_line(properties.get("descr") or "", MAX_SAID) if properties is not None else ""
