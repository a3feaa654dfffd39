"""What a REST service is, read once of its OpenAPI 3 description and of an admin's mapping; kept is only what asking it
needs.

    {"base": "/v1", "security": {"kind", "header"}, "entities": [{"name", "list", "rows", "get", "record", "id",
     "filters": {column: {operator: parameter}}, "page": {…}, "columns": [{"name", "type", "path"}]}]}

Both texts are an admin's and so are bounded as a stranger's: no reference leads out of the description, no address out
of its server, and nothing but GET is taken from it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from tools.services.filters import OPERATORS
from tools.services.openapi import (
    MOST_COLUMNS,
    ApiDescription,
    DescriptionRefused,
    columns_of_rows,
    is_field_name,
    object_at,
    resolved,
    row_schema,
)
from tools.services.plain import YamlRefused, read_plain

MOST_CHARACTERS, MOST_MAPPING = 1_000_000, 50_000
MOST_YAML, MOST_PIECES, DEEPEST = 300_000, 60_000, 60
MOST_ENTITIES = 50
LONGEST_PATH, MOST_STEPS = 500, 8
ENTITY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,59}", re.ASCII)
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}", re.ASCII)
HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?", re.ASCII)
PARAMETER = re.compile(r"[A-Za-z0-9_.\[\]$:-]{1,100}", re.ASCII)
PATH = re.compile(r"(?:/[A-Za-z0-9_.~$()+,;=:@%-]*)+", re.ASCII)
PLACE = re.compile(r"\{[^{}/]{1,100}\}")
HOPS = re.compile(r"(?:^|/)(?:\.|%2e)+(?:/|$)", re.IGNORECASE)
NOT_A_HEADER = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "content-type", "accept-encoding"}
)
KEYS = {"name", "list", "rows", "id", "get", "record", "fields", "filters", "page"}
TURNS = ("number", "offset", "cursor")


@dataclass(frozen=True, slots=True)
class Described:
    host: str
    port: int
    service: dict[str, Any]


def needs_no_credentials(service: Mapping[str, Any]) -> bool:
    """Whether it is asked without credentials."""
    return bool(service) and service["security"]["kind"] == "none"


def read_service(openapi: str, mapping: str | Mapping[str, Any]) -> Described:
    """Raises DescriptionRefused."""
    api, said = ApiDescription(_read("openapi", openapi, MOST_CHARACTERS)), _mapping(mapping)
    if not str(api.get("openapi", "")).startswith("3."):
        raise DescriptionRefused("openapi", _("It is no OpenAPI 3 description: it begins with “openapi: 3…”."))
    host, port, base = _server(api)
    wanted = said.get("entities")
    if not isinstance(wanted, list) or not 0 < len(wanted) <= MOST_ENTITIES:
        raise DescriptionRefused("mapping", _("Name 1 to %(most)d “entities”.") % {"most": MOST_ENTITIES})
    entities = [_entity(api, one) for one in wanted]
    if len({one["name"].lower() for one in entities}) < len(entities):
        raise DescriptionRefused("mapping", _("Two entities have the same name."))
    security = _security(api, said.get("security"))
    return Described(host, port, {"base": base, "security": security, "entities": entities})


def _mapping(mapping: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(mapping, str):  # of a body of JSON: its depth was bounded by whoever read it
        try:
            mapping = json.dumps(mapping)
        except (ValueError, RecursionError):
            raise DescriptionRefused("mapping", _("It is no mapping.")) from None
    return _read("mapping", mapping, MOST_MAPPING)


def _read(field: str, text: str, most: int) -> Mapping[str, Any]:
    if len(text) > most:
        raise DescriptionRefused(field, _("The text has more than %(most)d characters.") % {"most": most})
    is_json = text.lstrip().startswith("{")
    if not is_json and len(text) > MOST_YAML:
        raise DescriptionRefused(
            field, _("As YAML it has at most %(most)d characters; send it as JSON.") % {"most": MOST_YAML}
        )
    try:
        found = json.loads(text) if is_json else read_plain(text, DEEPEST, MOST_PIECES)
    except YamlRefused as refusal:
        raise DescriptionRefused(field, str(refusal)) from None
    except (ValueError, RecursionError):
        raise DescriptionRefused(field, _("The text is no JSON.")) from None
    if not isinstance(found, dict):
        raise DescriptionRefused(field, _("The text is no mapping of names."))
    return found


def _server(api: ApiDescription) -> tuple[str, int, str]:
    servers = api.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = first.get("url") if isinstance(first, dict) else None
    refusal = DescriptionRefused("openapi", _("Its first server is no address of the kind https://api.example.org/v1."))
    if not isinstance(url, str) or len(url) > LONGEST_PATH or not url.isascii() or not url.isprintable():
        raise refusal
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise refusal from None
    base = parts.path.rstrip("/")
    is_named = bool(host and HOST.fullmatch(host))
    is_plain = (
        parts.scheme == "https" and is_named and "@" not in parts.netloc and not parts.query and not parts.fragment
    )
    if not is_plain or (base and not _is_path(base)):
        raise refusal
    return str(host), port or 443, base


def _is_path(path: str) -> bool:
    return bool(PATH.fullmatch(path)) and not HOPS.search(path) and not re.search(r"%(?:2f|5c|00)", path, re.IGNORECASE)


def _security(api: ApiDescription, named: Any) -> dict[str, str]:
    """The scheme that the mapping names, else the only one that there is, else a bearer token; “none” for none."""
    schemes = object_at(object_at(api, "components"), "securitySchemes")
    if named == "none":
        return {"kind": "none", "header": ""}
    if named is None and len(schemes) != 1:
        if schemes:
            raise DescriptionRefused(
                "mapping", _("Say in “security” which of the description's schemes it is, or none.")
            )
        return {"kind": "bearer", "header": "Authorization"}
    scheme = resolved(api, schemes.get(str(named)) if named is not None else next(iter(schemes.values())))
    kind, how, header = (str(scheme.get(one, "")) for one in ("type", "scheme", "name"))
    if kind == "http" and how.lower() in ("bearer", "basic"):
        return {"kind": how.lower(), "header": "Authorization"}
    if kind in ("oauth2", "openIdConnect"):  # a token that an admin got there
        return {"kind": "bearer", "header": "Authorization"}
    is_header = scheme.get("in") == "header" and HEADER.fullmatch(header) and header.lower() not in NOT_A_HEADER
    if kind == "apiKey" and is_header:
        return {"kind": "key", "header": header}
    raise DescriptionRefused(
        "mapping", _("The security scheme is neither a bearer token, a key in a header, nor basic.")
    )


def _entity(api: ApiDescription, said: Any) -> dict[str, Any]:
    if not isinstance(said, dict) or set(said) - KEYS:
        raise DescriptionRefused(
            "mapping", _("An entity has %(names)s and nothing else.") % {"names": ", ".join(sorted(KEYS))}
        )
    name = said.get("name")
    if not isinstance(name, str) or not ENTITY.fullmatch(name):
        raise DescriptionRefused(
            "mapping", _("An entity is called by letters without accents, digits, _ and -, up to 60.")
        )
    path = _path(api, name, said.get("list"))
    if PLACE.search(path):
        raise DescriptionRefused("mapping", _of(name, _("“list” is a path without places to fill in.")))
    rows, record = _steps(name, "rows", said.get("rows", "")), _steps(name, "record", said.get("record", ""))
    operation = _operation(api, path)
    columns = _named_columns(name, said["fields"]) if said.get("fields") else []
    columns = columns or columns_of_rows(api, row_schema(api, operation, rows))[:MOST_COLUMNS]
    if not columns:
        raise DescriptionRefused(
            "mapping", _of(name, _("the description tells no fields of its rows; name them in “fields”."))
        )
    known = {one["name"] for one in columns}
    parameters = {str(one.get("name")) for one in _parameters(api, path, operation) if one.get("in") == "query"}
    found = {
        "name": name, "list": path, "rows": rows, "get": None, "record": record, "id": "", "columns": columns,
        "filters": _filters(name, said.get("filters") or {}, known, parameters),
        "page": _page(name, said.get("page") or {}, parameters),
    }  # fmt: skip
    if said.get("get"):
        one = _path(api, name, said["get"])
        before, place, after = one.partition(PLACE.search(one)[0]) if PLACE.search(one) else (one, "", "")  # type: ignore[index]
        if not place or PLACE.search(after) or str(said.get("id")) not in known:
            raise DescriptionRefused(
                "mapping", _of(name, _("“get” is a path with one place, and “id” a field, which fills it."))
            )
        _operation(api, one)
        found |= {"get": [before, after], "id": str(said["id"])}
    return found


def _path(api: ApiDescription, name: str, said: Any) -> str:
    known = object_at(api, "paths")
    if not isinstance(said, str) or said not in known or len(said) > LONGEST_PATH:
        raise DescriptionRefused("mapping", _of(name, _("“list” and “get” are paths of the description.")))
    if not _is_path(PLACE.sub("x", said)):
        raise DescriptionRefused("openapi", _of(name, _("its path has characters that no path has.")))
    return said


def _operation(api: ApiDescription, path: str) -> Mapping[str, Any]:
    operation = resolved(api, object_at(api, "paths")[path]).get("get")
    if not isinstance(operation, dict):
        raise DescriptionRefused(
            "mapping", _("The path %(path)s has no GET, and nothing else is asked.") % {"path": path}
        )
    return operation


def _parameters(api: ApiDescription, path: str, operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for owner in (resolved(api, object_at(api, "paths")[path]), operation):
        told = owner.get("parameters")
        for one in told[:MOST_COLUMNS] if isinstance(told, list) else ():
            yield resolved(api, one)


def _of(name: str, said: str) -> str:
    """Of one entity."""
    return f"{name}: {said}"


def _steps(name: str, key: str, said: Any) -> list[str]:
    """`data.items` is two steps into an answer, and nothing is none."""
    steps = said.split(".") if isinstance(said, str) and said else []
    if not isinstance(said, str) or len(steps) > MOST_STEPS or not all(map(is_field_name, steps)):
        raise DescriptionRefused(
            "mapping", _of(name, _("“%(key)s” is written as names with dots between them: data.items.") % {"key": key})
        )
    return steps


def _filters(name: str, said: Any, columns: set[str], parameters: set[str]) -> dict[str, dict[str, str]]:
    """By column and operator the parameter; a parameter alone is that of `eq`."""
    if not isinstance(said, dict) or len(said) > MOST_COLUMNS:
        raise DescriptionRefused(
            "mapping", _of(name, _("“filters” has fields with the parameters that they are asked by."))
        )
    found: dict[str, dict[str, str]] = {}
    for column, by in said.items():
        found[column] = by if isinstance(by, dict) else {"eq": by}
        if column not in columns:
            raise DescriptionRefused("mapping", _of(name, _("“filters” names a field that is none of its fields.")))
        if set(found[column]) - set(OPERATORS):
            raise DescriptionRefused(
                "mapping", _of(name, _("a filter is one of %(names)s.") % {"names": ", ".join(OPERATORS)})
            )
        for parameter in found[column].values():
            _check_parameter(name, parameter, parameters)
    return found


def _page(name: str, said: Any, parameters: set[str]) -> dict[str, Any]:
    if not isinstance(said, dict) or set(said) - {*TURNS, "first", "size", "most", "next"}:
        raise DescriptionRefused(
            "mapping", _of(name, _("“page” has number, offset or cursor, and first, size, most, next."))
        )
    turned = [one for one in TURNS if said.get(one)]
    if len(turned) > 1 or bool("cursor" in turned) != bool(said.get("next")):
        raise DescriptionRefused("mapping", _of(name, _("pages are turned in one way; a cursor is found at “next”.")))
    for one in (*turned, *(["size"] if said.get("size") else [])):
        _check_parameter(name, said[one], parameters)
    return {
        **{one: said[one] for one in (*turned, "size") if said.get(one)},
        "first": _number(name, said.get("first", 1), 0, 1), "most": _number(name, said.get("most", 100), 1, 1_000),
        "next": _steps(name, "next", said.get("next", "")),
    }  # fmt: skip


def _number(name: str, said: Any, least: int, most: int) -> int:
    written = str(said) if isinstance(said, str | int) else ""
    is_number = written.isascii() and written.isdigit() and len(written) <= len(str(most))
    if not is_number or not least <= int(written) <= most:
        raise DescriptionRefused("mapping", _of(name, _("“first” is 0 or 1, “most” the rows of a page, up to 1,000.")))
    return int(written)


def _check_parameter(name: str, parameter: Any, known: set[str]) -> None:
    if not isinstance(parameter, str) or parameter not in known or not PARAMETER.fullmatch(parameter):
        raise DescriptionRefused(
            "mapping", _of(name, _("its list has no query parameter of a name that the mapping has."))
        )


def _named_columns(name: str, said: Any) -> list[dict[str, Any]]:
    """A list of fields as they are called in a row, or by name where in a row they stand."""
    pairs = {str(one): one for one in said} if isinstance(said, list) else said
    if not isinstance(pairs, dict) or len(pairs) > MOST_COLUMNS:
        raise DescriptionRefused(
            "mapping", _of(name, _("“fields” names at most %(most)d fields.") % {"most": MOST_COLUMNS})
        )
    if any(not is_field_name(one) for one in pairs):
        raise DescriptionRefused("mapping", _of(name, _("a field has a name of characters that are seen, up to 100.")))
    columns = [{"name": one, "type": "", "path": _steps(name, "fields", where)} for one, where in pairs.items()]
    paths = sorted(one["path"] for one in columns)  # in which what begins as another stands right behind it
    if any(after[: len(before)] == before for before, after in pairwise(paths)):
        raise DescriptionRefused(
            "mapping", _of(name, _("of two fields one is within the other: it could not be masked."))
        )
    return columns
