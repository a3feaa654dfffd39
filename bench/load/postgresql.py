"""What a load test does in the database of an index in PostgreSQL, beside the product: to fill it, and to see it.

The index on words is the largest thing there, and grows at random places: filled row by row it is read and written over
and over as soon as it is larger than memory. So it is dropped before the first row and built after the last.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from bench.load.place import Place
from bench.processes import TICKS
from retrieval.index.pgvector.tables import CollectionTables

MB = 1024**2
_ON_WORDS = """
SELECT indexname, indexdef FROM pg_indexes
WHERE schemaname = %s AND tablename = 'postings' AND indexdef LIKE '%%(slice, term, chunk)%%'
"""
# A graph is an index on vectors, too; each table with its key.
_SIZES = """
SELECT CASE WHEN relname LIKE 'graph\\_%%' THEN 'graphs'
            WHEN relname LIKE 'postings\\_slice%%' THEN 'index on words'
            WHEN relkind = 'i' THEN 'other indexes' ELSE relname END AS part,
       sum(pg_relation_size(oid))::bigint
FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind IN ('r', 'i') GROUP BY 1 ORDER BY 2 DESC
"""

_ROLLUP = {"shared": "Pss_Shmem", "own": "Pss_Anon"}


@contextmanager
def database_of(place: Place) -> Iterator["psycopg.Connection[Any]"]:
    with psycopg.connect(place.url, autocommit=True) as link:
        yield link


def put_off_words(place: Place, collection: str) -> None:
    """Drop the index on words, and remember what it was. Nothing where it was dropped before."""
    schema = CollectionTables(collection).schema
    with database_of(place) as link:
        for name, definition in link.execute(_ON_WORDS, (schema,)).fetchall():
            place.remember(put_off=definition)
            link.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(schema, name)))


def build_words(place: Place, collection: str) -> None:
    """What was put off; then what autovacuum does in its own time, without which each word's row is looked up."""
    tables = CollectionTables(collection)
    with database_of(place) as link:
        if definition := place.state.get("put_off"):
            began = time.monotonic()
            link.execute(definition)
            place.remember(put_off=None, words_built=round(time.monotonic() - began, 1))
            print(f"index on words built in {time.monotonic() - began:.0f} s", flush=True)
        for table in (tables.slices, tables.chunks, tables.vectors, tables.postings):
            link.execute(sql.SQL("VACUUM ANALYZE {}").format(table))


def sizes_of(place: Place, collection: str) -> dict[str, int]:
    """MB on disk of each part of the collection."""
    schema = sql.Identifier(CollectionTables(collection).schema)
    with database_of(place) as link:
        rows = link.execute(_SIZES, (schema.as_string(link),)).fetchall()
    return {part: round(size / MB) for part, size in rows}


def server_memory(place: Place) -> dict[str, int] | None:
    """MB of the server's processes: what they share (of its buffers, the touched ones) and their own.

    None for a server that is not on this machine, or whose processes this user may not look at.
    """
    with database_of(place) as link:
        pids = {pid for (pid,) in link.execute("SELECT pid FROM pg_stat_activity").fetchall()}
    try:
        parents = {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in pids}
        names = {Path(f"/proc/{pid}/comm").read_text().strip() for pid in parents}
        if names != {"postgres"}:
            return None
        found = [_rollup(pid) for pid in pids | parents]
    except OSError:
        return None
    return {kind: round(sum(one[row] for one in found) / 1024) for kind, row in _ROLLUP.items()}


def server_cpu(place: Place) -> float:
    """Seconds so far of the processes that serve the index; 0 for a server elsewhere."""
    with database_of(place) as link:
        asked = "SELECT pid FROM pg_stat_activity WHERE application_name = 'acervo index'"
        pids = [pid for (pid,) in link.execute(asked).fetchall()]
    stats = [Path(f"/proc/{pid}/stat") for pid in pids]
    rows = [one.read_text().rpartition(")")[2].split() for one in stats if one.exists()]
    return sum(int(row[11]) + int(row[12]) for row in rows) / TICKS


def _rollup(pid: int) -> dict[str, int]:
    """KB of one process; what is shared is shared out among those that have it."""
    rows = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    return {name.rstrip(":"): int(size) for name, size, *_ in rows}
