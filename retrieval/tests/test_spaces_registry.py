"""Which space is in use: one row, changed in one step, remembered for seconds."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from retrieval.models import SpaceState
from retrieval.spaces import registry
from retrieval.spaces.builtin import LEXICAL_MODEL, space_for
from retrieval.spaces.registry import KEPT, SETTLING, UnknownSpace
from tests.factories import DocumentFactory

pytestmark = pytest.mark.django_db
LEXICAL, OTHER = space_for(LEXICAL_MODEL, 1536).collection, space_for("bge-m3", 1024)


def states() -> dict[str, str]:
    return dict(SpaceState.objects.values_list("collection", "state"))


def test_the_first_start_takes_the_space_that_settings_name() -> None:
    assert registry.active_space().collection == LEXICAL
    assert states() == {LEXICAL: "active"}
    assert registry.active_space().activated_at is not None


def test_another_name_in_the_settings_changes_nothing_for_readers(settings: Any) -> None:
    registry.active_space()
    DocumentFactory()
    settings.OPENAI_BASE_URL, settings.EMBEDDING_MODEL = "http://127.0.0.1:9/v1", "bge-m3"
    assert registry.active_space().collection == LEXICAL
    assert registry.wanted_space().model == "bge-m3"


def test_a_space_in_which_nothing_was_ever_stored_is_simply_left(settings: Any) -> None:
    """Somebody who corrects EMBEDDING_DIMENSIONS before the first upload waits for nothing."""
    registry.active_space()
    settings.OPENAI_BASE_URL, settings.EMBEDDING_MODEL = "http://127.0.0.1:9/v1", "bge-m3"
    assert registry.active_space().model == "bge-m3"
    assert states()[LEXICAL] == "retired"
    assert not registry.takes_writes(registry.space_named(LEXICAL))


def test_a_switch_retires_the_former_space_in_the_same_step() -> None:
    registry.active_space()
    registry.begin_filling(OTHER)
    registry.activate_space(OTHER.collection)
    assert states() == {LEXICAL: "retired", OTHER.collection: "active"}
    assert registry.active_space().collection == OTHER.collection
    registry.activate_space(LEXICAL)
    assert states() == {LEXICAL: "active", OTHER.collection: "retired"}
    assert registry.active_space().retired_at is None


def test_a_switch_that_fails_leaves_the_former_space_in_use() -> None:
    registry.active_space()
    for collection in ("unknown", LEXICAL):
        with pytest.raises(UnknownSpace):
            registry.activate_space(collection)
    assert states() == {LEXICAL: "active"}


def test_other_processes_follow_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.active_space()
    SpaceState.objects.all().update(model="changed elsewhere")
    assert registry.active_space().model == LEXICAL_MODEL
    assert registry.active_space(fresh=True).model == "changed elsewhere"
    SpaceState.objects.all().update(model="again")
    monkeypatch.setattr(registry, "REMEMBERED_SECONDS", 0.0)
    assert registry.active_space().model == "again"
    assert registry.REMEMBERED_SECONDS <= 5


def test_a_retired_space_is_written_to_for_a_week_and_then_removed() -> None:
    registry.active_space()
    registry.begin_filling(OTHER)
    now = timezone.now()
    registry.activate_space(OTHER.collection, now)
    retired = registry.space_named(LEXICAL)
    assert registry.takes_writes(retired, now + KEPT - timedelta(seconds=1))
    assert not registry.takes_writes(retired, now + KEPT)
    assert registry.expired_spaces(now + KEPT) == [], "a process may still be writing"
    assert [one.collection for one in registry.expired_spaces(now + KEPT + SETTLING)] == [LEXICAL]


def test_the_space_in_use_cannot_be_given_up() -> None:
    registry.active_space()
    for collection in (LEXICAL, "unknown"):
        with pytest.raises(UnknownSpace):
            registry.give_up_space(collection)


def test_without_the_database_the_last_answer_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*args: Any) -> None:
        raise OperationalError("the database is down")

    with connection.execute_wrapper(down), pytest.raises(OperationalError):
        registry.active_space()
    registry.active_space()
    monkeypatch.setattr(registry, "REMEMBERED_SECONDS", 0.0)
    with connection.execute_wrapper(down):
        assert registry.active_space().collection == LEXICAL
        with pytest.raises(OperationalError):
            registry.active_space(fresh=True)
