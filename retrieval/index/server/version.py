"""Which Qdrant servers rank rightly: an older one ignores what it does not know of a query, and says nothing."""

import re
from typing import TYPE_CHECKING

from retrieval.index.base import IndexOutdated

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

# The first version that counts a term's documents within the filter of a query (`params.idf`). On 1.18.3 eleven of
# the 120 tests of the contract fail: what other organizations write shifts a ranking. On 1.19.0 all pass.
LOWEST_VERSION = (1, 19)
_VERSION = re.compile(r"v?([0-9]{1,6})\.([0-9]{1,6})")
LOWEST = ".".join(map(str, LOWEST_VERSION))


def server_version(client: "QdrantClient") -> str:
    """As the server tells it at `GET /`, for example 1.19.1."""
    return str(client.info().version)


def require_version(version: str) -> None:
    """IndexOutdated, with advice, unless it is LOWEST_VERSION or newer; one that is no number counts as old."""
    if _numbers(version) < LOWEST_VERSION:
        raise IndexOutdated(
            f"{IndexOutdated.code}: the Qdrant server has version {version[:40]!r}, and Acervo needs {LOWEST} or "
            "newer: an older one ranks by what other organizations wrote. Nothing is searched or written until it is "
            "upgraded, one minor version at a time (docs/deploy.md, Upgrading)"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """(1, 19, 1) of 1.19.1, of v1.19.1 and of 1.19.1-dev; () of what begins otherwise."""
    found = _VERSION.match(version)
    return tuple(int(number) for number in found.groups()) if found else ()
