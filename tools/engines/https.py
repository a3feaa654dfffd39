"""One service over HTTPS, whose answers are hostile: asked at the address that the parent looked up and proved by its
name's certificate. No redirect is followed, no proxy of the environment asked, nothing unpacked, no cookie kept; heads,
bodies and the time of all requests together are bounded.

By Python's own client: those that services publish follow redirects and proxies, and read answers of any length.
"""

import json
import os
import signal
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from itertools import islice
from typing import Any
from urllib.parse import quote_plus, urlencode

import certifi

from tools.engines.cells import Gathered, gather
from tools.engines.failures import QueryFailed, QueryTooLarge, SourceFailed

CONNECT_SECONDS = 4.0
MOST_BYTES = 8 * 1024 * 1024  # of all answers to one question
MOST_PAGES = 10
SHORTEST_SECRET = 6  # what is shorter may be a word of the answer
HIDDEN = "***"
ABSENT = (404, 410)
Pairs = Sequence[tuple[str, str]]


class Denied(SourceFailed):
    """The credentials do not reach so far."""


class NoSuchRecord(QueryFailed):
    """There is no such thing."""


class ServiceRefused(QueryFailed):
    """What was asked is refused, by an HTTP status of 400 or more; `content` is what the service says of it."""

    def __init__(self, status: int, content: bytes) -> None:
        super().__init__()
        self.status, self.content = status, content


class PinnedConnection(HTTPSConnection):
    def __init__(self, place: Mapping[str, Any], context: ssl.SSLContext) -> None:
        super().__init__(place["host"], place["port"], context=context)
        self._place, self._security = (place["address"], place["port"]), context

    def connect(self) -> None:
        family = socket.AF_INET6 if ":" in self._place[0] else socket.AF_INET
        link = socket.socket(family, socket.SOCK_STREAM)
        link.settimeout(CONNECT_SECONDS)
        link.connect(self._place)
        self.sock = self._security.wrap_socket(link, server_hostname=self.host)


class Service:
    def __init__(self, request: Mapping[str, Any], headers: Mapping[str, str], room: int = MOST_BYTES) -> None:
        """`room`: bytes of all answers together."""
        place = request["place"]
        self.headers = dict(headers)
        self._secrets: set[str] = set()
        for secret in (place.get("password", ""), *(value.rpartition(" ")[2] for value in headers.values())):
            self.keep_secret(secret)
        context = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())
        self._connection = PinnedConnection(place, context)
        self._room = room
        signal.signal(signal.SIGALRM, _too_late)
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])

    def keep_secret(self, secret: str) -> None:
        """What no answer tells, as it is and as it stands in JSON and in forms."""
        if len(secret) >= SHORTEST_SECRET:
            self._secrets |= {secret, json.dumps(secret, ensure_ascii=False)[1:-1], quote_plus(secret)}

    def get(self, path: str, query: Pairs = ()) -> Any:
        return self.ask("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, told: Any) -> Any:
        return self.ask("POST", path, json.dumps(told).encode(), "application/json")

    def post_form(self, path: str, fields: Pairs) -> Any:
        return self.ask("POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def ask(self, method: str, target: str, body: bytes | None = None, kind: str = "") -> Any:
        """The answer's JSON. Raises Denied, NoSuchRecord, SourceFailed, QueryFailed and QueryTooLarge."""
        headers = {"Accept": "application/json", **self.headers}
        if kind:
            headers["Content-Type"] = kind
        return self._told(*self._exchanged(method, target, body, headers))

    def fetch(self, target: str, headers: Mapping[str, str]) -> bytes:
        """What lies there, whatever it is. Raises Denied, ServiceRefused, SourceFailed, QueryTooLarge."""
        status, content = self._exchanged("GET", target, None, headers)
        if status >= 400:
            raise ServiceRefused(status, content)
        return content

    def _exchanged(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Status and body of an answer that can be read: a success, or a refusal of this request alone."""
        headers = {"Accept-Encoding": "identity", "User-Agent": "Acervo", **headers}
        try:
            response = self._answer(method, target, body, headers)
            buffer = bytearray(self._room + 1)  # `read` takes without end what comes in chunks of a negative size
            content = bytes(memoryview(buffer)[: response.readinto(buffer)])
            is_cut = len(content) <= self._room and response.length not in (None, 0)
        except ssl.SSLCertVerificationError:
            raise SourceFailed("certificate") from None
        except (OSError, HTTPException, ValueError):  # also a name that TLS cannot ask for
            raise SourceFailed("unreachable") from None
        self._room -= len(content)
        if self._room < 0:
            raise QueryTooLarge
        if is_cut:
            raise SourceFailed("unreachable")
        _look_at(response)
        return response.status, content

    def _answer(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> HTTPResponse:
        is_kept = self._connection.sock is not None
        try:
            self._connection.request(method, target, body, headers)
            return self._connection.getresponse()
        except (ConnectionError, ssl.SSLError):  # also of an end without a word
            if not is_kept:
                raise
        self._connection.close()  # the server had ended it meanwhile
        self._connection.request(method, target, body, headers)
        return self._connection.getresponse()

    def _told(self, status: int, content: bytes) -> Any:
        told = _parsed(content, is_wrong=status >= 400)
        if status in ABSENT:
            raise NoSuchRecord(self._hidden(_sentence(told)))
        if status >= 400:
            raise QueryFailed(self._hidden(_sentence(told)))
        return told

    def gather(self, pages: Iterator[list[Any]], request: Mapping[str, Any], read: Any) -> Gathered:
        """The first records of so many pages at most; `read` tells of a record and a field its value."""
        fields, most = request["fields"], request["most"]
        rows = (
            [self._hidden(read(of_type(record, dict), field)) for field in fields]
            for page in islice(pages, MOST_PAGES)
            for record in of_type(page, list)
        )
        found = gather([one["name"] for one in fields], [one["type"] for one in fields], rows, most)
        found.truncated = found.truncated or (len(found.rows) < most["rows"] and bool(next(pages, None)))
        return found

    def only(self, record: Any, request: Mapping[str, Any], read: Any) -> Gathered:
        return self.gather(iter([[] if record is None else [record]]), request, read)

    def _hidden(self, value: Any) -> Any:
        """Without what the service was sent and repeats: looked for in what was read, for JSON writes a text in many
        ways."""
        if isinstance(value, dict | list):
            value = json.dumps(value, ensure_ascii=False)
        if not isinstance(value, str):
            return value
        for secret in self._secrets:
            value = value.replace(secret, HIDDEN)
        return value


def _look_at(response: HTTPResponse) -> None:
    """Raises what is wrong whatever else is said."""
    status = response.status
    if status in (401, 403):
        raise Denied("denied")
    if status == 429:
        raise SourceFailed("limited")
    if status >= 500:
        raise SourceFailed("refused")
    packed = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if packed != "identity" or not (200 <= status < 300 or status >= 400):
        raise SourceFailed("no_answer")


def _too_late(*_signal: Any) -> None:
    raise SourceFailed("unreachable")


def _parsed(content: bytes, is_wrong: bool) -> Any:
    try:
        return json.loads(content.decode())
    except (ValueError, RecursionError):
        if is_wrong:
            return None
        raise SourceFailed("no_answer") from None


def _sentence(told: Any) -> str:
    """What a service says of what it refuses, wherever services say it."""
    first = told[0] if isinstance(told, list) and told else told
    named = first if isinstance(first, dict) else {}
    said = next((named[one] for one in ("message", "error_description", "detail", "error") if named.get(one)), "")
    return said if isinstance(said, str) else ""


def of_type(value: Any, kind: type) -> Any:
    """Raises SourceFailed for what a service does not answer that is what it says it is."""
    if not isinstance(value, kind):
        raise SourceFailed("no_answer")
    return value


def as_kind(value: Any, kind: str) -> Any:
    """Services write true and false as texts."""
    if kind == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value


def first_columns(names: Iterable[dict[str, str]], first: str) -> list[dict[str, str]]:
    """The id before all others, and each once: for these services `Email` is `email`."""
    once = {one["name"].lower(): one for one in names}
    return sorted(once.values(), key=lambda one: one["name"] != first)
