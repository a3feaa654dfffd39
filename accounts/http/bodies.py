"""What comes in from outside: JSON bodies and text that both databases can keep.

PostgreSQL keeps no NUL in its texts and no lone surrogate anywhere; SQLite keeps the first and not the second. Refused
here, once and for both, they reach no column, no JSON and no header.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from accounts.problems import BodyTooLarge, Malformed, Problem, UnsupportedMediaType

DEEPEST = 32  # lists and objects in one another
MOST = 25_000  # lists and objects in a body: nobody else is served while they are made; a group has 20,000 members
_UNKEPT = re.compile("[\0\ud800-\udfff]")


class TooDeep(Malformed):
    default_detail = gettext_lazy("The body has lists and objects nested more than 32 deep. Send it flatter.")


class TooManyParts(Malformed):
    default_detail = gettext_lazy("The body has more than 25,000 lists and objects. Send it in several requests.")


def is_kept(text: str) -> bool:
    """Whether both databases can keep the text."""
    return not _UNKEPT.search(text)


def json_of(content: bytes) -> Any:
    """The JSON of a body. Raises ValueError when it is none, and a problem for one that is too large, has too many
    parts or too deep ones (R0), or text that nobody could keep."""
    if len(content) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
        raise BodyTooLarge
    parts = brackets(content)
    if parts > MOST and brackets(without_texts(content)) > MOST:
        raise TooManyParts
    found = orjson.loads(content)
    if parts > DEEPEST and is_deeper(found, DEEPEST):
        raise TooDeep
    if rb"\u0000" in content and not all(map(is_kept, texts_in(found))):
        advice = _("The texts of a request have no NUL characters (\\u0000). Leave them out.")
        raise Problem(advice, errors={name: [advice] for name in fields_with_unkept(found)})
    return found


def brackets(content: bytes) -> int:
    """Those that open: the lists and objects of a JSON text, and what its texts have of them."""
    return content.count(b"[") + content.count(b"{")


def without_texts(content: bytes) -> bytes:
    """A JSON text without what stands between quotation marks; one that does not end goes to the end."""
    unescaped = content.replace(rb"\\", b"").replace(rb"\"", b"")
    return b"".join(unescaped.split(b'"')[::2])


def is_deeper(found: Any, levels: int) -> bool:
    """Whether lists and objects are nested deeper than that; level by level, since Python's stack is short."""
    within = [found]
    for _level in range(levels):
        within = [inner for value in within for inner in parts_of(value)]
    return any(isinstance(value, dict | list) for value in within)


def parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def fields_with_unkept(found: Any) -> list[str]:
    fields = found if isinstance(found, Mapping) else {}
    return [name for name, value in fields.items() if is_kept(name) and not all(map(is_kept, texts_in(value)))]


def texts_in(found: Any) -> list[str]:
    """Every text of a JSON value, the names of fields too, however deep it is."""
    texts: list[str] = []
    waiting = [found]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, Mapping):
            texts += value.keys()
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return texts


def json_body(request: HttpRequest) -> Any:
    """The request's JSON, for views outside DRF; a problem when it is none (400), or does not say that it is (415)."""
    if request.body and request.content_type != JSONParser.media_type:
        raise UnsupportedMediaType
    try:
        return json_of(request.body)
    except ValueError:
        raise Malformed from None


class JSONParser(BaseParser):
    """The same for DRF's views."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            return json_of(stream.read())
        except ValueError:
            raise ParseError from None


def identifiers(values: Iterable[str]) -> list[UUID]:
    """The values that are UUIDs; others are dropped."""
    found = []
    for value in values:
        try:
            found.append(UUID(value))
        except ValueError:
            continue
    return found
