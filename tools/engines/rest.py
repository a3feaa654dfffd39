"""A REST service as its OpenAPI description and an admin's mapping say (`tools.services.described`): GET, and nothing
else."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from tools.engines.cells import Gathered
from tools.engines.failures import QueryFailed
from tools.engines.https import NoSuchRecord, Service, as_kind, of_type

RECORD = re.compile(r"(?=.*[^.])[A-Za-z0-9._:@-]{1,200}", re.ASCII)
CURSOR_LENGTH = 1_000


class RestService:
    def __init__(self, request: dict[str, Any]) -> None:
        self._told = request["place"]["service"]
        self._service = Service(request, _proof(self._told["security"], request["place"]))

    def tables(self, _request: dict[str, Any]) -> list[dict[str, Any]]:
        """As they were described; one is asked for, which shows whether the service answers so."""
        entities = self._told["entities"]
        of_type(_inside(self._service.get(self._path(entities[0]["list"])), entities[0]["rows"]), list)
        return [
            {
                "schema": "main",
                "name": one["name"],
                "columns": [{"name": column["name"], "type": column["type"]} for column in one["columns"]],
            }
            for one in entities
        ]

    def records(self, request: dict[str, Any]) -> Gathered:
        entity = self._entity(request)
        query = [pair for one in request["filter"] for pair in _parameters(entity, *one)]
        return self._service.gather(self._pages(entity, query, request), request, _reader(entity))

    def _pages(self, entity: Any, query: list[tuple[str, str]], request: Any) -> Iterator[list[Any]]:
        page = entity["page"]
        if page.get("size"):
            query = [*query, (page["size"], str(min(page["most"], request["most"]["rows"] + 1)))]
        number, seen, cursor = page.get("first", 1), 0, ""
        while True:
            turned = {"number": str(number), "offset": str(seen), "cursor": cursor}
            kind = next((one for one in turned if page.get(one)), "")
            at = [(page[kind], turned[kind])] if kind and (seen or kind != "cursor") else []
            told = self._service.get(self._path(entity["list"]), [*query, *at])
            rows = of_type(_inside(told, entity["rows"]), list)
            yield rows
            number, seen = number + 1, seen + len(rows)
            after = _inside(told, page.get("next", [])) if kind == "cursor" else None
            cursor = str(after) if isinstance(after, str | int) and 0 < len(str(after)) <= CURSOR_LENGTH else ""
            if not rows or not kind or (kind == "cursor" and not cursor):
                return

    def record(self, request: dict[str, Any]) -> Gathered:
        entity = self._entity(request)
        if not RECORD.fullmatch(request["id"]):
            raise QueryFailed("An id has letters, digits and . _ : @ - alone.")
        before, after = entity["get"]
        try:
            told = self._service.get(f"{self._path(before)}{quote(request['id'], safe='')}{after}")
            found = of_type(_inside(told, entity["record"]), dict)
        except NoSuchRecord:
            found = None
        return self._service.only(found, request, _reader(entity))

    def _path(self, path: str) -> str:
        return f"{self._told['base']}{path}"

    def _entity(self, request: Mapping[str, Any]) -> Any:
        found = next((one for one in self._told["entities"] if one["name"] == request["entity"]), None)
        if found is None:
            raise QueryFailed("The service has no entity of this name any more.")
        return found


def _proof(security: Mapping[str, str], place: Mapping[str, Any]) -> dict[str, str]:
    kind = security["kind"]
    if kind == "none":
        return {}
    if kind == "basic":
        both = f"{place['username']}:{place['password']}".encode()
        return {"Authorization": f"Basic {b64encode(both).decode()}"}
    return {security["header"]: f"Bearer {place['password']}" if kind == "bearer" else place["password"]}


def _parameters(entity: Any, name: str, _kind: str, operator: str, value: Any) -> list[tuple[str, str]]:
    parameter = entity["filters"].get(name, {}).get(operator)
    if parameter is None:
        raise QueryFailed("The service cannot be asked by this field.")
    values = value if isinstance(value, list) else [value]
    return [(parameter, str(one).lower() if isinstance(one, bool) else str(one)) for one in values]


def _reader(entity: Any) -> Any:
    paths = {one["name"]: one["path"] for one in entity["columns"]}

    def read(record: Mapping[str, Any], field: Mapping[str, str]) -> Any:
        path = paths.get(field["name"])  # none for one that the mapping does not have: in it others could lie
        return as_kind(_inside(record, path), field["type"]) if path else None

    return read


def _inside(told: Any, path: Sequence[str]) -> Any:
    for name in path:
        told = told.get(name) if isinstance(told, dict) else None
    return told
