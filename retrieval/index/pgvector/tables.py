"""The tables of a collection: a schema of its own, made when it is first opened (ADR 0018).

slices     one row for all points of one organization, corpus, owner and granularity: who may read is decided here
chunks     one row a point: its id, slice, document and metadata
vectors    its dense vector, of length 1 and float16
postings   one row a term of a point, with its BM25 weight
words      one row a term of a large slice: how many of its points have it, and between which weights (`kept`)
graph_…    an HNSW graph over the vectors of one large organization (`graphs`)
"""

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING

from psycopg import sql

from retrieval.index.pgvector.version import database_versions, require_pgvector

if TYPE_CHECKING:
    from psycopg import Connection

PREFIX = "acervo_"
TABLES = ("slices", "chunks", "vectors", "postings", "words")
LONGEST_NAME = 63  # bytes of an identifier
# A tuple stays on its page of 8 KB, where a comparison of many reads it at once; a graph's own limit is the same.
MOST_INLINE = 4_000

_TABLES = """
CREATE TABLE {slices} (
    no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text NOT NULL,
    corpus_id text NOT NULL,
    corpus_type text NOT NULL,
    user_id text NOT NULL,
    granularity text NOT NULL,
    points integer,
    UNIQUE (organization_id, corpus_id, corpus_type, user_id, granularity)
);
CREATE TABLE {chunks} (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    slice integer NOT NULL REFERENCES {slices},
    document_id uuid NOT NULL,
    version integer NOT NULL,
    source_date integer,
    labels text[] NOT NULL
);
CREATE INDEX ON {chunks} (slice);
CREATE INDEX ON {chunks} (document_id);
CREATE TABLE {vectors} (
    chunk bigint PRIMARY KEY,
    slice integer NOT NULL,
    organization_id text NOT NULL,
    dense halfvec({dimensions}) NOT NULL
);
CREATE INDEX ON {vectors} (slice);
CREATE TABLE {postings} (
    slice integer NOT NULL,
    term integer NOT NULL,
    chunk bigint NOT NULL,
    weight real NOT NULL
);
CREATE INDEX ON {postings} (slice, term, chunk) INCLUDE (weight);
CREATE INDEX ON {postings} (chunk);
CREATE TABLE {words} (
    slice integer NOT NULL,
    term integer NOT NULL,
    points integer NOT NULL,
    lowest real NOT NULL,
    highest real NOT NULL,
    PRIMARY KEY (slice, term)
) WITH (fillfactor = 80);
"""


class CollectionTables:
    """The names of one collection's tables, quoted, and what makes and drops them."""

    def __init__(self, collection: str) -> None:
        self.schema = schema_name(collection)
        self._tables = {name: self.named(name) for name in TABLES}
        self.slices, self.chunks, self.vectors, self.postings, self.words = self._tables.values()

    def named(self, name: str) -> sql.Identifier:
        return sql.Identifier(self.schema, name)

    def statement(self, text: str, **parts: sql.Composable) -> sql.Composed:
        """`text` with this collection's tables for {slices}, {chunks}, {vectors}, {postings} and {words}."""
        return sql.SQL(text).format(**self._tables, **parts)  # our own text, always

    def create(self, connection: "Connection", dimensions: int) -> None:
        """What is missing, in one transaction. IndexOutdated without pgvector; ValueError: other dimensions."""
        require_extension(connection)
        with connection.transaction():
            # Web and workers start together, and all of them find nothing.
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self.schema,))
            found = self.dimensions(connection)
            if found is None:
                connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(self.schema)))
                connection.execute(self.statement(_TABLES, dimensions=sql.Literal(dimensions)))
                if dimensions <= MOST_INLINE:
                    connection.execute(self.statement("ALTER TABLE {vectors} ALTER dense SET STORAGE PLAIN"))
            elif found != dimensions:
                raise ValueError(f"collection {self.schema} has {found} dimensions, not {dimensions}")

    def dimensions(self, connection: "Connection") -> int | None:
        """Of its vectors; None where there are no tables."""
        found = connection.execute(
            "SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = 'dense'",
            (self.vectors.as_string(connection),),
        ).fetchone()
        return None if found is None else int(found[0])

    def drop(self, connection: "Connection") -> None:
        """With everything in it; one that is not there is no error."""
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(self.schema)))


def require_extension(connection: "Connection") -> None:
    """IndexOutdated unless pgvector is there, or this role may make it: a superuser, or where packagers trust it."""
    from psycopg import errors

    versions = database_versions(connection)
    if not versions.extension and versions.installable:
        # No right to it, or another process was faster: what is there now decides.
        with suppress(errors.InsufficientPrivilege, errors.UniqueViolation, errors.DuplicateObject):
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        versions = database_versions(connection)
    require_pgvector(versions)


def schema_name(collection: str) -> str:
    """What `psql` and `pg_dump --schema` know the collection by; one that is too long ends with a hash."""
    name = PREFIX + collection
    if len(name.encode()) <= LONGEST_NAME and "\0" not in name:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return name.encode().replace(b"\0", b"")[: LONGEST_NAME - 13].decode(errors="ignore") + "_" + digest
