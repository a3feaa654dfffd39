"""The two tiers under everything that can happen to them, and mutants of the product that must be caught (R10)."""

import inspect
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from types import CodeType, FunctionType
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from hypothesis import Phase, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

import agents.models
from accounts.models import ApiKeyQuerySet
from agents.models import Agent
from config import prepared
from corpora import visibility
from corpora.models import Corpus
from corpora.scope import Scope
from retrieval import confirmation, filters
from retrieval.index import translate
from tests.two_tiers import TwoTiers
from tests.two_tiers_rows import word_of
from workers.ingestion.index import version
from workers.upkeep import space_filling

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

PARTS = 4  # so that several processes share the examples


@pytest.mark.parametrize("part", range(PARTS))
def test_every_user_finds_everything_allowed_and_nothing_else(part: int) -> None:
    examples = -(-settings.default.max_examples // PARTS)
    run_state_machine_as_test(TwoTiers, settings=settings(max_examples=examples))


Change = tuple[Any, str, str, str]  # where it lives, its name, a text of its source, what to put there

NO_OWNER_IN_SCOPE: Change = (agents.models, "readable_corpora", "owner_id=user,", "")
NO_OWNER_IN_FILTER: Change = (filters, "_tiers", 'Condition("user_id", (str(scope.user_id),)),', "")
NO_OWNER_IN_RE_READ: Change = (visibility, "in_scope", 'f"{prefix}owner_id": scope.user_id,', "")
NO_FILTER: Change = (translate, "engine_filter", "return models.Filter(", "return models.Filter() or dict(")
STALE_PAYLOAD: Change = (
    *(version, "payload_of", '"corpus_id": str(document.corpus_id),'),
    '"corpus_id": [str(one.pk) for one in corpus.organization.corpora.all()],',
)
STALE_PAYLOAD_BESIDE: Change = (space_filling, *STALE_PAYLOAD[1:])
NO_RE_READ: Change = (confirmation, "_chunks_in_scope", ".in_scope(scope)", "")
NO_RE_READ_OF_STATE: Change = (  # of the document's: its corpus' is asked for
    *(confirmation, "_chunks_in_scope"),
    '.in_scope(scope).filter(id__in=documents, chunks__id__in=ids, chunks__version=F("version"))',
    '.filter(__import__("corpora.visibility").visibility.in_scope(scope, "corpus__"), chunks__id__in=ids)',
)
PERSONAL_ALWAYS: Change = (agents.models, "readable_corpora", "assignments__agent__allows_personal_corpus=True,", "")
MEMBERS_FOR_EVER: Change = (agents.models, "readable_corpora", "organization__memberships=membership,", "")
INACTIVE_TOO: Change = (agents.models, "readable_corpora", "is_active=True,\n            deleted_at", "deleted_at")
INACTIVE_USERS: Change = (ApiKeyQuerySet, "usable", "membership__user__is_active=True", "")
NO_PERSONAL_TIER: Change = (filters, "_tiers", "if scope.personal_ids:", "if not scope.global_ids:")


@contextmanager
def mutated(*changes: Change) -> Iterator[None]:
    """The product with pieces of its own source replaced. A piece that is no longer there is an error here.

    The code is replaced inside the function, so that every module that has imported it meets the mutant.
    """
    with ExitStack() as stack:
        for owner, name, old, new in changes:
            function = getattr(owner, name)
            stack.callback(setattr, function, "__code__", function.__code__)
            function.__code__ = mutant(function, old, new)
        stack.callback(prepared.forget_statements)
        prepared.forget_statements()
        yield


def mutant(function: FunctionType, old: str, new: str) -> CodeType:
    source = inspect.getsource(function)
    assert source.count(old) == 1, f"{function.__qualname__} has changed: {old!r} is not there once"
    namespace: dict[str, Any] = {}
    code = compile(textwrap.dedent(source.replace(old, new)), f"<mutant of {function.__qualname__}>", "exec")
    exec(code, function.__globals__, namespace)
    return namespace[function.__name__].__code__  # type: ignore[no-any-return]


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


def test_a_deactivated_users_key_that_still_speaks_is_found() -> None:
    with mutated(INACTIVE_USERS):
        caught(["credential"], "the key of")


def test_a_stale_payload_in_the_space_beside_is_found_after_the_swap() -> None:
    with mutated(STALE_PAYLOAD_BESIDE):
        caught(["filter"], "the filter of|isolation violations were counted")


def test_a_tier_that_is_never_searched_is_missed() -> None:
    with mutated(NO_PERSONAL_TIER):
        caught([], "retrieved too little")


NO_SCOPE_IN_RE_READ: Change = (visibility, "in_scope", "return Q(**state) & (shared | own)", "return Q()")


class Bare(TwoTiers):
    """Each user asks with a scope that names every corpus, in a session of their own if there is one."""

    in_session = True

    @invariant()
    def every_user_gets_exactly_what_is_allowed(self) -> None:
        words = {word_of(n) for n in range(1, self.counter + 1)}
        everything = frozenset(Corpus.objects.values_list("pk", flat=True))
        for user, home in [(user, home) for user, home in self.memberships if user and everything]:
            broken = Scope(self.rows[home].pk, self.rows[user].pk, everything, everything)
            with self.session_of(user, home) if self.in_session else nullcontext():
                found = self.retrieved(broken, words)
            assert found <= self.oracle.words_in(self.own(user, home)), f"{user} was shown a foreign row"


def bare(machine: type[Bare]) -> None:
    few = settings(max_examples=10, stateful_step_count=20, derandomize=True, database=None, phases=[Phase.generate])
    with mutated(NO_FILTER, NO_SCOPE_IN_RE_READ):
        run_state_machine_as_test(machine, settings=few)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="row-level security is PostgreSQL's")
def test_with_every_wall_of_ours_down_postgresql_still_shows_nothing_foreign() -> None:
    """Issue 8, done when 2: neither the filter nor the queryset that re-reads has any condition left."""
    bare(Bare)


def test_with_every_wall_down_and_no_session_everything_is_shown() -> None:
    """So it is the session that holds in the test above."""
    with pytest.raises(AssertionError, match="was shown a foreign row"):
        bare(type("WithoutSession", (Bare,), {"in_session": False}))
