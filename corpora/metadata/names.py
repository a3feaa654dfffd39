"""The metadata of a document (SPEC §4), by the one list of its names. Free of Django: extraction's child imports it."""

METADATA_FIELDS = ("content_type", "unit", "topic", "difficulty", "language", "course", "tags")
