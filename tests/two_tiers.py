"""The two tiers as a state machine (RELIABILITY R10): users, admins and workers act; after every step each user asks
each agent, and each wall is held against the oracle by itself, so that none can hide a hole in another.

Walls: the scope (from the database), the filter (all that the index may propose), the re-read (what the database
confirms even for a scope that names every corpus), and the retrieval as a whole with its count of violations.
"""

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeVar
from unittest import mock
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from prometheus_client import REGISTRY

from accounts import members
from accounts.models import Membership, Organization, User
from accounts.problems import Problem
from agents import assignments
from agents.api import agent_for
from agents.models import Agent
from corpora import facts, removal, uploads
from corpora.models import Chunk, Corpus, Document
from corpora.scope import Scope
from retrieval import current, search
from retrieval.bm25 import encode_query
from retrieval.filters import search_filter
from retrieval.results import RetrievalPolicy
from tests.two_tiers_oracle import Oracle
from workers import erasure, leases, reconcile
from workers.ingestion import pipeline

EVERYTHING = RetrievalPolicy(top_k=50, candidates=200, threshold=0.0, budget_tokens=1_000_000)
HOMES = {"alice": {"north"}, "bob": {"north"}, "carol": {"south"}, "dora": {"north", "south"}}
AGENTS = {"open": "north", "closed": "north", "southern": "south"}
T = TypeVar("T")
number = st.integers(0, 59)


class Killed(BaseException):
    """What a SIGKILL looks like from inside: nothing catches it."""


def word_of(n: int) -> str:
    """The n-th word: ten letters that share no stem with another's."""
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(str(n).encode()).hexdigest()[:10])


def text_of(n: int) -> str:
    """A document of its own words, the first of which names it; unlike every other, so that none is a duplicate."""
    return " ".join(word_of(1000 * part + n) for part in range(8))


def violations() -> float:
    return REGISTRY.get_sample_value("isolation_violation_total") or 0.0


class TwoTiers(RuleBasedStateMachine):
    """Names in the oracle, rows in the product. `walls`: which of them are held against the oracle."""

    walls: Sequence[str] = ("scope", "filter", "re-read", "retrieval")

    def __init__(self) -> None:
        super().__init__()
        self.oracle = Oracle()
        self.rows: dict[str, Any] = {}
        self.memberships: dict[tuple[str, str], Membership] = {}
        self.kills: dict[str, int] = {}
        self.counter = 0
        self.violations = violations()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()

    def teardown(self) -> None:
        index = current.current_index()
        index.delete_points([point for point, _document in index.point_ids()])
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)

    # ── names and rows ──────────────────────────────────────────────────────────────────────────────────────

    @initialize()
    def furnish(self) -> None:
        """Both organizations, both tiers, everything assigned and readable by somebody."""
        for name in ("north", "south"):
            self.rows[name] = Organization.objects.create(name=name, slug=name)
            boss = User.objects.create_user(f"boss@{name}.example")
            self.memberships["", name] = Membership.objects.create(
                user=boss, organization=self.rows[name], role=Membership.Role.ADMIN
            )
        for user, homes in HOMES.items():
            self.rows[user] = User.objects.create_user(f"{user}@example.org")
            for home in sorted(homes):
                self.join(user, home)
        for agent, home in AGENTS.items():
            self.rows[agent] = Agent.objects.create(
                organization=self.rows[home], name=agent, slug=agent, allows_personal_corpus=agent != "closed"
            )
            self.oracle.agents[agent] = home
            self.oracle.active_agents.add(agent)
        self.oracle.allowing = {"open", "southern"}
        for owner, home, agent in (
            *(("", "north", "open"), ("", "north", "closed"), ("alice", "north", "open"), ("bob", "north", "open")),
            *(("", "south", "southern"), ("dora", "south", "southern"), ("dora", "north", "open")),
        ):
            corpus = self.make_corpus(owner, home)
            self.take_in(corpus)
            self.give(owner, agent, corpus)
        self.ingest()

    def join(self, user: str, home: str) -> None:
        self.memberships[user, home] = Membership.objects.create(user=self.rows[user], organization=self.rows[home])
        self.oracle.members.add((user, home))

    def named(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def make_corpus(self, owner: str, home: str) -> str:
        name = self.named("corpus")
        kind = Corpus.Type.PERSONAL if owner else Corpus.Type.GLOBAL
        self.rows[name] = Corpus.objects.create(
            organization=self.rows[home], corpus_type=kind, owner=self.rows.get(owner), name=name
        )
        self.oracle.corpora[name] = (home, owner)
        self.oracle.active.add(name)
        return name

    def take_in(self, corpus: str) -> None:
        name = self.named("document")
        upload = SimpleUploadedFile(f"{name}.txt", text_of(self.counter).encode())
        self.rows[name] = uploads.accept(self.rows[corpus], upload, self.keeper(corpus))
        self.oracle.documents[name], self.oracle.waiting[name] = corpus, word_of(self.counter)

    def keeper(self, corpus: str) -> Membership:
        """Whoever may change a corpus; a stranger to the product's rules once his membership is gone."""
        home, owner = self.oracle.corpora[corpus]
        return self.memberships[owner, home]

    def give(self, user: str, agent: str, corpus: str) -> None:
        """`user` ("" for the admin) assigns; the product must refuse exactly what the oracle refuses."""
        refusal = self.oracle.may_assign(user, agent, corpus)
        by = self.memberships[user, self.oracle.agents[agent]]
        answer = ""
        try:
            assignments.assign(self.rows[agent], self.rows[corpus].pk, by)
        except Problem as problem:
            answer = problem.code
        assert answer == refusal, f"assigning {corpus} to {agent} by {user or 'admin'}"
        if not refusal:
            self.oracle.assigned.add((agent, corpus))

    def pick(self, names: Sequence[T], n: int) -> T | None:
        return names[n % len(names)] if names else None

    # ── what users and admins do ────────────────────────────────────────────────────────────────────────────

    @rule(user=st.sampled_from(["", *HOMES]), home=st.sampled_from(["north", "south"]))
    def create_corpus(self, user: str, home: str) -> None:
        if len(self.oracle.corpora) < 12 and (not user or (user, home) in self.oracle.members):
            self.make_corpus(user, home)

    @rule(n=number)
    def upload(self, n: int) -> None:
        corpus = self.pick(list(self.oracle.corpora), n)
        if corpus and len(self.oracle.documents) < 16:
            self.take_in(corpus)

    @rule(n=number)
    def state_a_fact(self, n: int) -> None:
        """The corpus's one fact gets new content: the old word is read until the new one is indexed."""
        corpus = self.pick(list(self.oracle.corpora), n)
        if corpus:
            self.counter += 1
            document = facts.upsert(self.rows[corpus], self.keeper(corpus), text_of(self.counter), title="fact")
            name = f"fact of {corpus}"
            self.rows[name], self.oracle.documents[name] = document, corpus
            self.oracle.waiting[name] = word_of(self.counter)
            self.kills[name] = 0

    @rule(user=st.sampled_from(["", *HOMES]), agent=st.sampled_from(list(AGENTS)), n=number)
    def assign(self, user: str, agent: str, n: int) -> None:
        corpus = self.pick(list(self.oracle.corpora), n)
        home = self.oracle.agents[agent]
        if corpus and (not user or (user, home) in self.oracle.members):
            self.give(user, agent, corpus)

    @rule(n=number)
    def unassign(self, n: int) -> None:
        if pair := self.pick(sorted(self.oracle.assigned), n):
            agent, corpus = pair
            assignments.unassign(self.rows[agent], self.rows[corpus].pk, self.keeper(corpus))
            self.oracle.assigned.discard(pair)

    @rule(agent=st.sampled_from(list(AGENTS)))
    def toggle_personal_corpora(self, agent: str) -> None:
        self.oracle.allowing ^= {agent}
        self.change(Agent, agent, allows_personal_corpus=agent in self.oracle.allowing)

    @rule(agent=st.sampled_from(list(AGENTS)))
    def toggle_agent(self, agent: str) -> None:
        self.oracle.active_agents ^= {agent}
        self.change(Agent, agent, is_active=agent in self.oracle.active_agents)

    @rule(n=number)
    def toggle_corpus(self, n: int) -> None:
        if corpus := self.pick(list(self.oracle.corpora), n):
            self.oracle.active ^= {corpus}
            self.change(Corpus, corpus, is_active=corpus in self.oracle.active)

    def change(self, model: Any, name: str, **fields: Any) -> None:
        row = model.objects.get(pk=self.rows[name].pk)
        for field, value in fields.items():
            setattr(row, field, value)
        row.save()

    @rule(n=number)
    def delete_document(self, n: int) -> None:
        if document := self.pick(list(self.oracle.documents), n):
            removal.remove_document(self.rows[document], self.keeper(self.oracle.documents[document]))
            self.oracle.delete_document(document)

    @rule(n=number)
    def delete_corpus(self, n: int) -> None:
        corpus = self.pick(list(self.oracle.corpora), n)
        if corpus and len(self.oracle.corpora) > 4:
            removal.remove_corpus(self.rows[corpus], self.keeper(corpus))
            self.oracle.delete_corpus(corpus)

    @rule(user=st.sampled_from(list(HOMES)), home=st.sampled_from(["north", "south"]))
    def swap_membership(self, user: str, home: str) -> None:
        """Leave an organization, or join it (again). Corpora stay; whoever comes back finds them."""
        if (user, home) in self.oracle.members:
            members.remove(self.memberships[user, home], self.memberships["", home])
            self.oracle.members.discard((user, home))
        else:
            self.join(user, home)

    # ── what workers do ─────────────────────────────────────────────────────────────────────────────────────

    @rule()
    def ingest(self) -> None:
        for document_id in list(leases.due().values_list("pk", flat=True)):
            assert pipeline.run(document_id)
        killed = {name for name, times in self.kills.items() if times and name in self.oracle.waiting}
        held = {name: self.oracle.waiting.pop(name) for name in killed}  # until their leases end
        self.oracle.ingest()
        self.oracle.waiting |= held

    @rule(n=number)
    def kill_the_worker(self, n: int) -> None:
        """Everything of the new version is written, but for the switch."""
        waiting = [name for name in self.oracle.waiting if not self.kills.get(name)]
        if document := self.pick(waiting, n):
            with mock.patch.object(pipeline, "switch", side_effect=Killed), suppress(Killed):
                pipeline.run(self.rows[document].pk)
            self.kills[document] = 1

    @rule(n=number)
    def reprocess(self, n: int) -> None:
        if document := self.pick(list(self.oracle.documents), n):
            uploads.reprocess(self.rows[document], self.keeper(self.oracle.documents[document]))
            self.oracle.waiting.setdefault(document, self.oracle.served.get(document, ""))
            self.kills[document] = 0

    @rule()
    def erase(self) -> None:
        for document_id in list(Document.objects.exclude(deleted_at=None).values_list("pk", flat=True)):
            erasure.erase(document_id)
        erasure.erase_deleted_corpora()

    @rule()
    def reconcile(self) -> None:
        reconcile.reconcile()

    @rule()
    def restart(self) -> None:
        current.close()
        leases.release_abandoned()
        self.kills.clear()

    # ── what must hold after every step ─────────────────────────────────────────────────────────────────────

    @invariant()
    def every_user_gets_exactly_what_is_allowed(self) -> None:
        if not self.rows:
            return
        words = {word_of(n) for n in range(1, self.counter + 1)}
        homes = self.homes_of_points()
        for user, home in self.memberships:
            for agent in [agent for agent, of in self.oracle.agents.items() if user and of == home]:
                self.hold_the_walls(user, agent, words, homes)
        assert violations() == self.violations, "isolation violations were counted"

    def hold_the_walls(self, user: str, agent: str, words: set[str], homes: dict[UUID, UUID]) -> None:
        scope = self.scope_of(user, agent)
        who = f"{user} through {agent}"
        if "scope" in self.walls:
            expected = {self.rows[corpus].pk for corpus in self.oracle.scope(user, agent)}
            assert scope.corpus_ids == expected, f"the scope of {who}"
        if "filter" in self.walls and not scope.is_empty:
            assert self.proposed(scope, words, homes) <= scope.corpus_ids, f"the filter of {who}"
        if "re-read" in self.walls:
            confirmed = self.confirmed_for_all_corpora(user, self.oracle.agents[agent])
            assert confirmed == self.oracle.confirmed(user, self.oracle.agents[agent]), f"the re-read of {who}"
        found = self.retrieved(scope, words)
        assert found <= self.oracle.allowed(user, agent), f"retrieved too much: {who}"
        assert found >= self.oracle.allowed(user, agent), f"retrieved too little: {who}"

    def scope_of(self, user: str, agent: str) -> Scope:
        """As a request computes it. One whose membership is gone may still hold its old row in memory."""
        membership = self.memberships[user, self.oracle.agents[agent]]
        try:
            return agent_for(membership, str(self.rows[agent].pk)).scope_for(membership)
        except Problem:
            return Scope(membership.organization_id, membership.user_id)

    def homes_of_points(self) -> dict[UUID, UUID]:
        """The corpus of each point, by its document; those of erased documents are in none."""
        corpora = dict(Document.objects.values_list("pk", "corpus_id"))
        return {point: corpora.get(document, document) for point, document in current.current_index().point_ids()}

    def proposed(self, scope: Scope, words: set[str], homes: dict[UUID, UUID]) -> set[UUID]:
        where = search_filter(scope, EVERYTHING.granularity)
        query = " ".join(sorted(words))
        dense = current.current_provider().embed_query(query)
        found = current.current_index().search(dense, encode_query(query), where, EVERYTHING.candidates)
        return {homes[hit.id] for hit in (*found.dense, *found.sparse)}

    def confirmed_for_all_corpora(self, user: str, home: str) -> set[str]:
        everything = frozenset(Corpus.objects.values_list("pk", flat=True))
        broken = Scope(self.rows[home].pk, self.rows[user].pk, everything, everything)
        texts = Chunk.objects.in_scope(broken).values_list("text", flat=True)
        return {text.split()[0] for text in texts}

    def retrieved(self, scope: Scope, words: set[str]) -> set[str]:
        retrieval = search.retrieve(" ".join(sorted(words)), scope, EVERYTHING)
        return {re.split(r"\s", chunk.text)[0] for chunk in retrieval.chunks}
