"""The counts compared with the documents, and mended where they differ: after a restore, or rows changed by hand."""

from typing import Any

from django.db import connections, transaction

from corpora.rows.counting.rows import MetadataValue
from corpora.rows.counting.statements import COUNTED, COUNTS, VALUES, true_counts, true_values


def mend_counts(using: str = "default") -> int:
    """How many corpora had wrong counts. Work goes on meanwhile: each corpus's counts are locked for its own recount,
    which whoever changes its documents waits for, or has been waited for."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_differing(connection.vendor))
        wrong = [row[0] for row in cursor.fetchall()]
    for corpus_id in wrong:
        with transaction.atomic(using=using), connection.cursor() as cursor:
            _recount(cursor, connection, corpus_id)
    return len(wrong)


def _differing(vendor: str) -> str:
    """A corpus without documents may have no row or one of noughts; a value that nobody has any more likewise."""
    some = " OR ".join(f"{name} <> 0" for name in COUNTED)
    tables = {
        "counts": (true_counts(), f"corpus_id, {', '.join(COUNTED)}", COUNTS, some),
        "said": (true_values(vendor), "corpus_id, name, value, documents", VALUES, "documents <> 0"),
    }
    parts = []
    for true, columns, table, there in tables.values():
        kept, counted = (
            f"SELECT {columns} FROM {table} WHERE {there}",
            f"SELECT {columns} FROM ({true}) AS t WHERE {there}",
        )
        parts += [f"{kept} EXCEPT {counted}", f"{counted} EXCEPT {kept}"]
    return " UNION ".join(f"SELECT corpus_id FROM ({part}) AS differing" for part in parts)


def _recount(cursor: Any, connection: Any, corpus_id: Any) -> None:
    """In a transaction. `corpus_id` as the database wrote it."""
    names = ", ".join(COUNTED)
    noughts = ", ".join("0" for _name in COUNTED)
    cursor.execute(
        f"INSERT INTO {COUNTS} (corpus_id, {names}) SELECT id, {noughts} FROM corpora_corpus WHERE id = %s "
        "ON CONFLICT (corpus_id) DO NOTHING",
        [corpus_id],
    )
    if connection.features.has_select_for_update:
        cursor.execute(f"SELECT 1 FROM {COUNTS} WHERE corpus_id = %s FOR UPDATE", [corpus_id])
    sums = ", ".join(f"coalesce(sum({fact}), 0)" for fact in COUNTED.values())
    counted = f"SELECT {sums} FROM corpora_document AS r WHERE r.corpus_id = %s"
    cursor.execute(f"UPDATE {COUNTS} SET ({names}) = ({counted}) WHERE corpus_id = %s", [corpus_id, corpus_id])
    cursor.execute(f"DELETE FROM {VALUES} WHERE corpus_id = %s", [corpus_id])
    cursor.execute(
        f"INSERT INTO {VALUES} (corpus_id, name, value, documents) "
        f"SELECT corpus_id, name, value, documents FROM ({true_values(connection.vendor)}) AS t WHERE corpus_id = %s",
        [corpus_id],
    )


def forget_unsaid() -> int:
    """For upkeep: rows of values that no document has any more."""
    return MetadataValue.objects.filter(documents__lte=0).delete()[0]
