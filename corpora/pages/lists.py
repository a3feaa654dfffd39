"""Which of a corpus's documents a page lists, and in what order: words, state, type and sort, as the address says."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from corpora.media_types import DOCX, MARKDOWN, PDF, SHORT_NAMES, TEXT
from corpora.models import Document, DocumentQuerySet
from corpora.rows.reading_order import sortable

Status = Document.Status
STATES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "ready": (pgettext_lazy("document", "ready"), (Status.INDEXED,)),
    "work": (_("in work"), (Status.PENDING, Status.PROCESSING)),
    "failed": (_("failed"), (Status.FAILED,)),
}
TYPES = {"pdf": PDF, "docx": DOCX, "md": MARKDOWN, "txt": TEXT}
SORTS = {
    "course": _("Course order"),
    "name": _("Name, A to Z"),
    "-name": _("Name, Z to A"),
    "-date": _("Newest first"),
    "date": _("Oldest first"),
    "-size": _("Largest first"),
    "size": _("Smallest first"),
}
COLUMNS = {"date": "created_at", "size": "size"}  # what the database sorts by
FIRST = "course"
MOST_BY_NAME = 10_000  # documents whose names are sorted in a tenth of a second; a library beyond shows the newest


@dataclass(frozen=True, slots=True)
class InOrder(Sequence[Document]):
    """Documents whose order is known by their ids; read when a part of them is asked for."""

    documents: DocumentQuerySet
    ids: list[UUID]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, asked: int) -> Document: ...
    @overload
    def __getitem__(self, asked: slice) -> list[Document]: ...
    def __getitem__(self, asked: int | slice) -> Document | list[Document]:
        if isinstance(asked, int):
            return self[asked : asked + 1 or None][0]
        found = self.documents.order_by().in_bulk(self.ids[asked])
        return [found[one] for one in self.ids[asked] if one in found]


@dataclass(frozen=True)
class DocumentList:
    """What is asked for; what is no choice counts as not said."""

    q: str = ""
    state: str = ""
    type: str = ""
    sort: str = FIRST

    @classmethod
    def asked(cls, request: HttpRequest) -> "DocumentList":
        said = request.POST if request.method == "POST" else request.GET
        state, media_type, sort = (said.get(name, "") for name in ("state", "type", "sort"))
        return cls(
            said.get("q", "").strip(),
            state if state in STATES else "",
            media_type if media_type in TYPES else "",
            sort if sort in SORTS else FIRST,
        )

    def chosen(self, documents: DocumentQuerySet, total: int) -> DocumentQuerySet | InOrder:
        """Of `total` documents those that are asked for, in a stable order."""
        if self.q:
            documents = documents.filter(Q(title__matches=self.q) | Q(filename__matches=self.q))
        if self.state:
            documents = documents.filter(status__in=STATES[self.state][1])
        if self.type:
            documents = documents.filter(media_type=TYPES[self.type])
        column = COLUMNS.get(self.sort.lstrip("-"))
        if column is None and total <= MOST_BY_NAME:
            return self._by_name(documents)
        by = () if column is None else (f"-{column}" if self.sort.startswith("-") else column,)
        return documents.order_by(*by, "-created_at", "-pk")

    def _by_name(self, documents: DocumentQuerySet) -> InOrder:
        """Sorted here: no database sorts "Unit 2" before "Unit 10", and a key made by PostgreSQL takes as long as this
        five times over."""
        names = documents.order_by("-created_at", "-pk").values_list("pk", "title", "filename", "unit", "source_path")
        place = course_place if self.sort == FIRST else title_place
        rows = sorted(names, key=place, reverse=self.sort.startswith("-"))
        return InOrder(documents, [row[0] for row in rows])

    @property
    def narrows(self) -> bool:
        return bool(self.q or self.state or self.type)

    @cached_property
    def query(self) -> str:
        """For addresses; empty where nothing is asked."""
        said = {"q": self.q, "state": self.state, "type": self.type, "sort": "" if self.sort == FIRST else self.sort}
        return urlencode({name: value for name, value in said.items() if value})

    @property
    def states(self) -> list[tuple[str, Any]]:
        return [(name, label) for name, (label, _statuses) in STATES.items()]

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(name, SHORT_NAMES[media_type]) for name, media_type in TYPES.items()]

    @property
    def sorts(self) -> list[tuple[str, Any]]:
        return list(SORTS.items())

    @property
    def columns(self) -> dict[str, tuple[str, str]]:
        """Of each column that sorts: what it is sorted by next, and how it is now ("", "ascending", "descending")."""
        return {name: self._column(name, first) for name, first in (("name", ""), ("size", "-"), ("date", "-"))}

    def _column(self, name: str, first: str) -> tuple[str, str]:
        if self.sort.lstrip("-") != name:
            return first + name, ""
        return (name, "descending") if self.sort.startswith("-") else (f"-{name}", "ascending")


def title_place(row: tuple[UUID, str, str, str, str]) -> str:
    _pk, title, filename, _unit, _path = row
    return sortable(title or filename)


def course_place(row: tuple[UUID, str, str, str, str]) -> tuple[bool, bool, str, str]:
    """What came from a folder first, as it lies there; then by unit and file name, what has no unit last."""
    _pk, _title, filename, unit, path = row
    if path:
        return False, False, "", sortable(path)
    return True, not unit, sortable(unit), sortable(filename)
