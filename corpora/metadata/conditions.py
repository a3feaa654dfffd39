"""Metadata as a condition: which values of which fields are required or preferred, checked (SPEC §4, "Filters")."""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from corpora.metadata import date_ranges
from corpora.metadata.free import MAX_TEXT, free_name, is_free_name, spell
from corpora.metadata.names import CORPUS, DOCUMENT, METADATA_FIELDS
from corpora.models import Document

CONDITION_FIELDS = (*METADATA_FIELDS, date_ranges.FIELD)
IDS = (DOCUMENT, CORPUS)
KNOWN = ", ".join((*CONDITION_FIELDS, "meta.…", *IDS))
MAX_VALUES, MAX_VALUE_LENGTH = 20, 100
MAX_IDS = 100  # of documents or of corpora
CHOICES = {"content_type": Document.ContentType.values, "difficulty": Document.Difficulty.values}


def checked_conditions(conditions: Any) -> dict[str, list[str]]:
    """Values by metadata field, each a list of distinct texts; a single text counts as a list of one.

    Raises ValidationError, with what is wrong and what would be right, for anything else.
    """
    if not isinstance(conditions, dict):
        raise ValidationError(_("Must give values by metadata field."), "invalid")
    return {name: checked_values(name, values) for name, values in conditions.items()}


def checked_values(name: str, values: Any) -> list[str]:
    if (free := free_name(name)) is not None and is_free_name(free):
        return checked_free_values(name, values)
    if name not in (*CONDITION_FIELDS, *IDS):
        message = _("There is no metadata field “%(name)s”. Known: %(known)s.")
        raise ValidationError(message, "unknown", {"name": name, "known": KNOWN})
    given, most = [values] if isinstance(values, str) else values, MAX_IDS if name in IDS else MAX_VALUES
    if not isinstance(given, list | tuple) or not 0 < len(given) <= most or not all(map(is_value, given)):
        message = _("%(name)s: one text or a list of up to %(count)d, of up to %(length)d characters each.")
        raise ValidationError(message, "invalid", {"name": name, "count": most, "length": MAX_VALUE_LENGTH})
    checked = list(dict.fromkeys(value.strip() for value in given))
    if name in IDS:
        return [checked_id(value) for value in checked]
    if name == date_ranges.FIELD:
        return [checked_range(value) for value in checked]
    if wrong := [value for value in checked if value not in CHOICES.get(name, checked)]:
        message = _("%(name)s: “%(value)s” is none of %(known)s.")
        raise ValidationError(message, "choice", {"name": name, "value": wrong[0], "known": ", ".join(CHOICES[name])})
    return checked


def checked_free_values(name: str, values: Any) -> list[str]:
    """Of a document's own `meta`: texts, numbers, true or false, in the one spelling that they are compared in."""
    given = values if isinstance(values, list | tuple) else [values]
    texts = [spell(value) if isinstance(value, str | int | float) else "" for value in given]
    checked = list(dict.fromkeys(text.strip() for text in texts))
    if not 0 < len(checked) <= MAX_VALUES or not all(0 < len(text) <= MAX_TEXT for text in checked):
        message = _("%(name)s: one text or a list of up to %(count)d, of up to %(length)d characters each.")
        raise ValidationError(message, "invalid", {"name": name, "count": MAX_VALUES, "length": MAX_TEXT})
    return checked


def checked_range(value: str) -> str:
    """A range of dates, written out."""
    try:
        return str(date_ranges.parse_range(value))
    except ValueError:
        message = _("“%(value)s” is no range of dates. Write 2024, 2024-05, 2023-09-01..2024-06-30, or ..2020.")
        raise ValidationError(message, "date", {"value": value}) from None


def checked_id(value: str) -> str:
    """A document's or a corpus's id in its one spelling. Whether there is one, and for whom, is the search's to say."""
    try:
        return str(UUID(value))
    except ValueError:
        raise ValidationError(_("“%(value)s” is no id."), "id", {"value": value}) from None


def is_value(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_VALUE_LENGTH and bool(value.strip())
