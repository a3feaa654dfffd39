"""Which databases can hold an index: pgvector's version decides, and whether it is there at all."""

import re
from typing import TYPE_CHECKING, NamedTuple

from retrieval.index.base import IndexOutdated

if TYPE_CHECKING:
    from psycopg import Connection

# The first with iterative scans of a graph: an older one walks a graph once, then filters what it met, and finds too
# little of a scope. It has vectors of float16 as well (0.7).
LOWEST_PGVECTOR = (0, 8)
LOWEST_EXTENSION = ".".join(map(str, LOWEST_PGVECTOR))
_VERSION = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})")

_VERSIONS = """
SELECT split_part(current_setting('server_version'), ' ', 1),
       (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')
"""


class DatabaseVersions(NamedTuple):
    """`extension` is that of this database, `installable` what its server could create; empty where there is none."""

    server: str
    extension: str
    installable: str


def database_versions(connection: "Connection") -> DatabaseVersions:
    found = connection.execute(_VERSIONS).fetchone()
    assert found is not None  # one row, by its form
    return DatabaseVersions(*(value or "" for value in found))


def require_pgvector(versions: DatabaseVersions) -> None:
    """IndexOutdated, with advice, unless the database has pgvector of LOWEST_PGVECTOR or newer."""
    if _numbers(versions.extension) >= LOWEST_PGVECTOR:
        return
    if not versions.extension and not versions.installable:
        lacks = "the server of PGVECTOR_URL has no pgvector; install its package (postgresql-NN-pgvector)"
    elif not versions.extension:
        lacks = "the database of PGVECTOR_URL lacks the extension; in it, as a superuser: CREATE EXTENSION vector"
    else:
        lacks = (
            f"the database of PGVECTOR_URL has pgvector {versions.extension[:20]!r}; install a newer package, then, as "
            "a superuser: ALTER EXTENSION vector UPDATE"
        )
    raise IndexOutdated(
        f"{IndexOutdated.code}: {lacks}. Acervo needs pgvector {LOWEST_EXTENSION} or newer: an older one finds too "
        "little of what a searcher may read. Nothing is searched or written until then (docs/deploy.md, pgvector)"
    )


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.match(version)
    return tuple(int(number) for number in found.groups()) if found else ()
