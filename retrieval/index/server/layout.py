"""How a collection of a server is laid out; its name tells, so that every process takes it for the same (ADR 0017).

    lexical-1-1536                      one graph over all tenants: what was made before there was a choice
    lexical-1-1536.tenants              a graph for each large tenant, vectors quantised, originals on disk
    lexical-1-1536.tenants-s6-r2        the same in six shards, each kept twice

A layout cannot be changed in place: another one is another collection, which is filled and switched to like that of
another model (ADR 0010), without an embedding more.
"""

import re
from dataclasses import dataclass

_MARK = re.compile(r"\.tenants(?:-s([0-9]{1,3}))?(?:-r([0-9]{1,2}))?\Z")
LAYOUTS = (TENANTS, PLAIN) = ("tenants", "plain")
MOST_SHARDS, MOST_REPLICAS = 999, 99


@dataclass(frozen=True, slots=True)
class CollectionLayout:
    """`by_tenant`: graphs for tenants instead of one for all, and vectors quantised beside originals on disk."""

    by_tenant: bool = False
    shards: int = 1
    replicas: int = 1

    @property
    def mark(self) -> str:
        """The end of the collection's name; what is as by default is not said. A plain one is never spread."""
        if not self.by_tenant:
            return ""
        shards = f"-s{self.shards}" if self.shards > 1 else ""
        return f".{TENANTS}{shards}" + (f"-r{self.replicas}" if self.replicas > 1 else "")


def layout_of(collection: str) -> CollectionLayout:
    """What the name of a collection says."""
    found = _MARK.search(collection)
    if found is None:
        return CollectionLayout()
    shards, replicas = (int(number or 1) for number in found.groups())
    return CollectionLayout(by_tenant=True, shards=shards, replicas=replicas)
