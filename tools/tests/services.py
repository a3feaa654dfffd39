"""Servers that speak as HubSpot, Salesforce and a REST service do, over TLS on loopback, and one that answers
whatever a test says."""

import json
import os
import re
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN, SECRET = "pat-na1-hushword-0001", "consumer-hushword-0002"
EMAIL = "canary@hidden.example"
CONTACTS = [
    {
        "hs_object_id": str(n),
        "firstname": f"Name {n}",
        "email": EMAIL,
        "amount": str(n * 10),
        "is_vip": str(n % 2 == 0).lower(),
    }
    for n in range(1, 451)
]
ACCOUNTS: list[dict[str, Any]] = [
    {
        "Id": f"001{n:012}", "Name": name, "Industry": "Law", "AnnualRevenue": n * 1000.5,
        "CreatedDate": f"2025-01-{n:02}", "Email__c": EMAIL,
    }
    for n, name in enumerate(("O'Brien & Co", "100% Legal", 'Back\\slash "quoted"', "Norte", "Sur"), 1)
]  # fmt: skip
ORDERS: list[dict[str, Any]] = [
    {
        "id": f"o-{n}", "region": "north" if n % 2 else "south", "total": n * 1.5,
        "customer": {"name": f"C{n}", "email": EMAIL},
    }
    for n in range(1, 26)
]  # fmt: skip
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
}  # fmt: skip
HUBSPOT = {"EQ": "=", "NEQ": "!=", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<="}
Answer = tuple[int, dict[str, str], bytes]


def told(value: Any, status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


class Wire:
    """`asked`: method, path with query, headers and body of each request. `answer` makes an answer of them; raw bytes
    are sent as they are."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.answer: Callable[[str, str, dict[str, str], bytes], Answer | Iterator[bytes]] = lambda *_asked: told({})

    @property
    def paths(self) -> list[str]:
        return [path for _method, path, _headers, _body in self.asked]

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(body) for method, _path, _headers, body in self.asked if method == "POST" and body]


@contextmanager
def running() -> Iterator[Wire]:
    """SSL_CERT_FILE names its certificate meanwhile, which is of localhost."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        make += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(folder / "key"), "-out", str(folder / "crt")]
        subprocess.run(make, check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "crt", folder / "key")
        before = os.environ.get("SSL_CERT_FILE")
        os.environ["SSL_CERT_FILE"] = str(folder / "crt")
        server = _Server(("127.0.0.1", 0), _Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        server.wire = Wire(server.server_port)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.wire
        finally:
            server.shutdown()
            server.server_close()
            os.environ.pop("SSL_CERT_FILE")
            if before:
                os.environ["SSL_CERT_FILE"] = before


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    wire: Wire

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_told: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _answer(self, body: bytes) -> None:
        asked = (self.command, self.path, dict(self.headers.items()), body)
        self.server.wire.asked.append(asked)
        answer = self.server.wire.answer(*asked)
        if not isinstance(answer, tuple):
            for part in answer:
                self.wfile.write(part)
                self.wfile.flush()
            self.close_connection = True
            return
        status, headers, content = answer
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def hubspot(method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
    if headers.get("Authorization") != f"Bearer {TOKEN}":
        return told({"status": "error", "message": "Authentication credentials not found"}, 401)
    parts = urlsplit(path)
    steps = parts.path.strip("/").split("/")
    if steps[:3] == ["crm", "v3", "properties"]:
        return _hubspot_properties(steps[3])
    if steps[:4] == ["crm", "v3", "objects", "contacts"] and method == "POST" and steps[4:] == ["search"]:
        return _hubspot_search(json.loads(body))
    if steps[:4] == ["crm", "v3", "objects", "contacts"] and len(steps) == 5:
        names = parse_qs(parts.query)["properties"][0].split(",")
        found = next((one for one in CONTACTS if one["hs_object_id"] == steps[4]), None)
        return told(_hubspot_record(found, names)) if found else told({"message": "resource not found"}, 404)
    return told({"message": "no such object"}, 404)


def _hubspot_properties(entity: str) -> Answer:
    if entity != "contacts":
        return told({"category": "MISSING_SCOPES", "message": "This app hasn't been granted all required scopes"}, 403)
    kinds = {"hs_created": "datetime", "firstname": "string", "email": "string", "amount": "number", "is_vip": "bool"}
    shown: list[dict[str, Any]] = [{"name": name, "type": kind} for name, kind in kinds.items()]
    return told({"results": [*shown, {"name": "hs_object_id", "type": "number", "hidden": True}]})


def _hubspot_search(asked: dict[str, Any]) -> Answer:
    filters = asked["filterGroups"][0]["filters"] if asked["filterGroups"] else []
    found = [one for one in CONTACTS if all(_hubspot_meets(one, by) for by in filters)]
    start, limit = int(asked.get("after", 0)), asked["limit"]
    if not 0 < limit <= 200:
        return told({"message": "limit"}, 400)
    page: dict[str, Any] = {
        "total": len(found),
        "results": [_hubspot_record(one, asked["properties"]) for one in found[start : start + limit]],
    }
    if start + limit < len(found):
        page["paging"] = {"next": {"after": str(start + limit)}}
    return told(page)


def _hubspot_meets(record: dict[str, Any], by: dict[str, Any]) -> bool:
    value = record.get(by["propertyName"])
    if by["operator"] == "IN":
        return str(value).lower() in by["values"]
    if by["operator"] == "CONTAINS_TOKEN":
        return by["value"].strip("*").lower() in str(value).lower()
    if by["operator"] in ("HAS_PROPERTY", "NOT_HAS_PROPERTY"):
        return (value is not None) == (by["operator"] == "HAS_PROPERTY")
    number = by["propertyName"] in ("amount", "hs_object_id")
    return COMPARED[HUBSPOT[by["operator"]]](
        *((float(value or 0), float(by["value"])) if number else (value, by["value"]))
    )


def _hubspot_record(record: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """HubSpot's own, whatever is asked for, beside what was."""
    always = ("createdate", "lastmodifieddate")
    return {"id": record["hs_object_id"], "properties": {one: record.get(one) for one in (*names, *always)}}


def salesforce(_method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
    parts = urlsplit(path)
    if parts.path == "/services/oauth2/token":
        asked = {name: value[0] for name, value in parse_qs(body.decode()).items()}
        if asked != {"grant_type": "client_credentials", "client_id": "key", "client_secret": SECRET}:
            return told({"error": "invalid_client_id", "error_description": "client identifier invalid"}, 400)
        return told({"access_token": "00Dx!session.hushword", "instance_url": "https://169.254.169.254"})
    if headers.get("Authorization") != "Bearer 00Dx!session.hushword":
        return told([{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}], 401)
    if "/query" in parts.path:
        start = parts.path.partition("01g00-")[2]
        return _soql_page(_pages["rows"], int(start)) if start else _soql(parse_qs(parts.query)["q"][0])
    return _sobjects(parts.path)


def _sobjects(path: str) -> Answer:
    if path.endswith("/sobjects/"):
        objects = [("Account", False), ("Contact", False), ("Project__c", True), ("ApexLog", False)]
        return told({"sobjects": [{"name": name, "queryable": True, "custom": own} for name, own in objects]})
    if "/Contact/" in path:
        return told([{"message": "no access", "errorCode": "INSUFFICIENT_ACCESS"}], 403)
    kinds = {
        "Name": "string", "Id": "id", "Industry": "picklist", "AnnualRevenue": "currency", "CreatedDate": "date",
        "Email__c": "email",
    }  # fmt: skip
    return told({"fields": [{"name": name, "type": kind} for name, kind in kinds.items()]})


LITERAL = r"(?:'(?:[^'\\]|\\.)*'|\d{4}-\d\d-\d\d(?:T[0-9:.+Z-]+)?|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)"
CONDITION = re.compile(rf"(\w+) (=|!=|>=|<=|>|<|LIKE|IN) ({LITERAL}|\({LITERAL}(?:, {LITERAL})*\))", re.DOTALL)
SOQL = re.compile(r"SELECT (\w+(?:, \w+)*) FROM (\w+)(?: WHERE (.*))? LIMIT (\d+)", re.DOTALL)


def _soql(text: str) -> Answer:
    """Read as Salesforce would: what is no statement of this form is refused."""
    malformed = told([{"message": "unexpected token", "errorCode": "MALFORMED_QUERY"}], 400)
    statement = SOQL.fullmatch(text)
    if not statement or statement[2] != "Account":
        return malformed
    conditions, rest = [], statement[3] or ""
    while rest:
        condition = CONDITION.match(rest)
        if not condition or (rest[condition.end() :] and not rest[condition.end() :].startswith(" AND ")):
            return malformed
        conditions.append(condition.groups())
        rest = rest[condition.end() + 5 :]
    names = statement[1].split(", ")
    found = [one for one in ACCOUNTS if all(_soql_meets(one, *by) for by in conditions)][: int(statement[4])]
    return _soql_page([{"attributes": {"type": "Account"}, **{one: row[one] for one in names}} for row in found], 0)


def _soql_page(rows: list[dict[str, Any]], start: int) -> Answer:
    """Pages of three, each told where the next one is."""
    more = {"nextRecordsUrl": f"/services/data/v60.0/query/01g00-{start + 3}"} if len(rows) > start + 3 else {}
    _pages["rows"] = rows
    return told({"done": not more, "records": rows[start : start + 3], **more})


_pages: dict[str, list[dict[str, Any]]] = {}  # of the statement that was asked last


def _soql_meets(row: dict[str, Any], name: str, operator: str, literal: str) -> bool:
    if operator == "IN":
        return row[name] in [_read_literal(one) for one in re.findall(LITERAL, literal)]
    if operator == "LIKE":
        signs = {"%": ".*", "_": "."}
        parts = (signs.get(one) or re.escape(_unescaped(one)) for one in re.findall(r"\\.|.", literal[1:-1], re.DOTALL))
        return bool(re.fullmatch("".join(parts), row[name], re.DOTALL | re.IGNORECASE))
    return COMPARED[operator](row[name], _read_literal(literal))


def _read_literal(literal: str) -> Any:
    if literal.startswith("'"):
        return "".join(map(_unescaped, re.findall(r"\\.|.", literal[1:-1], re.DOTALL)))
    return literal if literal[:4].isdigit() and literal[4:5] == "-" else json.loads(literal)


def _unescaped(one: str) -> str:
    return {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\b": "\b", "\\f": "\f"}.get(one, one[-1])


def rest(_method: str, path: str, headers: dict[str, str], _body: bytes) -> Answer:
    if headers.get("X-Api-Key") != TOKEN:
        return told({"detail": "no key"}, 401)
    parts = urlsplit(path)
    asked = {name: value[0] for name, value in parse_qs(parts.query).items()}
    if parts.path == "/v1/orders":
        found = [
            one
            for one in ORDERS
            if asked.get("region", one["region"]) == one["region"] and one["total"] >= float(asked.get("min", 0))
        ]
        page, size = int(asked.get("page", 1)), int(asked.get("size", 10))
        return told({"data": {"items": found[(page - 1) * size : page * size]}})
    if parts.path.startswith("/v1/orders/"):
        found = [one for one in ORDERS if one["id"] == unquote(parts.path.removeprefix("/v1/orders/"))]
        return told({"data": found[0]}) if found else told({"detail": "none"}, 404)
    return told({"detail": "none"}, 404)


def openapi(port: int) -> dict[str, Any]:
    """Of `rest`."""
    order = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {
        "region": {"type": "string"},
        "total": {"type": ["number", "null"]},
        "customer": {"$ref": "#/components/schemas/Customer"},
    }}]}  # fmt: skip
    customer = {"type": "object", "properties": {"name": {"type": "string"}, "email": {"type": "string"}}}
    listed = {
        "type": "object",
        "properties": {
            "data": {
                "type": "object",
                "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Order"}}},
            }
        },
    }
    names = [{"name": one, "in": "query"} for one in ("region", "min", "page", "size")]
    return {
        "openapi": "3.1.0",
        "servers": [{"url": f"https://localhost:{port}/v1"}],
        "paths": {
            "/orders": {
                "get": {
                    "parameters": names,
                    "responses": {"200": {"content": {"application/json": {"schema": listed}}}},
                },
                "post": {},
            },
            "/orders/{orderId}": {"get": {"responses": {}}},
            "/write": {"post": {}},
        },
        "components": {
            "schemas": {"Order": order, "Customer": customer, "Base": {"properties": {"id": {"type": "string"}}}},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"}},
        },
    }


MAPPING = """
entities:
- name: orders
  list: /orders
  rows: data.items
  id: id
  get: /orders/{orderId}
  record: data
  filters:
    region: region
    total: {gte: min}
  page: {number: page, size: size, most: 10}
"""
