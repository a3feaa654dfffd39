"""SQL of what one row of `corpora_document`, named `r`, counts for; the same for triggers and for whoever recounts."""

from corpora.metadata.names import METADATA_FIELDS
from corpora.rows.counting.rows import MOST_LETTERS

COUNTS, VALUES = "corpora_corpuscounts", "corpora_metadatavalue"
TAGS = "tags"  # a list; every other field is one word

COUNTED = {
    name: f"CASE WHEN r.deleted_at IS NULL AND {condition} THEN {worth} ELSE 0 END"
    for name, (condition, worth) in {
        "documents": ("TRUE", "1"),
        "chunks": ("TRUE", "r.chunk_count"),
        "busy": ("r.status IN ('pending', 'processing')", "1"),
        "failed": ("r.status = 'failed'", "1"),
    }.items()
}
IS_OFFERED = "r.deleted_at IS NULL AND r.status = 'indexed'"
FIELDS = tuple(name for name in METADATA_FIELDS if name != TAGS)
# Of whatever else changes (progress, leases, attempts) nobody here need hear.
WATCHED = ("corpus_id", "status", "deleted_at", "chunk_count", *METADATA_FIELDS)

_EACH_TAG = {
    "postgresql": (
        "SELECT 'tags', tag #>> '{}' FROM jsonb_array_elements("
        "CASE jsonb_typeof(r.tags) WHEN 'array' THEN r.tags ELSE '[]'::jsonb END) AS one(tag) "
        "WHERE jsonb_typeof(tag) = 'string'"
    ),
    "sqlite": (
        "SELECT 'tags', one.value FROM json_each(CASE json_type(r.tags) WHEN 'array' THEN r.tags ELSE '[]' END) "
        "AS one WHERE one.type = 'text'"
    ),
}


def said_by_row(vendor: str) -> str:
    """SELECT of (name, value): what the row says about itself, offered or not."""
    words = " UNION ALL ".join(f"SELECT '{name}' AS name, r.{name} AS value" for name in FIELDS)
    return f"SELECT name, value FROM ({words} UNION ALL {_EACH_TAG[vendor]}) AS said WHERE {is_short('value')}"


def is_short(value: str) -> str:
    return f"length({value}) BETWEEN 1 AND {MOST_LETTERS}"


def true_counts() -> str:
    """SELECT of (corpus_id, documents, chunks, busy, failed), counted from the documents; of corpora that have any."""
    sums = ", ".join(f"CAST(sum({fact}) AS BIGINT) AS {name}" for name, fact in COUNTED.items())
    return f"SELECT r.corpus_id, {sums} FROM corpora_document AS r GROUP BY r.corpus_id"


def true_values(vendor: str) -> str:
    """SELECT of (corpus_id, name, value, documents), as above."""
    if vendor == "postgresql":
        rows = f"corpora_document AS r CROSS JOIN LATERAL ({said_by_row(vendor)}) AS v"
        each = f"SELECT r.corpus_id, v.name, v.value FROM {rows} WHERE {IS_OFFERED}"
        return f"SELECT corpus_id, name, value, count(*) AS documents FROM ({each}) AS v GROUP BY 1, 2, 3"
    parts = [f"SELECT r.corpus_id, '{name}' AS name, r.{name} AS value FROM corpora_document AS r" for name in FIELDS]
    kind = "CASE json_type(r.tags) WHEN 'array' THEN r.tags ELSE '[]' END"
    tags = f"SELECT r.corpus_id, 'tags', one.value FROM corpora_document AS r, json_each({kind}) AS one"
    said = [f"{part} WHERE {IS_OFFERED}" for part in parts] + [f"{tags} WHERE one.type = 'text' AND {IS_OFFERED}"]
    return (
        f"SELECT corpus_id, name, value, count(*) AS documents FROM ({' UNION ALL '.join(said)}) AS v "
        f"WHERE {is_short('value')} GROUP BY 1, 2, 3"
    )
