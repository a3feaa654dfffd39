"""The embedding spaces of this installation: rows of SpaceState, remembered for seconds, changed in one step.

    (first start) ──▶ active ──▶ retired ──▶ removed a week later
         filling ──▶ active ◀── retired

The database says which space is in use, not the settings: settings are read at each process's own start, a switch
must reach all of them at once. What the settings name is the *wanted* space, which is filled and then switched to.
"""

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from config.prepared import Prepared
from corpora.models import Chunk
from retrieval.embeddings import get_provider
from retrieval.embeddings.base import EmbeddingSpace, Prefixes
from retrieval.index import layout_mark
from retrieval.models import SpaceState
from retrieval.spaces.builtin import space_for

REMEMBERED_SECONDS = 2.0  # how long a process may go on reading the old space after a switch
KEPT = timedelta(days=7)
SETTLING = timedelta(minutes=1)  # between the last possible write to a retired space and its removal

State = SpaceState.State


class UnknownSpace(LookupError):
    """No space has this collection, or it is not in a state to do this with."""


@dataclass(slots=True)
class _Memory:
    spaces: tuple[SpaceState, ...] = ()
    read_at: float = float("-inf")
    wanted: str = ""


_memory = _Memory()
_every_space = Prepared(lambda: SpaceState.objects.all())  # two of the statements that each document costs
_reading = threading.Lock()


def wanted_space() -> EmbeddingSpace:
    """The space that the settings name, in the layout that they name."""
    return replace(get_provider().space, layout=layout_mark())


def spaces(*, fresh: bool = False) -> tuple[SpaceState, ...]:
    """Every space that has a collection, the active one first; at most REMEMBERED_SECONDS old unless `fresh`.

    The first call of an installation makes the wanted space active. Without the database the last answer stands;
    DatabaseError if there is none.
    """
    with _reading:
        expected = wanted_space()
        if _memory.wanted != expected.collection:
            adopt_space(expected)
        elif not fresh and time.monotonic() - _memory.read_at < REMEMBERED_SECONDS:
            return _memory.spaces
        try:
            rows = _every_space()
        except DatabaseError:
            if fresh or not _memory.spaces:
                raise
            return _memory.spaces
        _memory.spaces = tuple(sorted(rows, key=lambda row: (row.state != State.ACTIVE, row.created_at)))
        _memory.read_at, _memory.wanted = time.monotonic(), expected.collection
        return _memory.spaces


def forget_spaces() -> None:
    """Read the database at the next call."""
    with _reading:
        _memory.spaces, _memory.read_at, _memory.wanted = (), float("-inf"), ""


def active_space(*, fresh: bool = False) -> SpaceState:
    """The space that readers see."""
    return spaces(fresh=fresh)[0]


def space_named(collection: str) -> SpaceState:
    """UnknownSpace says which there are."""
    for space in spaces(fresh=True):
        if space.collection == collection:
            return space
    known = ", ".join(space.collection for space in spaces())
    raise UnknownSpace(f"There is no space {collection}. Known: {known}.")


def is_readable_soon(space: SpaceState) -> bool:
    """Whether readers see it, or will as soon as it is filled: it takes the place of a model that is gone."""
    return space.state == State.ACTIVE or (
        space.state == State.FILLING and space.collection == wanted_space().collection
    )


def takes_writes(space: SpaceState, now: datetime | None = None) -> bool:
    """Whether new documents go there too: a retired space is kept complete for as long as one may switch back."""
    return space.retired_at is None or space.retired_at + KEPT > (now or timezone.now())


def adopt_space(expected: EmbeddingSpace) -> None:
    """Make the wanted space active if none is, or if nothing was ever stored in the one that is."""
    current = SpaceState.objects.filter(state=State.ACTIVE).first()
    if current is not None and (current.collection == expected.collection or Chunk.objects.exists()):
        return
    # Another process that starts at this moment may be faster.
    with suppress(IntegrityError, UnknownSpace), transaction.atomic():
        _row(expected)
        activate_space(expected.collection)
        if current is not None:
            give_up_space(current.collection)


def begin_filling(expected: EmbeddingSpace) -> SpaceState:
    """The row of the wanted space; if it is unknown, it is from now on filled."""
    row = _row(expected)
    _expire()
    return row


def activate_space(collection: str, now: datetime | None = None) -> None:
    """Make a filled or retired space the active one, in one transaction. UnknownSpace if it is neither."""
    now = now or timezone.now()
    with transaction.atomic():
        locked = list(SpaceState.objects.select_for_update().order_by("pk"))
        if not any(row.collection == collection and row.state != State.ACTIVE for row in locked):
            raise UnknownSpace(f"{collection} is not there, or in use already.")
        SpaceState.objects.filter(state=State.ACTIVE).update(state=State.RETIRED, retired_at=now)
        SpaceState.objects.filter(collection=collection).update(state=State.ACTIVE, activated_at=now, retired_at=None)
    _expire()


def give_up_space(collection: str, now: datetime | None = None) -> None:
    """Let a space that is not active be removed at once instead of kept. UnknownSpace if it is not such a one."""
    over = (now or timezone.now()) - KEPT
    rows = SpaceState.objects.filter(collection=collection).exclude(state=State.ACTIVE)
    if not rows.update(state=State.RETIRED, retired_at=over):
        raise UnknownSpace(f"{collection} is not there, or in use.")
    _expire()


def expired_spaces(now: datetime) -> Sequence[SpaceState]:
    """Retired spaces whose week is over, and long enough for every process to have noticed."""
    return list(SpaceState.objects.filter(state=State.RETIRED, retired_at__lte=now - KEPT - SETTLING))


def vectors_of(space: SpaceState) -> str:
    """The name of what its model makes, whatever collection holds it: what embeddings are cached under."""
    return space_for(space.model, space.dimensions, Prefixes(space.query_prefix, space.document_prefix)).collection


def remember_probe(collection: str, probe: list[float]) -> list[float]:
    """Store the first probe of a space; the one that counts is returned."""
    SpaceState.objects.filter(collection=collection, probe=[]).update(probe=probe)
    return list(SpaceState.objects.values_list("probe", flat=True).get(collection=collection))


def _expire() -> None:
    _memory.read_at = float("-inf")


def _row(space: EmbeddingSpace) -> SpaceState:
    row, _made = SpaceState.objects.get_or_create(
        collection=space.collection,
        defaults={
            "model": space.model,
            "dimensions": space.dimensions,
            "query_prefix": space.prefixes.query,
            "document_prefix": space.prefixes.document,
            "state": State.FILLING,
        },
    )
    return row
