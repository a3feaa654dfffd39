"""The triggers that keep the counts: of each row on SQLite, of each statement on PostgreSQL.

PostgreSQL: a corpus's row of counts is locked first, in the order of their ids, so that two transactions wait for each
other in one order alone; a claim, a lease renewed or a progress told changes nothing that is counted and locks nothing.
Once a document's row is deleted by a cascade, its corpus's counts may be gone already: nothing is made anew then.

They are made again after every `migrate`, because SQLite loses them when Django makes a table anew to change it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connections

from corpora.rows.counting import mending
from corpora.rows.counting.statements import COUNTED, COUNTS, IS_OFFERED, VALUES, WATCHED, said_by_row

NAME = "corpora_counted"  # …_insert, …_update, …_delete; functions and triggers
OPERATIONS = ("insert", "update", "delete")


def keep_triggers(using: str, **kwargs: Any) -> None:
    """After every `migrate`. Where there were none, what they have missed is counted."""
    connection: Any = connections[using]
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
    if not {COUNTS, VALUES} <= tables:
        return
    if has_triggers(connection) and connection.vendor == "postgresql":
        install_functions(connection)  # without a lock on the table
        return
    install_triggers(connection)
    mending.mend_counts(using)


def lift_triggers(using: str, plan: Sequence[Any] = (), **kwargs: Any) -> None:
    """Before a `migrate` that changes something: SQLite reads every trigger when it makes a table anew, and refuses
    where one speaks of what is not there meanwhile."""
    connection: Any = connections[using]
    if plan and connection.vendor == "sqlite":
        remove_triggers(connection)


def has_triggers(connection: Any) -> bool:
    names = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE tgrelid = 'corpora_document'::regclass",
    }
    with connection.cursor() as cursor:
        cursor.execute(names[connection.vendor])
        return {f"{NAME}_{one}" for one in OPERATIONS} <= {row[0] for row in cursor.fetchall()}


def install_functions(connection: Any) -> None:
    with connection.cursor() as cursor:
        for one in OPERATIONS:
            cursor.execute(_function(one))


def install_triggers(connection: Any) -> None:
    if connection.vendor == "postgresql":
        install_functions(connection)
    with connection.cursor() as cursor:
        for statement in creation(connection.vendor):
            cursor.execute(statement)


def remove_triggers(connection: Any) -> None:
    on_table = " ON corpora_document" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for one in OPERATIONS:
            cursor.execute(f"DROP TRIGGER IF EXISTS {NAME}_{one}{on_table}")
            if connection.vendor == "postgresql":
                cursor.execute(f"DROP FUNCTION IF EXISTS {NAME}_{one}()")


def creation(vendor: str) -> Iterator[str]:
    """Statements that make the triggers anew, whatever was there."""
    for one in OPERATIONS:
        if vendor == "postgresql":
            seen = {"insert": "NEW TABLE AS after", "delete": "OLD TABLE AS before"}
            tables = seen.get(one, "OLD TABLE AS before NEW TABLE AS after")
            yield (
                f"CREATE OR REPLACE TRIGGER {NAME}_{one} AFTER {one.upper()} ON corpora_document "
                f"REFERENCING {tables} FOR EACH STATEMENT EXECUTE FUNCTION {NAME}_{one}()"
            )
        else:
            yield f"DROP TRIGGER IF EXISTS {NAME}_{one}"
            watched = f" OF {', '.join(WATCHED)}" if one == "update" else ""
            steps = {"insert": [(1, "NEW")], "delete": [(-1, "OLD")], "update": [(-1, "OLD"), (1, "NEW")]}[one]
            body = " ".join(part for sign, row in steps for part in _of_row(sign, row, one))
            yield f"CREATE TRIGGER {NAME}_{one} AFTER {one.upper()}{watched} ON corpora_document BEGIN {body} END"


def _of_row(sign: int, row: str, operation: str) -> Iterator[str]:
    """SQLite: what a row that came (1) or went (-1) changes."""
    plus = "+" if sign > 0 else "-"
    facts = {name: fact.replace("r.", f"{row}.") for name, fact in COUNTED.items()}
    said, offered = said_by_row("sqlite").replace("r.", f"{row}."), IS_OFFERED.replace("r.", f"{row}.")
    if sign > 0:
        zeros = ", ".join("0" for _name in COUNTED)
        yield f"INSERT OR IGNORE INTO {COUNTS} (corpus_id, {', '.join(COUNTED)}) VALUES ({row}.corpus_id, {zeros});"
    changes = ", ".join(f"{name} = {name} {plus} ({fact})" for name, fact in facts.items())
    yield f"UPDATE {COUNTS} SET {changes} WHERE corpus_id = {row}.corpus_id;"
    if sign > 0:
        yield (
            f"INSERT INTO {VALUES} (corpus_id, name, value, documents) "
            f"SELECT {row}.corpus_id, name, value, count(*) FROM ({said}) WHERE {offered} GROUP BY name, value "
            "ON CONFLICT (corpus_id, name, value) DO UPDATE SET documents = documents + excluded.documents;"
        )
    else:
        yield (
            f"UPDATE {VALUES} SET documents = documents - "
            f"(SELECT count(*) FROM ({said}) AS went WHERE went.name = {VALUES}.name AND went.value = {VALUES}.value) "
            f"WHERE corpus_id = {row}.corpus_id AND {offered} AND (name, value) IN ({said});"
        )


def _function(operation: str) -> str:
    """PostgreSQL: what a statement has changed, summed by corpus."""
    sides = {"insert": ["1 AS sign, * FROM after"], "delete": ["-1 AS sign, * FROM before"]}
    both = ["1 AS sign, * FROM after", "-1 AS sign, * FROM before"]
    rows = " UNION ALL ".join(f"SELECT {side}" for side in sides.get(operation, both))
    sums = {name: f"sum(r.sign * ({fact}))" for name, fact in COUNTED.items()}
    known = f"WHERE EXISTS (SELECT FROM {COUNTS} AS c WHERE c.corpus_id = r.corpus_id)" if operation == "delete" else ""
    changes = ", ".join(f"{name} = kept.{name} + EXCLUDED.{name}" for name in COUNTED)
    return f"""
CREATE OR REPLACE FUNCTION {NAME}_{operation}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {_unless_changed() if operation == "update" else ""}
    PERFORM FROM {COUNTS} WHERE corpus_id IN (SELECT r.corpus_id FROM ({rows}) AS r) ORDER BY corpus_id FOR UPDATE;
    INSERT INTO {COUNTS} AS kept (corpus_id, {", ".join(COUNTED)})
    SELECT r.corpus_id, {", ".join(sums.values())} FROM ({rows}) AS r {known}
    GROUP BY r.corpus_id HAVING {" OR ".join(f"{total} <> 0" for total in sums.values())} ORDER BY r.corpus_id
    ON CONFLICT (corpus_id) DO UPDATE SET {changes};
    INSERT INTO {VALUES} AS kept (corpus_id, name, value, documents)
    SELECT r.corpus_id, v.name, v.value, sum(r.sign) FROM ({rows}) AS r
    CROSS JOIN LATERAL ({said_by_row("postgresql")}) AS v
    WHERE {IS_OFFERED} {known.replace("WHERE", "AND", 1)}
    GROUP BY r.corpus_id, v.name, v.value HAVING sum(r.sign) <> 0 ORDER BY r.corpus_id, v.name, v.value
    ON CONFLICT (corpus_id, name, value) DO UPDATE SET documents = kept.documents + EXCLUDED.documents;
    RETURN NULL;
END $$"""


def _unless_changed() -> str:
    columns = ", ".join(name for name in WATCHED if name not in ("status", "deleted_at", "chunk_count"))
    facts = f"SELECT r.id, {', '.join(COUNTED.values())}, {IS_OFFERED}, {columns}"
    return f"IF NOT EXISTS ({facts} FROM after AS r EXCEPT {facts} FROM before AS r) THEN RETURN NULL; END IF;"
