"""The change to another embedding space, one round at a time, by itself (ADR 0010).

    settings name another model ─▶ filling ─▶ points agree, question sets do not suffer ─▶ active
                                             the former one retired ─▶ a week ─▶ removed

Every round may be the last of its process: what is done is in the database and in the index. One process at a time is
at it (`workers.upkeep.schedule`).
"""

import logging
import time
from datetime import datetime, timedelta

from django.utils import timezone

from retrieval.embeddings.base import EmbeddingError
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.models import CachedEmbedding, SpaceState
from retrieval.spaces import opened, registry
from workers.upkeep.space_comparison import is_held_back
from workers.upkeep.space_filling import Missing, fill, missing_from

logger = logging.getLogger(__name__)

ROUND_SECONDS = 300.0  # of filling; a worker then takes other tasks, and can be stopped
FOLLOW_UP = timedelta(hours=1)
State = SpaceState.State


class Incomplete(Exception):
    """A space lacks chunks that readers are shown: it must not be switched to."""


def advance(now: datetime | None = None) -> None:
    """One round: remove what has expired, check the model in use, fill the space that settings name, switch to it.

    Outages end the round with a line in the log; the next one goes on.
    """
    now = now or timezone.now()
    try:
        remove_expired(now)
        check_model()
        change(now)
    except EmbeddingError as error:
        logger.warning("the change of the embedding space waits: %s", error)
    except (IndexUnavailable, IndexLocked) as error:  # its message may name an address
        logger.warning("the change of the embedding space waits: %s", type(error).__name__)


def check_model() -> None:
    """Ask the model in use for its probe, so that one that was exchanged is noticed before a document comes."""
    try:
        opened.provider_of(registry.active_space(fresh=True)).verify()
    except EmbeddingError as error:  # what it is was logged where it was found; another space may still be filled
        logger.debug("no probe: %s", error)


def change(now: datetime) -> None:
    """Fill the wanted space for a while if it is not in use, and switch to it once it holds everything."""
    in_use, wanted = registry.active_space(fresh=True), registry.wanted_space()
    if in_use.collection == wanted.collection:
        if recently_switched(in_use, now):
            fill_for_a_while(in_use)
        return
    space = opened.start_filling(wanted)
    if space.state == State.RETIRED:
        logger.info("settings name %s, which is retired; `manage.py space switch` goes back to it", space.collection)
    elif not fill_for_a_while(space).total and not is_held_back(in_use, space):
        switch_space(space, now)


def recently_switched(space: SpaceState, now: datetime) -> bool:
    """A document that ended in the moment of the switch may be missing a point: it is looked for, for an hour."""
    had_another = SpaceState.objects.filter(state=State.RETIRED, retired_at=space.activated_at).exists()
    return had_another and space.activated_at is not None and now - space.activated_at < FOLLOW_UP


def fill_for_a_while(space: SpaceState) -> Missing:
    """What is missing afterwards."""
    until = time.monotonic() + ROUND_SECONDS

    def report(done: int, total: int) -> None:
        logger.info("%s: %s of %s missing chunks are filled in", space.collection, done, total)

    return fill(space, report, lambda: time.monotonic() < until)


def switch_space(space: SpaceState, now: datetime | None = None) -> None:
    """Make a complete space the one that readers see; every process follows within seconds.

    Compares it once more, and once more afterwards. Raises Incomplete, UnknownSpace.
    """
    if lacking := missing_from(opened.index_of(space)).total:
        raise Incomplete(f"{space.collection} lacks {lacking} chunks; `manage.py space fill` embeds them")
    registry.activate_space(space.collection, now)
    logger.info("%s is the embedding space in use now", space.collection)
    fill(space)


def remove_expired(now: datetime) -> list[str]:
    """Delete the collections of spaces whose week is over, with the embeddings that were cached for them."""
    removed = []
    for space in registry.expired_spaces(now):
        opened.drop(space)
        others = map(registry.vectors_of, SpaceState.objects.exclude(pk=space.pk))
        if (vectors := registry.vectors_of(space)) not in others:  # else another layout has the same
            CachedEmbedding.objects.filter(space=vectors).delete()
        space.delete()
        removed.append(space.collection)
        logger.info("the retired embedding space %s is removed", space.collection)
    return removed
