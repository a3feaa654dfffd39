"""Text that a database cannot keep, in every place of every request: refused with a problem, never a fault of ours.

Run on PostgreSQL too (`.ci/run` does): it is the stricter one.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory
from django.test.client import BOUNDARY, MULTIPART_CONTENT

from accounts.http.bodies import json_body
from accounts.problems import Malformed
from tests.hostile_requests import answered, check, rightful, whole_body
from tests.matrix import API, PAGES, UPLOAD, Case
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

NUL, HIGH, LOW = "a\0b", "a\ud800b", "\udc00"
CASES = [case for case in API + PAGES if not case.public]
QUERIES = ("q", "key", "page", "page_size", "cursor", "project", "granularity", "chunk", "next", "section", "language")
METADATA = ("title", "content_type", "unit", "topic", "difficulty", "language", "course", "tags", "source_date")
FIELDS = ("summary", "source_reference", "description", "name", "mode", "busy", "filters-unit")
EXTENDED_NAMES = (
    b"utf-8''%00.txt",
    b"utf-7''+2AA-.txt",
    b"utf-8''%ED%A0%80.txt",
    b"unicode_escape''%5Cud800.txt",
    b"x''a",
)


@pytest.fixture
def world(standing_world: World) -> World:
    return standing_world


def spoiled(value: Any, text: str) -> Iterator[Any]:
    """The value with each of its texts and field names spoiled in turn."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield {**{key: kept for key, kept in value.items() if key != name}, text: inner}
            for worse in spoiled(inner, text):
                yield {**value, name: worse}
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            for worse in spoiled(inner, text):
                yield [*value[:place], worse, *value[place + 1 :]]
    elif isinstance(value, str):
        yield value + text


@pytest.mark.parametrize("text", [NUL, HIGH, LOW])
def test_in_a_json_body_it_is_refused(text: str, world: World) -> None:
    for case in API:
        if not isinstance(case.body, dict):
            continue
        client, path = rightful(case, world, key=True), world.filled(case.path)
        for worse in spoiled(whole_body(case, world), text):
            content = json.dumps(worse)
            answer = answered(client, case.method, path, data=content, content_type="application/json")
            check(answer, case, content)
            assert answer.status_code >= 400, (str(case), content)


@pytest.mark.parametrize("content", [b'"\xff"', b"\0", b'{"name": "\0"}', b"[" * 200_000, b"9" * 5_000], ids=range(5))
def test_what_is_no_json_is_refused(content: bytes, world: World) -> None:
    for case in API:
        if case.method != "GET":
            path = world.filled(case.path)
            client = rightful(case, world, key=True)
            answer = answered(client, case.method, path, data=content, content_type="application/json")
            check(answer, case, content[:20])


def test_what_is_no_json_says_so_on_the_short_way_too() -> None:
    with pytest.raises(Malformed) as refused:
        json_body(RequestFactory().post("/", b"{x", content_type="application/json"))
    assert (refused.value.code, refused.value.status_code) == ("parse_error", 400)


@pytest.mark.parametrize("text", ["a%00b", "%ED%A0%80"])
def test_in_a_form_it_is_refused(text: str, world: World) -> None:
    kind = "application/x-www-form-urlencoded"
    for case in PAGES:
        if case.method != "POST":
            continue
        client, path = rightful(case, world, key=False), world.filled(case.path)
        body = {} if case.body == UPLOAD else world.filled(case.body) or {}  # such a form carries no file
        for spoiled_names in ({*METADATA, *FIELDS}, *({name} for name in body)):
            names = {**dict.fromkeys((*METADATA, *FIELDS), "x"), **body}
            content = "&".join(f"{one}={text if one in spoiled_names else quote(names[one])}" for one in names)
            check(answered(client, "POST", path, data=content, content_type=kind), case, spoiled_names)


@pytest.mark.parametrize("text", ["a%00b", "%ED%A0%80"])
def test_in_the_address_it_is_refused(text: str, world: World) -> None:
    query = "&".join(f"{name}={text}" for name in QUERIES)
    for case in CASES:
        client = rightful(case, world, key=False)
        path = world.filled(case.path).partition("?")[0]
        check(answered(client, case.method, f"{path}?{query}"), case, query)
        parts = path.strip("/").split("/")
        for place in range(1, len(parts)):
            elsewhere = "/".join([*parts[:place], text, *parts[place + 1 :]])
            check(answered(client, case.method, f"/{elsewhere}/"), case, elsewhere)


@pytest.mark.parametrize("case", [case for case in API if case.body == UPLOAD], ids=str)
def test_in_an_upload_it_is_refused_or_left_out(case: Case, world: World) -> None:
    client, path = rightful(case, world, key=True), world.filled(case.path)
    bodies = [
        form(name, fields)
        for raw in (b"a\0b", "a\ud800b".encode("utf-8", "surrogatepass"))
        for name, fields in (
            *((b"x.txt", {field: raw}) for field in METADATA),
            *((name, {}) for name in (raw + b".txt", raw, b"x.txt" + raw)),
        )
    ]
    bodies += [form(b"x.txt", {}, b"; filename*=" + encoded) for encoded in EXTENDED_NAMES]
    for body in bodies:
        check(answered(client, "POST", path, data=body, content_type=MULTIPART_CONTENT), case, body)


def form(filename: bytes, fields: dict[str, bytes], more: bytes = b"") -> bytes:
    """A multipart body as no well-meaning client would write it."""
    mark = b"--" + BOUNDARY.encode()
    parts = [
        mark + b'\r\nContent-Disposition: form-data; name="' + name.encode() + b'"\r\n\r\n' + value
        for name, value in fields.items()
    ]
    file = SimpleUploadedFile("x.txt", b"Water boils.").read()
    head = b'\r\nContent-Disposition: form-data; name="file"; filename="' + filename + b'"' + more
    return b"\r\n".join([*parts, mark + head + b"\r\nContent-Type: text/plain\r\n\r\n" + file, mark + b"--\r\n"])


@pytest.mark.parametrize("key", ["a\0b", "\udc00", "é", "a" * 201])
def test_as_an_idempotency_key_it_is_refused(key: str, world: World) -> None:
    case = next(case for case in API if case.body == UPLOAD)
    headers = {"HTTP_IDEMPOTENCY_KEY": key, "data": form(b"x.txt", {}), "content_type": MULTIPART_CONTENT}
    check(answered(world.caller("owner_key"), "POST", world.filled(case.path), **headers), case, key)
