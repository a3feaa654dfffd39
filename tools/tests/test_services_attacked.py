"""Services that answer what harms, and admins who describe what harms: what a stranger tried, and what holds."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Membership
from tests.people import People
from tools.engines.failures import EngineFailed, QueryFailed, SourceFailed
from tools.models import DataSource
from tools.services.described import read_service
from tools.services.openapi import DescriptionRefused
from tools.sources import add_tables
from tools.tests import services
from tools.tests.services import Wire, openapi, told
from tools.tests.test_service_engines import ask, server, speaks, wire

__all__ = ["server", "wire"]  # fixtures
pytestmark = pytest.mark.xdist_group("services")
MOST_TAKEN = 40_000_000  # what is read, and what lies in the buffers of both ends
ORDERS = {"name": "orders", "list": "/orders", "rows": "data.items"}


def body(content: str) -> Any:
    return lambda *_asked: (200, {}, content.encode())


def test_chunks_of_a_negative_size_are_not_read_without_end(wire: Wire) -> None:
    sent = 0

    def endless(*_asked: Any) -> Iterator[bytes]:
        nonlocal sent
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"
        while True:
            yield b" " * 1_000_000
            sent += 1_000_000

    wire.answer = endless
    with pytest.raises(EngineFailed):
        ask(wire, "hubspot")
    assert sent < MOST_TAKEN


@pytest.mark.parametrize(
    "written",
    ['pat\\/na1\\\\quoted\\"\\u00e9', '\\u0070at/na1\\\\quoted\\"\u00e9'],
)
@pytest.mark.parametrize("status", [200, 400])
def test_credentials_are_hidden_however_a_service_writes_them(written: str, status: int, wire: Wire) -> None:
    secret = 'pat/na1\\quoted"\u00e9'
    record = f'{{"id": "1", "properties": {{"firstname": "a {written}", "more": {{"x": ["{written}"]}}}}}}'
    content = f'{{"results": [{record}], "message": "no {written}"}}'
    wire.answer = lambda *_asked: (status, {}, content.encode())
    fields = [("firstname", "text"), ("more", "json")]
    try:
        found = json.dumps(ask(wire, "hubspot", fields=fields, place={"password": secret}), ensure_ascii=False)
    except QueryFailed as failure:
        found = failure.said
    assert "***" in found
    assert "na1" not in found


def test_a_short_secret_takes_no_number_apart(wire: Wire) -> None:
    wire.answer = body('{"results": [{"id": "1", "properties": {"amount": 91234567}}]}')
    assert ask(wire, "hubspot", fields=[("amount", "decimal")], place={"password": "123456"})["rows"] == [[91234567]]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("NaN", "nan"), ("-Infinity", "-inf"), ("1e999", "inf"), ('"\\ud800x"', "x"), ('{"a": "\\udfff"}', '{"a": ""}'),
        ('"\\u202e\\u0007x"', "x"), ("[NaN]", "[NaN]"), ('"a", "amount": "b"', "b"), ("1." + "1" * 100_000, 10 / 9),
    ],
)  # fmt: skip
def test_values_that_are_none_are_told_as_texts(value: str, shown: Any, wire: Wire) -> None:
    wire.answer = body(f'{{"results": [{{"id": "1", "properties": {{"amount": {value}}}}}]}}')
    found = ask(wire, "hubspot", fields=[("amount", "text")])
    assert found["rows"] == [[shown]]
    json.dumps(found, allow_nan=False).encode()


@pytest.mark.parametrize("value", ["9" * 1_000_000, "[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900])
def test_values_without_measure_end_in_a_refusal_or_in_a_cut_text(value: str, wire: Wire) -> None:
    wire.answer = body(f'{{"results": [{{"id": "1", "properties": {{"amount": {value}}}}}]}}')
    try:
        ((cell,),) = ask(wire, "hubspot", fields=[("amount", "text")])["rows"]
    except EngineFailed:
        return
    assert len(cell) <= 4_000


def test_pages_that_lead_in_a_circle_end(wire: Wire) -> None:
    def circle(_method: str, path: str, *_asked: Any) -> Any:
        page = {"records": [{"Id": "1"}], "nextRecordsUrl": "/services/data/v60.0/query/01g-1"}
        return told({"access_token": "x"} if "token" in path else page)

    wire.answer = circle
    found = ask(wire, "salesforce", fields=[("Id", "text")])
    assert (len(found["rows"]), found["truncated"]) == (10, True)


@pytest.mark.parametrize(
    "path",
    [
        "//169.254.169.254/services/data/v60.0/query/x", "/services/data/v60.0/query/../sobjects/", "/services/x",
        "/services/data/v60.0/query/x?q=SELECT", "/services/data/v60.0/query/x\r\nX-A: b", "@localhost/", 7, {"a": 1},
    ],
)  # fmt: skip
def test_a_next_page_is_a_next_page(path: Any, wire: Wire) -> None:
    first = {"records": [{"Id": "1"}], "nextRecordsUrl": path}
    wire.answer = lambda _method, asked, *_more: told({"access_token": "x"} if "token" in asked else first)
    with pytest.raises(SourceFailed):
        ask(wire, "salesforce", fields=[("Id", "text")])
    assert len(wire.asked) == 2


@pytest.mark.parametrize(
    "value", ["\uff07 OR Id != null", "\\u0027 OR Id != null", "\u02bc\u2019'\\", "\u2028'", "%_\\_"]
)
@pytest.mark.parametrize("operator", ["eq", "contains"])
def test_no_mark_of_unicode_ends_a_literal(operator: str, value: str, wire: Wire) -> None:
    assert ask(speaks(wire, "salesforce"), "salesforce", filter=[["Name", "text", operator, value]])["rows"] == []


@pytest.mark.parametrize("kind", ["datetime", "date", "number"])
@pytest.mark.parametrize(
    "value", ["2025-01-01T00:00:00+00:00 OR Id != null", "\u0661", "1e9", "0x1", "2025-W01-1)--", ""]
)
def test_what_has_no_quotes_is_written_anew(kind: str, value: str, wire: Wire) -> None:
    """Either it is refused, or it is a day that was written in another way."""
    try:
        ask(speaks(wire, "salesforce"), "salesforce", filter=[["CreatedDate", kind, "eq", value]])
    except EngineFailed:
        assert not [one for one in wire.paths if "OR" in one]


def test_what_holds_others_is_not_offered_beside_them(wire: Wire) -> None:
    """Whoever masked the city would still have it in the address."""

    def described(method: str, path: str, headers: dict[str, str], body: bytes) -> Any:
        if path.endswith("/describe"):
            kinds = {"Id": "id", "City": "string", "Address": "address", "Place": "location"}
            return told({"fields": [{"name": name, "type": kind} for name, kind in kinds.items()]})
        return services.salesforce(method, path, headers, body)

    wire.answer = described
    found = ask(wire, "salesforce", "tables")
    assert {one["name"] for table in found for one in table["columns"]} == {"Id", "City"}


@pytest.mark.django_db
@pytest.mark.parametrize("twice", ["email", "EMAIL"])
def test_a_field_that_is_told_twice_is_one(twice: str, wire: Wire, people: People) -> None:
    wire.answer = lambda *_asked: told({"results": [{"name": "email"}, {"name": twice}, {"name": "hs_object_id"}]})
    found = ask(wire, "hubspot", "tables")
    by: Membership = people.ada
    source = DataSource.objects.create(organization=by.organization, name="CRM", kind=DataSource.Kind.HUBSPOT)
    add_tables(by, source, found)
    assert {one.columns.count() for one in source.tables.all()} == {2}


def test_a_field_that_the_mapping_does_not_have_shows_nothing(wire: Wire) -> None:
    found = ask(speaks(wire, "rest"), "rest", rows=1, fields=[("id", "text"), ("customer", "text")])
    assert found["rows"] == [["o-1", None]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"fields": {"customer": "customer", "email": "customer.email"}}, {"fields": {"a": "email", "b": "email"}},
        {"rows": "data.a\0"}, {"record": "\ud800"}, {"fields": {"x": "a\0b"}}, {"rows": "\u202edata"},
        {"page": {"number": "page", "first": "0000001" + "9" * 5_000}}, {"page": {"most": "000001" + "9" * 30}},
        {"page": {"first": True}}, {"page": {"first": -1}}, {"page": {"first": 1.0}}, {"page": {"most": "٣"}},
    ],
)  # fmt: skip
def test_what_a_mapping_says_can_be_kept_and_masked(wrong: dict[str, Any]) -> None:
    """A path of NUL or half a character, PostgreSQL would not keep; a number of 5,000 digits, nobody can read."""
    with pytest.raises(DescriptionRefused) as raised:
        read_service(json.dumps(openapi(443)), json.dumps({"entities": [ORDERS | {"fields": ["id"]} | wrong]}))
    assert raised.value.field == "mapping"


TRIES = """
import socket, sys
sys.path[:] = {path}
from config.concurrency.confinement import ChildLimits, confine
confine(ChildLimits(), files=32, towards=("127.0.0.1", {port}))
def fails(act):
    try:
        act()
    except PermissionError:
        return True
    except OSError as error:
        return repr(error)
inet, six, unix = (socket.socket(one) for one in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print([fails(one) for one in (
    lambda: inet.connect(("127.0.0.1", {port} + 1)), lambda: inet.connect(("localhost", {port})),
    lambda: inet.connect_ex(("127.0.0.2", {port})), lambda: six.connect(("::ffff:127.0.0.1", {port})),
    lambda: unix.connect("127.0.0.1"), lambda: udp.sendto(b"x", ("127.0.0.1", {port})),
    lambda: udp.sendmsg([b"x"], [], 0, ("127.0.0.1", {port})), lambda: inet.bind(("127.0.0.1", 0)),
    lambda: socket.getaddrinfo("localhost", 1), lambda: socket.gethostbyname("localhost"),
)], fails(lambda: inet.connect(("127.0.0.1", {port}))))
"""


def test_a_child_opens_nothing_but_the_address_that_was_judged(wire: Wire) -> None:
    path = [os.path.abspath(one) for one in sys.path]
    ended = subprocess.run(
        [sys.executable, "-I", "-c", TRIES.format(path=path, port=wire.port)], capture_output=True, check=True
    )
    assert ended.stdout.decode().split() == (str([True] * 10) + " None").split()
