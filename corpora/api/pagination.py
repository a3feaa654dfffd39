"""How a document's chunks page: in reading order."""

from accounts.http.paging import Pages


class ChunkPages(Pages):
    ordering = ("granularity", "index")
