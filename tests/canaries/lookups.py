"""What may be asked of the admin's lists by their address: every lookup of every field, also over relations."""

from collections.abc import Iterator

from django.contrib import admin
from django.db.models import Field, Model
from django.urls import reverse

DEPTH = 2  # relations that a lookup goes along


def lists() -> Iterator[tuple[type[Model], str]]:
    for model in admin.site._registry:
        yield model, reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def fields_of(model: type[Model], depth: int = DEPTH, path: str = "") -> Iterator[tuple[str, "Field[object, object]"]]:
    """(lookup path, field) of its own columns and of those that relations lead to, both ways."""
    for field in model._meta.get_fields():
        name = f"{path}{field.name}"
        if isinstance(field, Field):
            yield name, field
        related = field.related_model
        if depth > 1 and isinstance(related, type) and issubclass(related, Model):
            yield from fields_of(related, depth - 1, f"{name}__")


def every_lookup(model: type[Model]) -> Iterator[str]:
    """`name`, `name__contains`, `organization__slug__startswith`, `changes__role`, …"""
    for name, field in fields_of(model):
        yield name
        yield from (f"{name}__{lookup}" for lookup in field.get_lookups())
        if field.get_internal_type() == "JSONField":
            yield from (f"{name}__0__text", f"{name}__text__contains")
