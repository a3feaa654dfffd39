"""What a Markdown file declares about itself above its text: a few known keys of its YAML front matter.

No YAML parser sees a stranger's file: only flat `key: value` lines and lists of words are understood, everything else
is left alone. Values are raw words here, bounded in size; whether they are valid is checked outside the sandbox.
"""

import re

from workers.ingestion.extract.canonical import one_line
from workers.ingestion.extract.extracted import LISTED, MAX_VALUE, MAX_VALUES, Declared

MAX_LINES = 200
LONGEST_LINE = 100_000  # characters; what is behind them is not read
KEYS = {
    "title": "title",
    "título": "title",
    "titulo": "title",
    "content_type": "content_type",
    "type": "content_type",
    "tipo": "content_type",
    "unit": "unit",
    "unidad": "unit",
    "topic": "topic",
    "tema": "topic",
    "difficulty": "difficulty",
    "dificultad": "difficulty",
    "language": "language",
    "lang": "language",
    "idioma": "language",
    "course": "course",
    "curso": "course",
    "materia": "course",
    "tags": "tags",
    "etiquetas": "tags",
    "meta": "meta",
    "metadata": "meta",
    "date": "date",
    "fecha": "date",
}
_PAIR = re.compile(r"([\w-]{1,40})[ \t]*:(?:[ \t]+(.*))?\Z")
_ENTRY = re.compile(r"[ \t]+([\w-]{1,40})[ \t]*:[ \t]+(.*)\Z")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)\Z")
_COMMENT = re.compile(r"(?:^|[ \t])#.*\Z")


def read_front_matter(front: str) -> dict[str, Declared]:
    """The known keys of the text between the `---` lines, by their English names; the first of a key counts.

    "tags" has a tuple of words, "meta" one of "name=value", of the lines that are indented below it; every other key
    one text. What is empty is left out.
    """
    lists: dict[str, list[str]] = {}
    open_list: list[str] | None = None
    for line in (whole[:LONGEST_LINE] for whole in front.split("\n", MAX_LINES)[:MAX_LINES]):
        if pair := _PAIR.match(line):
            name = KEYS.get(pair[1].lower(), "")
            words = _words(pair[2] or "", name)
            open_list = lists.setdefault(name, words) if name and name not in lists else None
        elif (item := _ITEM.match(line)) and open_list is not None:
            open_list.append(_plain(item[1]))
        elif (entry := _ENTRY.match(line)) and open_list is not None and open_list is lists.get("meta"):
            open_list.append(f"{entry[1]}={_plain(entry[2])}"[:MAX_VALUE])
    return {name: value for name, words in lists.items() if (value := _value(name, words))}


def _value(name: str, words: list[str]) -> Declared:
    kept = [word for word in words if word]
    return tuple(kept[:MAX_VALUES]) if name in LISTED else "".join(kept[:1])


def _words(value: str, name: str) -> list[str]:
    """Tags are written `[a, b]` or `a, b`; other values are one text."""
    if name != "tags":
        return [_plain(value)]
    inner = _COMMENT.sub("", value).strip().removeprefix("[").removesuffix("]")
    return [_plain(word) for word in inner.split(",")]


def _plain(value: str) -> str:
    """Without quotes around it, or without a comment behind it."""
    value = value.strip()
    if value[:1] in ("'", '"') and (end := value.find(value[0], 1)) > 0:
        return one_line(value[1:end], MAX_VALUE)
    return one_line(_COMMENT.sub("", value), MAX_VALUE)
