"""What may be asked of an admin list by its address: what the list itself offers, and nothing else.

Django answers a lookup on any field of the row (`?key_hash__startswith=a`), on the grounds that whoever sees the row
may know it. Here a row has fields that its readers may not know, and a list that says how many rows match tells them
letter by letter.
"""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.http import HttpRequest

OF_A_DATE_HIERARCHY = ("year", "month", "day", "gte", "lt")


def offered_lookups(page: admin.ModelAdmin[Any], request: HttpRequest) -> frozenset[str]:
    """The parameters that the filters and the date hierarchy of the list make links of. Searching (`q`) and ordering
    (`o`) are no lookups: they know their fields themselves."""
    found = {name for item in page.get_list_filter(request) for name in _of_filter(page, item)}
    if page.date_hierarchy:
        found.update(f"{page.date_hierarchy}__{part}" for part in OF_A_DATE_HIERARCHY)
    return frozenset(found)


def _of_filter(page: admin.ModelAdmin[Any], item: Any) -> Iterator[str]:
    """Of one entry of `list_filter`; of a kind that is not known here nothing, so that a test finds it."""
    if isinstance(item, type) and issubclass(item, admin.SimpleListFilter):
        yield str(item.parameter_name)  # of its own, and no lookup
        return
    name, kind = item if isinstance(item, tuple) else (item, None)
    field: Any = get_fields_from_path(page.model, name)[-1]
    if kind is admin.EmptyFieldListFilter:
        yield f"{name}__isempty"
    elif kind is admin.RelatedOnlyFieldListFilter:
        yield f"{name}__{field.target_field.name}__exact"
        if field.null:
            yield f"{name}__isnull"
    elif kind is None and not field.is_relation:
        yield from (name, f"{name}__exact", f"{name}__isnull")
