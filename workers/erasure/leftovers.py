"""Counting again what should be gone: an erasure that left a row behind is undone, and tried anew."""

from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import ForeignKey, Model


class SomethingLeft(Exception):
    """Rows still name what was erased; says which tables and how many, never what is in them."""


def references_to(model: type[Model]) -> list[tuple[type[Model], Any]]:
    """Every foreign key that the database holds, of every table, that leads to this one."""
    return [
        (one, field)
        for one in apps.get_models(include_auto_created=True)
        if not one._meta.proxy
        for field in one._meta.concrete_fields
        if isinstance(field, ForeignKey) and field.related_model is model and is_held(field)
    ]


def is_held(field: Any) -> bool:
    """By a constraint of the database; receipts speak of what is gone."""
    return bool(field.db_constraint)


def refuse_leftovers(model: type[Model], pk: UUID) -> None:
    """Raises SomethingLeft while the row or anything that names it is there."""
    counts = {field.model._meta.db_table: 0 for _one, field in references_to(model)}
    for one, field in references_to(model):
        counts[one._meta.db_table] = one._base_manager.filter(**{field.attname: pk}).count()
    counts[model._meta.db_table] = model._base_manager.filter(pk=pk).count()
    if left := {table: count for table, count in counts.items() if count}:
        raise SomethingLeft(f"{model._meta.model_name} {pk}: {left}")
