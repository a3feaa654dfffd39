"""A DOCX's footnotes and endnotes: their texts are parts of their own, which the body refers to."""

from typing import Any

from docx.oxml import parse_xml

from workers.ingestion.extract.word.elements import is_shown, text_of
from workers.ingestion.extract.word.styles import W

_PARTS = {"footnote": "/footnotes", "endnote": "/endnotes"}


class Notes:
    """The notes by what refers to them, each said once."""

    def __init__(self, document: Any) -> None:
        self._texts: dict[tuple[str, str], str] = {}
        for relation in document.part.rels.values():
            for kind, end in _PARTS.items():
                if relation.reltype.endswith(end) and not relation.is_external:
                    self._read(kind, parse_xml(relation.target_part.blob))

    def _read(self, kind: str, root: Any) -> None:
        for note in root.iter(f"{W}{kind}"):
            if not note.get(f"{W}type") and (text := text_of(note).strip()):
                self._texts[f"{W}{kind}Reference", note.get(f"{W}id") or ""] = text

    def of(self, element: Any) -> list[str]:
        """Those that an element refers to, in order, and nothing said before refers to."""
        if not self._texts:
            return []
        found = [one for one in element.iter(*{tag for tag, _ in self._texts}) if is_shown(one)]
        texts = (self._texts.pop((one.tag, one.get(f"{W}id") or ""), "") for one in found)
        return [text for text in texts if text]
