"""What files and folders declare about documents, checked as an upload's fields are (SPEC §4, "Filters")."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from corpora.metadata.units import unit_named
from corpora.models import Document
from corpora.uploads.inputs import MetadataSerializer
from workers.ingestion.extract.extracted import LISTED

LONGEST_COURSE = 50  # characters, as the column has
CHOICES = ("content_type", "difficulty")


class Invalid(ValueError):
    """A declared value that no document can have; the message names the field and says why."""


def check_declared(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a document. Raises Invalid for an unknown field or an invalid value."""
    spelled = as_fields(declared)
    if unknown := spelled.keys() - MetadataSerializer().fields.keys():
        raise Invalid(f"unknown: {', '.join(sorted(unknown))}")
    form = MetadataSerializer(data=spelled)
    if not form.is_valid():
        raise Invalid("; ".join(f"{name}: {reasons_of(wrong)}" for name, wrong in form.errors.items()))
    return dict(form.validated_data)


def usable_fields(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a document as far as they are valid: a file's author may mean something else by a key."""
    spelled = as_fields(declared)
    form = MetadataSerializer(data=spelled)
    if form.is_valid():
        return dict(form.validated_data)
    rest = MetadataSerializer(data={name: value for name, value in spelled.items() if name not in form.errors})
    return dict(rest.validated_data) if rest.is_valid() else {}


def missing_fields(document: Document, declared: Mapping[str, Any]) -> dict[str, Any]:
    """The usable part of a declaration for which the document has no value yet: what was said before stays.

    The language that was detected from a text is a value too, so a declaration counts on the first reading only.
    """
    said = usable_fields(declared) if declared else {}
    return {name: value for name, value in said.items() if value and not getattr(document, name)}


def course_fields(document: Document, title: str, declared: Mapping[str, Any]) -> dict[str, Any]:
    """What a document of a course says of itself where nobody does: the course, and the unit that it is."""
    if not document.corpus.is_course:
        return {}
    known = {"course": document.corpus.name[:LONGEST_COURSE].strip(), "unit": unit_named(title, document.filename)}
    return {name: value for name, value in known.items() if value and not (getattr(document, name) or name in declared)}


def as_fields(declared: Mapping[str, Any]) -> dict[str, Any]:
    """The words as fields spell them: `Teoría` is teoria, `es-AR` is es, a moment is its day."""
    fields = {("source_date" if name == "date" else name): value for name, value in declared.items()}
    for name in CHOICES:
        if isinstance(value := fields.get(name), str):
            fields[name] = without_accents(value)
    if isinstance(language := fields.get("language"), str):
        fields["language"] = language.strip().lower().split("-")[0].split("_")[0]
    if isinstance(day := fields.get("source_date"), str):
        fields["source_date"] = day.strip()[:10]
    for name in LISTED:
        if isinstance(words := fields.get(name), tuple):
            fields[name] = list(words)
    return fields


def without_accents(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word.strip().lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def reasons_of(wrong: Any) -> str:
    """DRF's errors of one field as one text; those of a list's items are by index."""
    if isinstance(wrong, Mapping):
        return " ".join(reasons_of(one) for one in wrong.values())
    return " ".join(map(str, wrong))
