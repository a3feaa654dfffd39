"""The metadata of a document (SPEC §4), by the one list of its names. Free of Django: extraction's child imports it."""

METADATA_FIELDS = ("content_type", "unit", "topic", "difficulty", "language", "course", "tags")
FREE_FIELD = "meta"  # names of one's own (`corpora.metadata.free`): one field of a document, one key of the index
DOCUMENT = "document"  # no metadata, and yet a condition: these documents alone, by their ids
CORPUS = "corpus"  # the same for corpora: of those in reach these alone
FREE_PREFIX = f"{FREE_FIELD}."  # of a condition on one of them: `meta.author`
