"""What is read of an OpenAPI description and of a mapping, and what is refused of them."""

import json
import time
from typing import Any

import pytest

from tools.services.described import read_service
from tools.services.openapi import DescriptionRefused
from tools.tests.services import MAPPING, openapi

ENTITY = {"name": "orders", "list": "/orders", "rows": "data.items"}


def api(**more: Any) -> dict[str, Any]:
    return openapi(443) | more


def read(told: Any = None, **mapping: Any) -> Any:
    said = {"entities": [ENTITY | mapping]}
    return read_service(json.dumps(told or api()), said)


def test_it_is_read_as_json_and_as_yaml() -> None:
    found = read_service(json.dumps(openapi(8443)), MAPPING)
    assert (found.host, found.port, found.service["base"]) == ("localhost", 8443, "/v1")
    assert found.service["security"] == {"kind": "key", "header": "X-Api-Key"}
    (entity,) = found.service["entities"]
    assert (entity["get"], entity["id"], entity["rows"]) == (["/orders/", ""], "id", ["data", "items"])
    assert entity["filters"] == {"region": {"eq": "region"}, "total": {"gte": "min"}}
    assert entity["page"] == {"number": "page", "size": "size", "first": 1, "most": 10, "next": []}
    assert ("customer.email", ["customer", "email"]) in [(one["name"], one["path"]) for one in entity["columns"]]
    yaml = "openapi: 3.0.0\nservers: [{url: 'https://localhost'}]\npaths:\n  /x:\n    get: {responses: {}}\n"
    by_name = read_service(yaml, "security: none\nentities: [{name: x, list: /x, fields: {who: person.name}}]").service
    assert by_name["entities"][0]["columns"] == [{"name": "who", "type": "", "path": ["person", "name"]}]
    assert by_name["security"]["kind"] == "none"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/v1", "/v1", "https://", "https://a:b@localhost/v1", "https://localhost:x/v1", "ftp://localhost",
        "https://{host}/v1", "https://localhost/v1?x=1", "https://localhost/../v1", "https://localhost/%2e%2e/v1",
        "https://localhost/v1\r\nX: y", "https://lócalhost/v1 ", None, 7, "https://localhost/" + "x" * 600,
    ],
)  # fmt: skip
def test_a_server_is_an_address_of_https_and_nothing_more(url: Any) -> None:
    host = "refused"
    with pytest.raises(DescriptionRefused) as raised:
        host = read(api(servers=[{"url": url}])).host
    assert (raised.value.field, host) == ("openapi", "refused")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "or/ders"}, {"name": "a" * 61}, {"name": 7}, {"list": "/nowhere"}, {"list": "/write"}, {"list": 7},
        {"list": "/orders/{orderId}"}, {"rows": ["x"]}, {"rows": "a..b"}, {"rows": "nowhere"}, {"surplus": 1},
        {"filters": {"nothing": "region"}}, {"filters": {"region": "nothing"}},
        {"filters": {"region": {"like": "region"}}},
        {"filters": ["region"]}, {"filters": {"region": 7}}, {"get": "/orders/{orderId}"},
        {"get": "/orders", "id": "id"},
        {"get": "/orders/{orderId}", "id": {}}, {"get": "/write", "id": "id"}, {"page": {"number": "nothing"}},
        {"page": {"number": "page", "offset": "min"}}, {"page": {"cursor": "page"}}, {"page": {"first": 7}},
        {"page": {"most": "x"}}, {"page": 7}, {"fields": {"x": 7}}, {"fields": {"x\u202e": "y"}}, {"fields": 7},
    ],
)  # fmt: skip
def test_a_mapping_that_does_not_fit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(DescriptionRefused) as raised:
        read(None, **wrong)
    assert raised.value.field == "mapping"


@pytest.mark.parametrize(
    "mapping", ["", "[1]", "entities: []", "entities: x", "- a", "a: &b [*b]", "entities: [7]", "{", "x" * 60_000]
)
def test_what_is_no_mapping_is_refused(mapping: str) -> None:
    with pytest.raises(DescriptionRefused):
        read_service(json.dumps(api()), mapping)


def schemes(**scheme: Any) -> dict[str, Any]:
    return api(components={**api()["components"], "securitySchemes": {"one": scheme}})


@pytest.mark.parametrize(
    ("scheme", "kind"),
    [
        ({"type": "http", "scheme": "Bearer"}, "bearer"),
        ({"type": "http", "scheme": "basic"}, "basic"),
        ({"type": "oauth2"}, "bearer"),
        ({"type": "apiKey", "in": "header", "name": "X-Key"}, "key"),
        ({"type": "apiKey", "in": "query", "name": "key"}, None),  # addresses are written into logs
        ({"type": "apiKey", "in": "header", "name": "Host"}, None),
        ({"type": "apiKey", "in": "header", "name": "X\r\nY"}, None),
        ({"type": "mutualTLS"}, None),
        ({}, None),
    ],
)
def test_credentials_go_into_a_header(scheme: dict[str, Any], kind: str | None) -> None:
    if kind:
        assert read(schemes(**scheme)).service["security"]["kind"] == kind
        return
    with pytest.raises(DescriptionRefused):
        read(schemes(**scheme))


@pytest.mark.parametrize(
    "reference", ["https://elsewhere.example/x", "other.yaml#/x", "file:///etc/passwd", "#/components/schemas/Order", 7]
)
def test_no_reference_leads_out_or_round_and_round(reference: Any) -> None:
    told = api()
    told["components"]["schemas"]["Order"] = {"$ref": reference}
    with pytest.raises(DescriptionRefused) as raised:
        read(told)
    assert raised.value.field == "openapi"


def test_paths_do_not_leave_the_server() -> None:
    for path in ("/../x", "/%2E%2e/x", "/x\\y", "//elsewhere.example/x", "/x?y=1", "/x#y", "/a b"):
        told = api()
        told["paths"] = {path: told["paths"]["/orders"]}
        try:
            found = read(told, list=path).service["base"]
        except DescriptionRefused:
            continue
        assert (path, found) == ("//elsewhere.example/x", "/v1")  # behind the base it is a path like any other


def entangled() -> dict[str, Any]:
    told = api()
    names = {f"p{n}": {"$ref": "#/components/schemas/Wide"} for n in range(400)}
    wide = {"allOf": [{"$ref": "#/components/schemas/Wide"}] * 20, "properties": names}
    told["components"]["schemas"] |= {"Wide": wide, "Order": wide}
    return told


DEEP = "[" * 5_000 + "]" * 5_000


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(entangled()), '{"openapi": "3.0", "x": ' + DEEP + "}", "a: " + DEEP, "x" * 1_000_001,
        "a:\n" + "- b\n" * 70_000, "a: b\n" * 80_000, "openapi: 3.0\nx: &a [*a]",
    ],
)  # fmt: skip
def test_reading_takes_time_in_proportion(text: str) -> None:
    began = time.process_time()
    with pytest.raises(DescriptionRefused):
        read_service(text, {"entities": [ENTITY]})
    assert time.process_time() - began < 20
