"""The second engine: a Qdrant server (ADR 0001), as one collection of many tenants (ADR 0017)."""

from retrieval.index.server.calls import connect
from retrieval.index.server.collection import is_laid_out_as_named
from retrieval.index.server.engine import ServerIndex

__all__ = ["ServerIndex", "connect", "is_laid_out_as_named"]
