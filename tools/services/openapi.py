"""What an OpenAPI 3 description says, read by its own references alone: a row's schema, and the fields of it. Pure.

It is a stranger's in size and in how it is entangled: each name that is looked at counts.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from config.faults import Refusal

MOST_WORK, MOST_HOPS = 500_000, 20
MOST_COLUMNS, DEEPEST_COLUMN, LONGEST_NAME = 200, 2, 100
TYPES = {"integer": "integer", "number": "number", "boolean": "boolean", "string": "text"}
FORMATS = {"date": "date", "date-time": "datetime", "uuid": "uuid", "decimal": "decimal"}


class DescriptionRefused(Refusal):
    """`field`: openapi or mapping. Its text says what is wrong, for an admin, and with which `entity`."""

    def __init__(self, field: str, said: str, entity: str = "", **values: object) -> None:
        if entity:
            said, values = "%(entity)s: %(why)s", {"entity": entity, "why": Refusal(said, **values)}
        super().__init__(said, **values)
        self.field = field


class ApiDescription(dict[str, Any]):
    """A description; `work` is what reading it has cost, in names looked at."""

    work = 0

    def worked(self, more: int) -> None:
        self.work += more
        if self.work > MOST_WORK:
            raise DescriptionRefused("openapi", "Its schemas are too entangled; name the fields in the mapping.")


def is_field_name(name: Any) -> bool:
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()


def row_schema(api: ApiDescription, operation: Mapping[str, Any], rows: Iterable[str]) -> Mapping[str, Any]:
    responses = object_at(operation, "responses")
    answer: Any = next((responses[one] for one in ("200", "2XX", "default") if one in responses), {})
    content = object_at(resolved(api, answer), "content")
    media: Any = next((content[one] for one in content if "json" in str(one)), {})
    schema = resolved(api, object_at(media, "schema"))
    for step in rows:
        schema = resolved(api, _properties(api, schema).get(step))
    return resolved(api, schema.get("items"))


def _properties(api: ApiDescription, schema: Mapping[str, Any], hops: int = 3) -> dict[str, Any]:
    own = object_at(schema, "properties")
    api.worked(len(own))
    found: dict[str, Any] = {}
    parts = schema.get("allOf")
    for one in parts[:MOST_HOPS] if isinstance(parts, list) and hops else ():
        found |= _properties(api, resolved(api, one), hops - 1)
        api.worked(len(found))
    return found | own


def columns_of_rows(
    api: ApiDescription, schema: Mapping[str, Any], above: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Of objects within a row their fields, with a dot between the names."""
    found: list[dict[str, Any]] = []
    for name, told in _properties(api, schema).items():
        one = resolved(api, told)
        if not is_field_name(name) or "." in name or len(found) >= MOST_COLUMNS:
            continue
        inner = columns_of_rows(api, one, (*above, name)) if len(above) + 1 < DEEPEST_COLUMN else []
        full = ".".join((*above, name))
        found += inner or [{"name": full, "type": _type(one), "path": [*above, name]}]
    return found


def _type(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type")
    kind = next((one for one in kinds if one != "null"), "") if isinstance(kinds, list) else kinds
    if kind in ("array", "object"):
        return "json"
    return FORMATS.get(str(schema.get("format")), "text") if kind == "string" else TYPES.get(str(kind), "")


def object_at(told: Any, name: str) -> dict[str, Any]:
    found = told.get(name) if isinstance(told, dict) else None
    return found if isinstance(found, dict) else {}


def resolved(api: ApiDescription, told: Any) -> dict[str, Any]:
    """What a reference stands for, within the description alone. Raises DescriptionRefused."""
    for _hop in range(MOST_HOPS):
        api.worked(1)
        reference = told.get("$ref") if isinstance(told, dict) else None
        if reference is None:
            return told if isinstance(told, dict) else {}
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise DescriptionRefused("openapi", "A reference ($ref) leads out of the description.")
        told = api
        for step in reference[2:].split("/")[:MOST_HOPS]:
            told = told.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(told, dict) else None
    raise DescriptionRefused("openapi", "References ($ref) lead to one another without end.")
