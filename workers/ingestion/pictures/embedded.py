"""Pictures that a Markdown file carries in itself (`data:` addresses): in their place a name, so that
the text is words.

    ![The desk](data:image/png;base64,…)        ![The desk](#picture-1)
    ![The desk][image1] … [image1]: <data:…>    ![The desk](#picture-1)
    <img alt="The desk" src="data:…">           ![The desk](#picture-1)

What is none that can be drawn keeps its words alone: `![The desk]()`. Nothing of this is done inside of code.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from corpora.reader.markdown_blocks import PICTURE
from workers.ingestion.extract.extracted import PictureSpot
from workers.ingestion.pictures.formats import MOST_PICTURES, drawable

_DATA = r"data:image/[\w.+-]{1,40};base64,(?P<NAME>[A-Za-z0-9+/=_-]*+)"
_DEFINED = re.compile(r" {0,3}\[(?P<name>[^\]\n]{1,200})\]:[ \t]*<?" + _DATA.replace("NAME", "defined") + r"[^\n]*\Z")
_CARRIED = re.compile(
    r"!\[(?P<alt>[^\]\n]{0,300})\](?:\([ \t]*<?"
    + _DATA.replace("NAME", "data")
    + r"[^)\n]{0,300}\)|\[(?P<named>[^\]\n]{0,200})\])"
    r"|<img\b(?P<before>[^<>]{0,400}?)\bsrc=[\"']" + _DATA.replace("NAME", "tagged") + r"[\"'](?P<after>[^<>]{0,400})>"
)
_ALT = re.compile(r"\balt=[\"']([^\"'\n]{0,300})[\"']")


@dataclass(slots=True)
class Carried:
    """Lines without what they carried, and the pictures among it that can be drawn, in order."""

    lines: list[str]
    pictures: list[bytes] = field(default_factory=list)


def without_carried(lines: Sequence[str], fenced: set[int]) -> Carried:
    """`fenced`: numbers of the lines that are code."""
    defined = dict[str, str]()
    kept: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        found = None if number in fenced or "data:" not in line else _DEFINED.match(line)
        if found:
            defined[found["name"].casefold()] = found["defined"]
        else:
            kept.append((number, line))
    carried = Carried([])
    for number, line in kept:
        has_any = number not in fenced and ("data:image/" in line or (defined and "![" in line))
        carried.lines.append(_named(line, defined, carried.pictures) if has_any else line)
    return carried


def _named(line: str, defined: dict[str, str], pictures: list[bytes]) -> str:
    def name(found: re.Match[str]) -> str:
        alt = found["alt"]
        if found["named"] is not None:
            key = (found["named"] or alt).casefold()
            if key not in defined:
                return found[0]
            data = defined[key]
        else:
            data = found["data"] if found["data"] is not None else found["tagged"]
        if alt is None:
            said = _ALT.search(f"{found['before']} {found['after']}")
            alt = said[1].replace("]", "").replace("[", "") if said else ""
        content = _decoded(data)
        if content is None or len(pictures) >= MOST_PICTURES:
            return f"![{alt}]()"
        pictures.append(content)
        return f"![{alt}](#picture-{len(pictures)})"

    return _CARRIED.sub(name, line)


def _decoded(data: str) -> bytes | None:
    """The picture, if it is one that can be drawn."""
    try:
        content = base64.b64decode(data.translate({45: 43, 95: 47}) + "=" * (-len(data) % 4))
    except (binascii.Error, ValueError):
        return None
    return content if drawable(content) else None


def spots_in(text: str, pictures: Sequence[bytes]) -> Iterator[PictureSpot]:
    """Where the pictures that were named stand."""
    for found in PICTURE.finditer(text):
        number = int(found["number"])
        head = drawable(pictures[number - 1]) if 0 < number <= len(pictures) else None
        if head:
            yield PictureSpot(found.start(), number, head.width, head.height)
