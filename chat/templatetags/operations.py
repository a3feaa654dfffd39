"""Template filters of the admin of operations."""

from django import template

from chat.rendering.codes import code_spoken

register = template.Library()


@register.filter
def spoken(code: object) -> str:
    return code_spoken(code)


@register.filter
def spoken_drop(reason: object) -> str:
    """`rank` is a stage of a search, and why a passage was left out."""
    return code_spoken("dropped_rank" if reason == "rank" else reason)
