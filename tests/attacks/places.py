"""Where a request can carry an id: its path, and every name that its view asks the query, form, JSON or headers for.

The names are not listed by anybody: a request is sent once and what the product reads of it is written down, so that
a new parameter, form field or header of ours or of a library is attacked from the day it is there.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock
from urllib.parse import quote, urlencode

import orjson
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http.request import HttpHeaders
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.datastructures import MultiValueDict

from tests.bodies import body_of
from tests.matrix import UPLOAD, Case
from tests.world import World

Path = tuple[str, ...]
SWITCHES = {("stream",)}  # whether it is answered at once; whatever is there switches it on for the OpenAI face
OF_THE_SERVER = {"host", "content-type", "content-length", "cookie", "authorization"}


@dataclass(frozen=True, slots=True)
class Sending:
    """A request that can be sent again with something else in one place."""

    method: str
    path: str
    fields: dict[str, Any] | None = None  # of a form, or of a JSON object
    kind: str = "json"  # or "form", or "upload"
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, case: Case, world: World) -> "Sending":
        body = world.filled(case.body)
        if body == UPLOAD:
            return cls(case.method, world.filled(case.path), {}, "upload")
        kind = "form" if case.page and case.method == "POST" else "json"
        return cls(case.method, world.filled(case.path), body, kind)

    def by(self, client: Client) -> Any:
        """The answer, with its whole `body`; what it did to the database is undone."""
        return undone(lambda: self.sent_by(client))

    def sent_by(self, client: Client) -> Any:
        path = self.path
        if self.query:
            path += ("&" if "?" in path else "?") + urlencode(self.query)
        extra: dict[str, Any] = {"headers": self.headers}
        client.cookies.pop("messages", None)  # what the last request has said
        if self.kind == "upload":
            file = SimpleUploadedFile("small.txt", b"Water boils at 100 degrees.")
            answer = client.post(path, {"file": file, **(self.fields or {})}, **extra)
        elif self.kind == "form":
            answer = client.post(path, self.fields or {}, **extra)
        else:
            content = b"" if self.fields is None else orjson.dumps(self.fields)
            answer = client.generic(self.method, path, content, content_type="application/json", **extra)
        answer.body = body_of(answer)
        return answer


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a part of a request; `many`: where a list of ids is wanted."""

    part: str  # "query", "fields" or "headers"
    name: Path
    many: bool = False

    def __str__(self) -> str:
        return f"{self.part} {'.'.join(self.name)}{'[]' if self.many else ''}"

    def filled(self, sending: Sending, one: str) -> Sending:
        value: Any = [one] if self.many else one
        if self.part == "fields":
            return replace(sending, fields=with_value(sending.fields or {}, self.name, value))
        return replace(sending, **{self.part: {**getattr(sending, self.part), self.name[0]: value}})


def with_value(fields: dict[str, Any], name: Path, value: Any) -> dict[str, Any]:
    first, *rest = name
    inner = fields.get(first)
    if rest and isinstance(inner, dict):
        value = with_value(inner, tuple(rest), value)
    return {**fields, first: value}


def undone(act: Callable[[], Any]) -> Any:
    """What `act` returns; what it did to the database is undone, and so is what was counted of it."""
    cache.clear()
    with transaction.atomic():
        done = act()
        transaction.set_rollback(True)
    return done


class Read(dict[str, Any]):
    """A JSON object that writes down which of its names are asked for."""

    def __init__(self, values: dict[str, Any], names: set[Path], above: Path = ()) -> None:
        inner = {
            name: Read(one, names, (*above, name)) if isinstance(one, dict) else one for name, one in values.items()
        }
        super().__init__(inner)
        self._names, self._above = names, above

    def __getitem__(self, name: str) -> Any:
        self._names.add((*self._above, name))
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._names.add((*self._above, name))
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self._names.add((*self._above, str(name)))
        return super().__contains__(name)


@dataclass(slots=True)
class Names:
    """`given`: asked of a query or a form, which a view may do alike."""

    given: set[Path] = field(default_factory=set)
    json: set[Path] = field(default_factory=set)
    headers: set[Path] = field(default_factory=set)


@contextmanager
def recorded() -> Iterator[Names]:
    """What is read of every request in this block."""
    names, loads, header = Names(), orjson.loads, HttpHeaders.__getitem__

    def load(content: Any) -> Any:
        found = loads(content)
        return Read(found, names.json) if isinstance(found, dict) else found

    def header_of(self: HttpHeaders, name: str) -> str:
        names.headers.add((name,))
        return header(self, name)

    def spy(method: str) -> Any:
        known = getattr(MultiValueDict, method)

        def asked(self: Any, name: Any, *rest: Any) -> Any:
            if isinstance(name, str):
                names.given.add((name,))
            return known(self, name, *rest)

        return mock.patch.object(MultiValueDict, method, asked)

    with (
        mock.patch.object(orjson, "loads", load),
        mock.patch.object(HttpHeaders, "__getitem__", header_of),
        spy("__getitem__"),
        spy("get"),
        spy("getlist"),
    ):
        yield names


def places_of(sending: Sending, client: Client) -> list[Place]:
    """Every place of this request that its view looks at, beside its path. A form's names are attacked in the form."""
    with recorded() as names:
        sending.by(client)
    found = [Place("query", name) for name in sorted(names.given)] if sending.kind == "json" else []
    if sending.method != "GET":
        if sending.kind == "json":
            found += [Place("fields", name, many) for name in sorted(names.json - SWITCHES) for many in (False, True)]
        else:
            found += [Place("fields", name) for name in sorted(names.given)]
    headers = {name for name in names.headers if name[0].lower().replace("_", "-") not in OF_THE_SERVER}
    return found + [Place("headers", name) for name in sorted(headers)]


def probed(sending: Sending, place: Place, client: Client, nothing: str) -> tuple[Any, set[str]]:
    """What an id of nothing is answered in this place, and the tables that it is looked up in: only there can a foreign
    row be met."""
    with CaptureQueriesContext(connection) as queries:
        answer = place.filled(sending, nothing).by(client)
    forms = {nothing, nothing.replace("-", "")}
    asked = [
        one["sql"] for one in queries if "SELECT" in one["sql"].upper() and any(form in one["sql"] for form in forms)
    ]
    return answer, {table for sql in asked for table in TABLE.findall(sql)}


PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
TABLE = re.compile(r'(?:FROM|JOIN) "(\w+)"')


def with_parameter(route: str, name: str, value: str, others: Callable[[str], str]) -> str:
    """The address of a route with this value for one parameter."""
    filled = PARAMETER.sub(lambda found: value if found[1] == name else others(found[1]), route)
    return "/" + quote(filled, safe="/")
