"""Whose document is next: the organization that has least in work, then the user, then the oldest (ADR 0002).

With few workers nothing is in work when the next is chosen, so between equals it is who was served longest ago. What
waits is never walked through: an index leads from one sender to the next, so that 20,000 documents of one organization
cost a turn no more than one.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from threading import Lock
from typing import Any
from uuid import UUID

from django.db import connection

from config.concurrency.clock import present_in_sql, present_parameter
from corpora.rows.queueing import SMALL_BYTES

REMEMBERED = 10_000  # organizations and users that were served, of which the longest ago are forgotten

Party = tuple[UUID, ...]


class Kind(StrEnum):
    """What may have to be done with a document."""

    INGEST = "ingest"
    INGEST_SMALL = "ingest small"
    ERASE = "erase"
    METADATA = "metadata"
    PRESENCE = "presence"


@dataclass(frozen=True, slots=True)
class Turn:
    """The oldest document of one sender (the uploader; the corpus when nobody is known)."""

    document_id: UUID
    organization: UUID
    sender: UUID
    age: Any

    @property
    def parties(self) -> tuple[Party, Party]:
        """Whose share of the work it counts to: the organization's, and the sender's in it."""
        return (self.organization,), (self.organization, self.sender)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """SQL of one kind. `rows` repeats the condition of an index to the letter, else the index is not used."""

    index: str
    rows: str
    due: str
    age: str
    interrupted: str = "FALSE"  # documents in work whose worker fell silent, as far as they are of this kind


_LET_GO = "(lease_expires_at IS NULL OR lease_expires_at < %(now)s)"
_UNTRIED = "attempts < 3 AND not_before <= %(now)s"
_SILENT = "attempts < 3 AND lease_expires_at < %(now)s"
_SMALL = f"size <= {SMALL_BYTES}"
_PENDING = "deleted_at IS NULL AND status = 'pending'"
_CHANGED = "deleted_at IS NULL AND metadata_changed_at IS NOT NULL"
_SINCE = "COALESCE(kept_until, deleted_at)"
_OVER = f"{_SINCE} <= %(now)s AND {_LET_GO}"
_KINDS = {
    Kind.INGEST: _Waiting("document_waiting", _PENDING, _UNTRIED, "not_before", _SILENT),
    Kind.INGEST_SMALL: _Waiting(
        "document_waiting_small", f"{_PENDING} AND {_SMALL}", _UNTRIED, "not_before", f"{_SILENT} AND {_SMALL}"
    ),
    Kind.ERASE: _Waiting("document_erasable", "deleted_at IS NOT NULL", _OVER, _SINCE),
    Kind.METADATA: _Waiting(
        "document_metadata_changed", _CHANGED, f"status <> 'processing' AND {_LET_GO}", "metadata_changed_at"
    ),
    Kind.PRESENCE: _Waiting(
        "document_presence_changed",
        "presence_changed_at IS NOT NULL",
        f"(status <> 'processing' OR deleted_at IS NOT NULL) AND {_LET_GO}",
        "presence_changed_at",
    ),
}
_SENDER = "COALESCE(uploaded_by_id, corpus_id)"
_SQL = """
WITH RECURSIVE waiting_corpora(id) AS (
    SELECT (SELECT corpus_id FROM {waiting} ORDER BY corpus_id, {sender}, {age} LIMIT 1)
    UNION ALL
    SELECT (SELECT corpus_id FROM {waiting} AND corpus_id > waiting_corpora.id
            ORDER BY corpus_id, {sender}, {age} LIMIT 1)
    FROM waiting_corpora WHERE waiting_corpora.id IS NOT NULL
), senders(corpus, sender) AS (
    SELECT waiting_corpora.id, (SELECT {sender} FROM {waiting} AND corpus_id = waiting_corpora.id
                                ORDER BY {sender}, {age} LIMIT 1)
    FROM waiting_corpora WHERE waiting_corpora.id IS NOT NULL
    UNION ALL
    SELECT senders.corpus, (SELECT {sender} FROM {waiting} AND corpus_id = senders.corpus
                            AND {sender} > senders.sender ORDER BY {sender}, {age} LIMIT 1)
    FROM senders WHERE senders.sender IS NOT NULL
)
SELECT (SELECT id FROM {of_sender} ORDER BY {age} LIMIT 1),
       (SELECT organization_id FROM corpora_corpus WHERE id = senders.corpus), senders.sender,
       (SELECT {age} FROM {of_sender} ORDER BY {age} LIMIT 1), 0
FROM senders WHERE senders.sender IS NOT NULL
UNION ALL
SELECT id, (SELECT organization_id FROM corpora_corpus WHERE id = corpus_id), {sender}, not_before,
       CASE WHEN lease_expires_at >= %(now)s THEN 1 WHEN {interrupted} THEN 0 ELSE 2 END
FROM corpora_document WHERE status = 'processing' AND deleted_at IS NULL
"""


def _statement(kind: Kind, vendor: str) -> str:
    """SQLite is told which index, because it knows little of what is in a table that changes so much; and the time."""
    one = _KINDS[kind]
    hinted = f"INDEXED BY {one.index}" if vendor == "sqlite" else ""
    waiting = f"corpora_document {hinted} WHERE {one.rows}"
    of_sender = f"{waiting} AND {one.due} AND corpus_id = senders.corpus AND {_SENDER} = senders.sender"
    places = {"waiting": waiting, "of_sender": of_sender, "sender": _SENDER, "age": one.age}
    statement = _SQL.format(interrupted=one.interrupted, **places)
    return statement.replace("%(now)s", present_in_sql(vendor, "%(now)s"))


_WAITS, _IN_WORK = 0, 1
_STATEMENTS = {(kind, vendor): _statement(kind, vendor) for kind in Kind for vendor in ("sqlite", "postgresql")}

_served: OrderedDict[tuple[Kind, Party], int] = OrderedDict()
_clock, _noting = count(1), Lock()


def turns(kind: Kind) -> list[Turn]:
    """The oldest due document of each sender, in the order in which they should be taken. One query."""
    waiting, in_work = [], []
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENTS[kind, connection.vendor], {"now": present_parameter(connection)})
        for document, organization, sender, age, state in cursor.fetchall():
            if document is None:  # nothing of this sender is due
                continue
            turn = Turn(_uuid(document), _uuid(organization), _uuid(sender), age)
            if state == _WAITS:
                waiting.append(turn)
            elif state == _IN_WORK:
                in_work.append(turn)
    return in_order(kind, waiting, in_work)


def in_order(kind: Kind, waiting: Iterable[Turn], in_work: Iterable[Turn]) -> list[Turn]:
    """Least in work first, served longest ago second: the organization before the user; then age."""
    at_work = Counter(who for turn in in_work for who in turn.parties)

    def place(turn: Turn) -> tuple[Any, ...]:
        ranks = ((at_work[who], _served.get((kind, who), 0)) for who in turn.parties)
        return (*ranks, turn.age)

    return sorted(waiting, key=place)


def note(kind: Kind, turn: Turn) -> None:
    """Remember in this process who was served."""
    with _noting:
        now = next(_clock)
        for who in turn.parties:
            _served[kind, who] = now
            _served.move_to_end((kind, who))
        while len(_served) > REMEMBERED:
            _served.popitem(last=False)


def _uuid(value: UUID | str) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
