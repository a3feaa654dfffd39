"""The third engine: PostgreSQL with pgvector (ADR 0018), a schema of its own for each collection."""

from retrieval.index.pgvector.engine import PgvectorIndex

__all__ = ["PgvectorIndex"]
