"""Salesforce's REST API, as the app of a client-credentials flow: SOQL of names that were chosen and of literals that
are written here, each by the type of its field.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from tools.engines.cells import Gathered
from tools.engines.failures import QueryFailed, SourceFailed
from tools.engines.https import Denied, NoSuchRecord, Service, as_kind, first_columns, of_type

ID = "Id"
DATA = "/services/data/v60.0"
ENTITIES = ("Account", "Contact", "Lead", "Opportunity", "Case")
MOST_OWN = 15  # objects that a customer has made
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}", re.ASCII)
TOKEN = re.compile(r"[!-~]{1,4000}")
RECORD = re.compile(r"[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?", re.ASCII)
NEXT = re.compile(r"/services/data/v[0-9]{1,3}\.[0-9]/query/[A-Za-z0-9-]{1,100}", re.ASCII)
TYPES = {
    "double": "number", "currency": "number", "percent": "number", "int": "integer", "long": "integer",
    "boolean": "boolean", "date": "date", "datetime": "datetime", "time": "time",
}  # fmt: skip
COMPOUND = ("address", "location")  # of fields that are there by themselves, each of which may be masked
OPERATORS = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "in": "IN", "contains": "LIKE"}
ESCAPES = str.maketrans({
    "\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f",
})  # fmt: skip
PATTERN = str.maketrans({"%": "\\%", "_": "\\_"})


class Salesforce:
    def __init__(self, request: dict[str, Any]) -> None:
        self._service = Service(request, {})
        self._place = request["place"]

    def _sign_in(self) -> Service:
        """Whatever address of another server is told along is not asked."""
        fields = [
            ("grant_type", "client_credentials"),
            ("client_id", self._place["username"]),
            ("client_secret", self._place["password"]),
        ]
        try:
            told = of_type(self._service.post_form("/services/oauth2/token", fields), dict)
        except QueryFailed:  # a client that it does not know
            raise SourceFailed("denied") from None
        token = of_type(told.get("access_token"), str)
        if not TOKEN.fullmatch(token):
            raise SourceFailed("no_answer")
        self._service.headers["Authorization"] = f"Bearer {token}"
        self._service.keep_secret(token)
        return self._service

    def tables(self, _request: dict[str, Any]) -> list[dict[str, Any]]:
        service = self._sign_in()
        known = of_type(of_type(service.get(f"{DATA}/sobjects/"), dict).get("sobjects"), list)
        there = {str(one.get("name")): one for one in known if isinstance(one, dict) and one.get("queryable") is True}
        own = [name for name, one in there.items() if one.get("custom") is True and NAME.fullmatch(name)]
        found = []
        for name in (*(one for one in ENTITIES if one in there), *own[:MOST_OWN]):
            try:
                told = of_type(service.get(f"{DATA}/sobjects/{name}/describe"), dict)
            except (Denied, NoSuchRecord):
                continue
            columns = [
                {"name": one["name"], "type": TYPES.get(str(one.get("type")), "text")}
                for one in of_type(told.get("fields"), list)
                if isinstance(one, dict) and isinstance(one.get("name"), str) and NAME.fullmatch(one["name"])
                if one.get("type") not in COMPOUND
            ]
            found.append({"schema": "main", "name": name, "columns": first_columns(columns, ID)})
        return found

    def records(self, request: dict[str, Any]) -> Gathered:
        conditions = [_condition(*one) for one in request["filter"]]
        pages = self._pages(_soql(request, conditions, request["most"]["rows"] + 1))
        return self._service.gather(pages, request, _value)

    def record(self, request: dict[str, Any]) -> Gathered:
        if not RECORD.fullmatch(request["id"]):
            raise QueryFailed("An id of Salesforce has 15 or 18 letters and digits.")
        pages = self._pages(_soql(request, [f"{ID} = '{request['id']}'"], 1))
        return self._service.only(next(iter(next(pages)), None), request, _value)

    def _pages(self, soql: str) -> Iterator[list[Any]]:
        service = self._sign_in()
        target = f"{DATA}/query?q={quote(soql, safe='')}"
        while True:
            told = of_type(service.ask("GET", target), dict)
            yield of_type(told.get("records"), list)
            target = told.get("nextRecordsUrl") or ""
            if not target:
                return
            if not NEXT.fullmatch(of_type(target, str)):
                raise SourceFailed("no_answer")


def _soql(request: Mapping[str, Any], conditions: list[str], limit: int) -> str:
    fields = ", ".join(_name(one["name"]) for one in request["fields"])
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {fields} FROM {_name(request['entity'])}{where} LIMIT {limit:d}"  # noqa: S608 - names and literals


def _name(name: Any) -> str:
    if not NAME.fullmatch(str(name)):
        raise QueryFailed("Salesforce has no object or field of this name.")
    return str(name)


def _condition(name: str, kind: str, operator: str, value: Any) -> str:
    if operator == "in":
        literal = f"({', '.join(_literal(one, kind) for one in value)})"
    elif operator == "contains":
        literal = f"'%{str(value).translate(ESCAPES).translate(PATTERN)}%'"
    else:
        literal = _literal(value, kind)
    return f"{_name(name)} {OPERATORS[operator]} {literal}"


def _literal(value: Any, kind: str) -> str:
    """By the field's type: a text never stands outside of quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool) or (kind == "boolean" and value in ("true", "false")):
        return str(value).lower()
    if kind in ("number", "integer", "decimal"):
        return _number(value)
    if kind == "date":
        return _day(str(value)).isoformat()
    if kind == "datetime":
        return _moment(str(value))
    return f"'{str(value).translate(ESCAPES)}'"


def _number(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?", value, re.ASCII):
        return value
    if isinstance(value, str):
        raise QueryFailed("This field is compared with numbers.")
    return repr(value)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise QueryFailed("This field is compared with days, as 2025-01-31.") from None


def _moment(text: str) -> str:
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        raise QueryFailed("This field is compared with times, as 2025-01-31T08:00:00Z.") from None
    return told.isoformat() if told.tzinfo else f"{told.isoformat()}Z"


def _value(record: Mapping[str, Any], field: Mapping[str, str]) -> Any:
    return as_kind(record.get(field["name"]), field["type"])
