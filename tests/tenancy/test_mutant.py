"""With every scoped queryset switched off, PostgreSQL still shows nobody what is somebody else's (issue 8).

The product's own way of looking rows up is replaced by "everything", and every GET of the matrix is asked again.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from unittest import mock

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import Q

import agents.lookup
import agents.models
import corpora.models
from config import prepared
from corpora.models import Corpus, Document
from corpora.rows.deletable import is_in_trash
from tests.lookups import SCOPE_VERBS
from tests.matrix import API, CALLERS, OUTSIDERS, PAGES, Case
from tests.people import People
from tests.test_guard_routes import ask
from tests.world import ALICES_MARK, SHARED_MARK, World

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("in_this_thread"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row-level security is PostgreSQL's"),
]
VERBS = SCOPE_VERBS | {"of_organization"}
READS = [case for case in API + PAGES if case.method == "GET"]


@pytest.fixture
def world(people: People) -> World:
    return World.furnished(people)


def everything(rows: Any, *_who: Any) -> Any:
    return rows.all()


def everybodys_trash(rows: Any, *_who: Any) -> Any:
    return rows.filter(is_in_trash())


@pytest.fixture
def nothing_is_scoped() -> Iterator[None]:
    """Verbs of querysets find every row, and the conditions that they are made of hold for every row."""
    with ExitStack() as stack:
        for model in apps.get_models():
            kind = type(model._default_manager.all())
            for verb in VERBS & set(dir(kind)):
                found = everybodys_trash if verb == "in_trash_of" else everything
                stack.enter_context(mock.patch.object(kind, verb, found))
        for condition in ("readable", "writable", "in_scope"):
            stack.enter_context(mock.patch.object(corpora.models, condition, return_value=Q()))
        anything = mock.patch.object(agents.lookup, "agents_named", lambda organization, **named: agents_with(named))
        stack.enter_context(anything)
        stack.callback(prepared.forget_statements)
        prepared.forget_statements()
        yield


def agents_with(named: dict[str, Any]) -> Any:
    return agents.models.Agent.objects.filter(**named).order_by()


def test_the_mutant_does_show_everything_to_the_system(world: World, nothing_is_scoped: None) -> None:
    charlie = world.people.charlie
    assert Corpus.objects.readable_by(charlie).filter(pk=world.ids["alices"]).exists()
    assert Document.objects.readable_by(charlie).filter(pk=world.ids["alices_document"]).exists()


@pytest.mark.parametrize("case", READS, ids=str)
def test_nothing_foreign_is_answered_all_the_same(case: Case, world: World, nothing_is_scoped: None) -> None:
    for caller in set(CALLERS) - {"owner", "owner_key"}:
        answer = ask(world, case, caller)
        assert ALICES_MARK.encode() not in answer.body, caller
        if caller in OUTSIDERS:
            assert SHARED_MARK.encode() not in answer.body, caller
