"""The two tiers under everything that can happen to them, and mutants of the product that must be caught (R10)."""

import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import agents.models
import corpora.models
from agents.models import Agent
from config import prepared
from corpora.models import ChunkQuerySet
from retrieval import confirmation, filters
from retrieval.index import edge
from tests.two_tiers import TwoTiers
from workers.ingestion.index import version

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

PARTS = 4  # so that several processes share the examples


@pytest.mark.parametrize("part", range(PARTS))
def test_every_user_finds_everything_allowed_and_nothing_else(part: int) -> None:
    examples = -(-settings.default.max_examples // PARTS)
    run_state_machine_as_test(TwoTiers, settings=settings(max_examples=examples, stateful_step_count=25))


Change = tuple[Any, str, str, str]  # where it lives, its name, a text of its source, what to put there

NO_OWNER_IN_SCOPE: Change = (agents.models, "readable_corpora", "owner_id=user,", "")
NO_OWNER_IN_FILTER: Change = (filters, "_tiers", 'Condition("user_id", (str(scope.user_id),)),', "")
NO_OWNER_IN_RE_READ: Change = (corpora.models, "in_scope", 'f"{prefix}owner_id": scope.user_id,', "")
NO_FILTER: Change = (edge, "engine_filter", "return models.Filter(", "return models.Filter() or dict(")
STALE_PAYLOAD: Change = (
    *(version, "payload_of", '"corpus_id": str(document.corpus_id),'),
    '"corpus_id": [str(one.pk) for one in corpus.organization.corpora.all()],',
)
NO_RE_READ: Change = (confirmation, "_chunks_in_scope", ".in_scope(scope)", "")
NO_RE_READ_OF_STATE: Change = (
    *(ChunkQuerySet, "served"),
    *('document__deleted_at=None, version=models.F("document__version")', ""),
)
PERSONAL_ALWAYS: Change = (agents.models, "readable_corpora", "assignments__agent__allows_personal_corpus=True,", "")
MEMBERS_FOR_EVER: Change = (agents.models, "readable_corpora", "organization__memberships=membership,", "")
INACTIVE_TOO: Change = (agents.models, "readable_corpora", "is_active=True,\n            deleted_at", "deleted_at")
NO_PERSONAL_TIER: Change = (filters, "_tiers", "if scope.personal_ids:", "if not scope.global_ids:")


@contextmanager
def mutated(*changes: Change) -> Iterator[None]:
    """The product with pieces of its own source replaced. A piece that is no longer there is an error here."""
    with ExitStack() as stack:
        for owner, name, old, new in changes:
            stack.enter_context(mock.patch.object(owner, name, mutant(getattr(owner, name), old, new)))
        stack.callback(prepared.forget_statements)
        prepared.forget_statements()
        yield


def mutant(function: Callable[..., Any], old: str, new: str) -> Callable[..., Any]:
    source = inspect.getsource(function)
    assert source.count(old) == 1, f"{function.__qualname__} has changed: {old!r} is not there once"
    namespace: dict[str, Any] = {}
    code = compile(textwrap.dedent(source.replace(old, new)), f"<mutant of {function.__qualname__}>", "exec")
    exec(code, function.__globals__, namespace)
    return namespace[function.__name__]  # type: ignore[no-any-return]


@contextmanager
def cached_scopes() -> Iterator[None]:
    """A scope that is computed once for each agent and member."""
    known: dict[Any, Any] = {}
    fresh = Agent.scope_for

    def cached(agent: Agent, membership: Any) -> Any:
        return (
            known.setdefault((agent.pk, membership.pk), None)
            or known.__setitem__((agent.pk, membership.pk), fresh(agent, membership))
            or known[agent.pk, membership.pk]
        )

    with mock.patch.object(Agent, "scope_for", cached):
        yield


def caught(walls: Sequence[str], match: str) -> None:
    """The machine, holding only these walls against the oracle, finds the mutant; and by this wall."""
    machine = type("Mutated", (TwoTiers,), {"walls": walls})
    few = settings(max_examples=40, stateful_step_count=30, derandomize=True, database=None, phases=[Phase.generate])
    with pytest.raises(AssertionError, match=match):
        run_state_machine_as_test(machine, settings=few)


def test_an_empty_filter_that_reaches_the_engine_is_counted() -> None:
    """The re-read hides it from every reader: the counter is what tells."""
    with mutated(NO_FILTER):
        caught([], "isolation violations were counted")


def test_an_empty_filter_is_found_at_its_own_wall() -> None:
    with mutated(NO_FILTER):
        caught(["filter"], "the filter of")


def test_a_missing_owner_in_the_scope_is_found_there() -> None:
    """Filter and re-read hide it from readers, so the scope itself is held against the oracle."""
    with mutated(NO_OWNER_IN_SCOPE):
        caught(["scope"], "the scope of")


def test_a_missing_owner_behind_both_walls_reaches_a_reader() -> None:
    """With the other two walls down the same mutant is seen by a reader: they do carry weight."""
    with mutated(NO_OWNER_IN_SCOPE, NO_OWNER_IN_FILTER, NO_OWNER_IN_RE_READ):
        caught([], "retrieved too much")


def test_a_missing_owner_in_scope_and_filter_is_counted() -> None:
    with mutated(NO_OWNER_IN_SCOPE, NO_OWNER_IN_FILTER):
        caught([], "isolation violations were counted")


def test_a_missing_owner_in_the_re_read_is_found_there() -> None:
    with mutated(NO_OWNER_IN_RE_READ):
        caught(["re-read"], "the re-read of")


def test_a_stale_payload_is_counted() -> None:
    with mutated(STALE_PAYLOAD):
        caught([], "isolation violations were counted")


def test_a_stale_payload_without_the_re_read_reaches_a_reader() -> None:
    with mutated(STALE_PAYLOAD, NO_RE_READ):
        caught([], "retrieved too much")


@pytest.mark.slow
def test_a_missing_re_read_shows_deleted_documents() -> None:
    with mutated(NO_RE_READ):
        caught([], "retrieved too much")


@pytest.mark.slow
def test_half_a_version_and_deleted_documents_are_kept_out_by_the_served_chunks_alone() -> None:
    with mutated(NO_RE_READ_OF_STATE):
        caught([], "retrieved too much")


@pytest.mark.slow
def test_a_cached_scope_is_found() -> None:
    with cached_scopes():
        caught([], "retrieved too much")


@pytest.mark.slow
def test_an_agent_that_no_longer_allows_personal_corpora_is_obeyed_at_once() -> None:
    with mutated(PERSONAL_ALWAYS):
        caught([], "retrieved too much")


@pytest.mark.slow
def test_somebody_who_has_left_reads_nothing() -> None:
    with mutated(MEMBERS_FOR_EVER):
        caught([], "retrieved too much")


def test_a_corpus_that_is_switched_off_is_not_in_a_scope() -> None:
    with mutated(INACTIVE_TOO):
        caught(["scope"], "the scope of")


def test_a_tier_that_is_never_searched_is_missed() -> None:
    with mutated(NO_PERSONAL_TIER):
        caught([], "retrieved too little")
