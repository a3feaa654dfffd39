"""HubSpot's CRM API, version 3, with the token of a private app."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tools.engines.cells import Gathered
from tools.engines.failures import QueryFailed, SourceFailed
from tools.engines.https import Denied, NoSuchRecord, Service, as_kind, first_columns, of_type

ID = "hs_object_id"
ENTITIES = ("contacts", "companies", "deals", "tickets", "products", "line_items")
NAME = re.compile(r"[a-z0-9_-]{1,100}", re.ASCII | re.IGNORECASE)
RECORD = re.compile(r"[0-9]{1,20}")
CURSOR_LENGTH, PAGE = 500, 200
TYPES = {
    "string": "text", "enumeration": "text", "phone_number": "text", "number": "decimal", "bool": "boolean",
    "date": "date", "datetime": "datetime", "json": "json",
}  # fmt: skip
OPERATORS = {"eq": "EQ", "ne": "NEQ", "gt": "GT", "gte": "GTE", "lt": "LT", "lte": "LTE", "in": "IN"}


class HubSpot:
    def __init__(self, request: dict[str, Any]) -> None:
        self._service = Service(request, {"Authorization": f"Bearer {request['place']['password']}"})

    def tables(self, _request: dict[str, Any]) -> list[dict[str, Any]]:
        """Those that the token may read."""
        found, denied = [], 0
        for name in ENTITIES:
            try:
                told = of_type(self._service.get(f"/crm/v3/properties/{name}"), dict)
            except (Denied, NoSuchRecord):
                denied += 1
                continue
            shown = [one for one in of_type(told.get("results"), list) if isinstance(one, dict) and _is_shown(one)]
            columns = [
                {"name": one["name"], "type": TYPES.get(str(one.get("type")), "text")}
                for one in sorted(shown, key=lambda one: one["name"].startswith("hs_"))  # its own bookkeeping last
            ]
            found.append({"schema": "main", "name": name, "columns": first_columns(columns, ID)})
        if denied == len(ENTITIES):
            raise SourceFailed("denied")
        return found

    def records(self, request: dict[str, Any]) -> Gathered:
        return self._service.gather(self._pages(request), request, _value)

    def _pages(self, request: dict[str, Any]) -> Iterator[list[Any]]:
        asked = {
            "filterGroups": [{"filters": filters}] if (filters := [_filter(*one) for one in request["filter"]]) else [],
            "properties": _properties(request),
            "limit": min(PAGE, request["most"]["rows"] + 1),
        }
        while True:
            told = of_type(self._service.post(f"/crm/v3/objects/{_entity(request)}/search", asked), dict)
            yield of_type(told.get("results"), list)
            after = _inside(told, "paging", "next", "after")
            if not isinstance(after, str) or not 0 < len(after) <= CURSOR_LENGTH:
                return
            asked["after"] = after

    def record(self, request: dict[str, Any]) -> Gathered:
        if not RECORD.fullmatch(request["id"]):
            raise QueryFailed("An id of HubSpot has digits alone.")
        query = [("properties", ",".join(_properties(request)))]
        try:
            found = of_type(self._service.get(f"/crm/v3/objects/{_entity(request)}/{request['id']}", query), dict)
        except NoSuchRecord:
            found = None
        return self._service.only(found, request, _value)


def _is_shown(told: Mapping[str, Any]) -> bool:
    name = told.get("name")
    return isinstance(name, str) and bool(NAME.fullmatch(name)) and (name == ID or told.get("hidden") is not True)


def _entity(request: Mapping[str, Any]) -> str:
    name = str(request["entity"])
    if not NAME.fullmatch(name):
        raise QueryFailed("HubSpot has no entity of this name.")
    return name


def _properties(request: Mapping[str, Any]) -> list[str]:
    return [one["name"] for one in request["fields"]]


def _filter(name: str, kind: str, operator: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {"propertyName": name, "operator": "NOT_HAS_PROPERTY" if operator == "eq" else "HAS_PROPERTY"}
    if operator == "contains":
        return {"propertyName": name, "operator": "CONTAINS_TOKEN", "value": f"*{value}*"}
    if operator == "in":  # in which HubSpot compares texts in small letters
        return {"propertyName": name, "operator": "IN", "values": [_written(one, kind).lower() for one in value]}
    return {"propertyName": name, "operator": OPERATORS[operator], "value": _written(value, kind)}


def _written(value: Any, kind: str) -> str:
    """Days and times are compared as milliseconds."""
    if kind in ("date", "datetime") and isinstance(value, str):
        try:
            told = datetime.fromisoformat(value)
        except ValueError:
            raise QueryFailed("Write a day as 2025-01-31, a time as 2025-01-31T08:00:00Z.") from None
        return str(int((told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp() * 1000))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(record: Mapping[str, Any], field: Mapping[str, str]) -> Any:
    if field["name"] == ID and isinstance(record.get("id"), str):
        return record["id"]
    properties = record.get("properties")
    return as_kind(properties.get(field["name"]), field["type"]) if isinstance(properties, dict) else None


def _inside(told: Any, *names: str) -> Any:
    for name in names:
        told = told.get(name) if isinstance(told, dict) else None
    return told
