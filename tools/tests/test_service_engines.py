"""Services at the wire, in a child as they are always asked: what is sent, what is read, and what harms nobody."""

import gzip
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tools.engines.failures import EngineFailed, QueryFailed, QueryTooLarge, SourceFailed
from tools.engines.running import ask_child
from tools.services.described import read_service
from tools.tests import services
from tools.tests.services import ACCOUNTS, EMAIL, MAPPING, ORDERS, SECRET, TOKEN, Wire, told

pytestmark = pytest.mark.xdist_group("services")
SPEAKERS = {"hubspot": services.hubspot, "salesforce": services.salesforce, "rest": services.rest}
CREDENTIALS = {"hubspot": ("", TOKEN), "salesforce": ("key", SECRET), "rest": ("", TOKEN)}
ENTITY = {"hubspot": "contacts", "salesforce": "Account", "rest": "orders"}
FIELDS = {
    "hubspot": [("hs_object_id", "decimal"), ("firstname", "text")],
    "salesforce": [("Id", "text"), ("Name", "text")],
    "rest": [("id", "text"), ("region", "text")],
}
KINDS = tuple(SPEAKERS)


@pytest.fixture(scope="module")
def server() -> Iterator[Wire]:
    with services.running() as wire:
        yield wire


@pytest.fixture
def wire(server: Wire) -> Wire:
    server.asked.clear()
    return server


def ask(wire: Wire, kind: str, asked: str = "records", **more: Any) -> Any:
    """The wire's own answer stays where it was set to one."""
    username, password = CREDENTIALS[kind]
    described = read_service(json.dumps(services.openapi(wire.port)), MAPPING).service if kind == "rest" else {}
    place = {
        "host": "localhost", "address": "127.0.0.1", "port": wire.port, "username": username, "password": password,
        "service": described,
    }  # fmt: skip
    fields = [{"name": name, "type": of} for name, of in more.pop("fields", FIELDS[kind])]
    request = {"kind": kind, "asked": asked, "entity": ENTITY[kind], "fields": fields, "filter": [], "seconds": 6.0}
    most = {"rows": more.pop("rows", 100), "bytes": 256 * 1024}
    return ask_child({**request, "most": most, **more, "place": place | more.get("place", {})})


def speaks(wire: Wire, kind: str) -> Wire:
    wire.answer = SPEAKERS[kind]
    return wire


@pytest.mark.parametrize("kind", KINDS)
def test_what_there_is_is_told_with_its_fields(kind: str, wire: Wire) -> None:
    found = ask(speaks(wire, kind), kind, "tables")
    tables = {one["name"]: [(column["name"], column["type"]) for column in one["columns"]] for one in found}
    if kind == "hubspot":
        assert list(tables) == ["contacts"]  # the token may read no other
        assert tables["contacts"][0] == ("hs_object_id", "decimal")
        assert tables["contacts"][-1] == ("hs_created", "datetime")
        assert ("is_vip", "boolean") in tables["contacts"]
    elif kind == "salesforce":
        assert list(tables) == ["Account", "Project__c"]
        assert tables["Account"][0] == ("Id", "text")
        assert ("AnnualRevenue", "number") in tables["Account"]
    else:
        assert tables == {"orders": [
            ("id", "text"), ("region", "text"), ("total", "number"), ("customer.name", "text"),
            ("customer.email", "text"),
        ]}  # fmt: skip


def test_hubspot_is_asked_page_by_page_for_the_fields_that_are_wanted(wire: Wire) -> None:
    found = ask(speaks(wire, "hubspot"), "hubspot", rows=430, filter=[["amount", "decimal", "gt", 100]])
    assert (len(found["rows"]), found["truncated"]) == (430, True)
    assert found["rows"][0] == ["11", "Name 11"]
    assert [one.get("after") for one in wire.bodies] == [None, "200", "400"]
    assert {tuple(one["properties"]) for one in wire.bodies} == {("hs_object_id", "firstname")}
    assert wire.paths == ["/crm/v3/objects/contacts/search"] * 3
    assert EMAIL not in json.dumps(found)


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        (["firstname", "text", "eq", "Name 7"], ["7"]),
        (["firstname", "text", "in", ["Name 7", "Name 9"]], ["7", "9"]),
        (["firstname", "text", "contains", "e 44"], ["44", *(str(n) for n in range(440, 450))]),
        (["amount", "decimal", "lte", 20], ["1", "2"]),
        (["firstname", "text", "eq", None], []),
    ],
)
def test_hubspot_finds_by_conditions(condition: list[Any], ids: list[str], wire: Wire) -> None:
    found = ask(speaks(wire, "hubspot"), "hubspot", filter=[condition])
    assert [row[0] for row in found["rows"]] == ids


def test_hubspots_days_are_compared_as_milliseconds_and_its_words_for_true_as_true(wire: Wire) -> None:
    fields = [("is_vip", "boolean"), ("hs_object_id", "decimal")]
    found = ask(speaks(wire, "hubspot"), "hubspot", rows=2, fields=fields)
    assert found["rows"] == [[False, "1"], [True, "2"]]
    wire.answer = lambda *_asked: told({"results": []})
    ask(wire, "hubspot", filter=[["createdate", "datetime", "gte", "2025-01-31"]])
    assert wire.bodies[-1]["filterGroups"][0]["filters"][0]["value"] == "1738281600000"


NASTY = ["O'Brien & Co", "100% Legal", 'Back\\slash "quoted"']


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("operator", ["eq", "in", "contains"])
def test_salesforce_gets_texts_as_literals(operator: str, name: str, wire: Wire) -> None:
    value = [name] if operator == "in" else name
    found = ask(speaks(wire, "salesforce"), "salesforce", filter=[["Name", "text", operator, value]])
    assert [row[1] for row in found["rows"]] == [name]


@pytest.mark.parametrize(
    "value",
    [
        "' OR Name != '", "\\' OR Name != \\'", "x' OR (Id != null) OR Name = 'x", "%' OR Name LIKE '%", "\\", "\\\\'",
        "'\nOR\nName\n!=\n'", "x%00' OR Id != null", "' LIMIT 1 --",
    ],
)  # fmt: skip
@pytest.mark.parametrize("operator", ["eq", "contains", "in"])
def test_no_text_gets_out_of_its_literal(operator: str, value: str, wire: Wire) -> None:
    asked = [value] if operator == "in" else value
    found = ask(speaks(wire, "salesforce"), "salesforce", filter=[["Name", "text", operator, asked]])
    expected = [one["Name"] for one in ACCOUNTS if operator == "contains" and value in one["Name"]]
    assert [row[1] for row in found["rows"]] == expected


@pytest.mark.parametrize(
    "condition",
    [
        ["AnnualRevenue", "number", "gt", "0 OR Id != null"],
        ["CreatedDate", "date", "gt", "2025-01-01 OR Id != null"],
        ["CreatedDate", "datetime", "gt", "2025-01-01T00:00:00Z OR Id != null"],
        ["Name = 'x' OR Id", "text", "ne", "x"],
    ],
)
def test_nothing_but_a_literal_stands_where_no_quotes_do(condition: list[Any], wire: Wire) -> None:
    with pytest.raises(QueryFailed):
        ask(speaks(wire, "salesforce"), "salesforce", filter=[condition])
    assert not [one for one in wire.paths if "/query" in one]


def test_salesforce_compares_numbers_and_days_and_turns_pages(wire: Wire) -> None:
    conditions = [["AnnualRevenue", "number", "gte", 2001], ["CreatedDate", "date", "lt", "2025-01-05"]]
    found = ask(speaks(wire, "salesforce"), "salesforce", filter=conditions)
    assert [row[1] for row in found["rows"]] == [NASTY[1], NASTY[2], "Norte"]
    found = ask(speaks(wire, "salesforce"), "salesforce")
    assert (len(found["rows"]), found["truncated"]) == (5, False)
    assert wire.paths[-1] == "/services/data/v60.0/query/01g00-3"
    assert ask(wire, "salesforce", rows=4)["truncated"] is True


def test_a_rest_service_is_asked_by_its_own_parameters_and_pages(wire: Wire) -> None:
    conditions = [["region", "text", "eq", "north & south=1"], ["total", "number", "gte", 3]]
    assert ask(speaks(wire, "rest"), "rest", filter=conditions)["rows"] == []
    assert wire.paths == ["/v1/orders?region=north+%26+south%3D1&min=3&size=10&page=1"]
    found = ask(wire, "rest", fields=[("id", "text"), ("customer.name", "text"), ("total", "number")])
    assert (len(found["rows"]), found["truncated"]) == (len(ORDERS), False)
    assert found["rows"][24] == ["o-25", "C25", 37.5]
    assert {method for method, *_more in wire.asked} == {"GET"}


@pytest.mark.parametrize(
    ("kind", "known", "unknown"),
    [("hubspot", "7", "999"), ("salesforce", ACCOUNTS[3]["Id"], "9" * 15), ("rest", "o-7", "o-99")],
)
def test_one_record_comes_by_its_id_and_none_where_there_is_none(
    kind: str, known: str, unknown: str, wire: Wire
) -> None:
    found = ask(speaks(wire, kind), kind, "record", id=known)
    assert [row[0] for row in found["rows"]] == [known]
    assert ask(wire, kind, "record", id=unknown)["rows"] == []


@pytest.mark.parametrize(
    "record",
    [
        "../../v3/owners", "..", ".", "%2e%2e", "7/../../x", "7?x=1", "7#x", "7\r\nX-A: b", "7%00", "' OR Id != null",
        "", " ", "x" * 300, "７", "a\\b", "..%2f",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_an_id_never_leaves_its_path(kind: str, record: str, wire: Wire) -> None:
    with pytest.raises(QueryFailed):
        ask(speaks(wire, kind), kind, "record", id=record)
    assert not [one for one in wire.paths if "token" not in one]


@pytest.mark.parametrize("entity", ["../owners", "contacts/search", "Account WHERE Id != null", "x?y", ""])
@pytest.mark.parametrize("kind", KINDS)
def test_an_entity_never_leaves_its_place(kind: str, entity: str, wire: Wire) -> None:
    with pytest.raises(QueryFailed):
        ask(speaks(wire, kind), kind, entity=entity)
    assert not [one for one in wire.paths if "token" not in one]


def raw(*parts: bytes) -> Any:
    return lambda *_asked: iter(parts)


def dripping(*_asked: Any) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        time.sleep(0.2)
        yield b"X-A: b\r\n"


def endless(*_asked: Any) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n["
    while True:
        yield b'"' + b"x" * 65_536 + b'",'


def drip_body(*_asked: Any) -> Iterator[bytes]:
    yield b'HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n{"results": ['
    while True:
        time.sleep(0.2)
        yield b" "


DEEP = b"[" * 200_000
BOMB = gzip.compress(b" " * 50_000_000)
NO_RECORDS = {"results": [1], "records": [1], "data": {"items": [1]}, "access_token": "x"}
ELSEWHERE = "https://169.254.169.254/latest/meta-data/"
HARM: dict[str, tuple[Any, type[EngineFailed], str]] = {
    "a redirect": (lambda *_a: (302, {"Location": ELSEWHERE}, b""), SourceFailed, "no_answer"),
    "a redirect that keeps the method": (lambda *_a: (307, {"Location": ELSEWHERE}, b""), SourceFailed, "no_answer"),
    "what is packed": (lambda *_a: (200, {"Content-Encoding": "gzip"}, BOMB), SourceFailed, "no_answer"),
    "depth": (lambda *_a: (200, {}, DEEP), SourceFailed, "no_answer"),
    "no JSON": (lambda *_a: (200, {}, b"<html>"), SourceFailed, "no_answer"),
    "no UTF-8": (lambda *_a: (200, {}, b'{"results": ["\xff"]}'), SourceFailed, "no_answer"),
    "a list": (lambda *_a: told([1]), SourceFailed, "no_answer"),
    "a text": (lambda *_a: told("x"), SourceFailed, "no_answer"),
    "records that are none": (lambda *_a: told(NO_RECORDS), SourceFailed, "no_answer"),
    "an endless answer": (endless, QueryTooLarge, ""),
    "a head that drips": (dripping, SourceFailed, "unreachable"),
    "a body that drips": (drip_body, SourceFailed, "unreachable"),
    "an endless head": (raw(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 5_000), SourceFailed, "unreachable"),
    "a long line": (raw(b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 100_000), SourceFailed, "unreachable"),
    "no HTTP": (raw(b"SSH-2.0-x\r\n\r\n"), SourceFailed, "unreachable"),
    "nothing": (raw(b""), SourceFailed, "unreachable"),
    "a wrong length": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}"), SourceFailed, "unreachable"),
    "too often": (lambda *_a: told({}, 429), SourceFailed, "limited"),
    "its own fault": (lambda *_a: told({}, 500), SourceFailed, "refused"),
}  # fmt: skip


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_service_harms_nobody(kind: str, harm: str, wire: Wire) -> None:
    wire.answer, failure, word = HARM[harm]
    began = time.monotonic()
    with pytest.raises(failure) as raised:
        ask(wire, kind, seconds=1.5)
    assert raised.value.said == word
    assert time.monotonic() - began < 9
    assert not [one for one in wire.paths if "meta-data" in one]


def test_what_is_not_text_is_left_out_and_long_texts_are_cut(wire: Wire) -> None:
    hostile = {
        "id": "1",
        "properties": {"firstname": "a\u202eb\u0000c\u200b", "big": {"x": ["y" * 5_000]}, "n": 10**400},
    }
    wire.answer = lambda *_asked: told({"results": [hostile]})
    found = ask(wire, "hubspot", fields=[("firstname", "text"), ("big", "text"), ("n", "text")])
    ((name, big, number),) = found["rows"]
    assert (name, len(big), found["truncated"]) == ("abc", 4_000, True)
    assert number == str(10**400)


@pytest.mark.parametrize("kind", KINDS)
def test_a_service_that_repeats_the_credentials_tells_them_to_nobody(kind: str, wire: Wire) -> None:
    username, password = CREDENTIALS[kind]
    wire.answer = lambda *_asked: told({"message": f"no such {username} {password}", "access_token": "x"}, 400)
    with pytest.raises(EngineFailed) as raised:
        ask(wire, kind)
    assert password not in str(raised.value.said)


@pytest.mark.parametrize("kind", KINDS)
def test_credentials_that_are_none_are_refused(kind: str, wire: Wire) -> None:
    for password in ("wrong", "with\r\nX-A: b", "\u4e2d"):
        with pytest.raises(SourceFailed) as raised:
            ask(speaks(wire, kind), kind, place={"password": password})
        is_sent = password == "wrong" or kind == "salesforce"  # which has it in a form; no header takes the others
        assert raised.value.said == ("denied" if is_sent else "unreachable")


def test_a_server_of_another_name_gets_no_credentials(wire: Wire) -> None:
    with pytest.raises(SourceFailed):
        ask(speaks(wire, "hubspot"), "hubspot", place={"host": "api.hubapi.com"})
    assert wire.asked == []


def test_salesforce_is_asked_where_it_was_said_and_never_where_it_says_itself(wire: Wire) -> None:
    """Its sign-in names another server; so can the next page."""

    def elsewhere(method: str, path: str, headers: dict[str, str], body: bytes) -> Any:
        if "token" in path:
            return services.salesforce(method, path, headers, body)
        return told({"records": [], "nextRecordsUrl": "https://169.254.169.254/services/data/v60.0/query/x"})

    wire.answer = elsewhere
    with pytest.raises(SourceFailed) as raised:
        ask(wire, "salesforce")
    assert raised.value.said == "no_answer"
    assert len(wire.asked) == 2


def test_no_proxy_of_the_environment_is_asked(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(speaks(wire, "hubspot"), "hubspot", rows=1)["rows"]


def test_a_connection_that_was_ended_meanwhile_is_made_again(wire: Wire) -> None:
    def parting(*asked: Any) -> Iterator[bytes]:
        status, _headers, content = services.hubspot(*asked)
        yield f"HTTP/1.1 {status} OK\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content

    wire.answer = parting
    assert len(ask(wire, "hubspot", rows=300)["rows"]) == 300
