"""The two tiers as a state machine (RELIABILITY R10): users, admins and workers act; after every step each user asks
each agent, and gets exactly what the oracle allows.
"""

from contextlib import suppress
from datetime import timedelta
from typing import Any
from unittest import mock

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from accounts import members
from accounts.models import User
from agents import assignments
from agents.models import Agent
from corpora import removal
from corpora.models import Corpus, Document
from corpora.rows import moving
from corpora.uploads import facts, intake
from retrieval.models import SpaceState
from retrieval.spaces import opened, registry
from tests.two_tiers_rows import AGENTS, HOMES, text_of, word_of
from tests.two_tiers_walls import Walls, violations
from workers.erasure.corpora import erase_deleted_corpora
from workers.ingestion import pipeline
from workers.jobs import erase, presence
from workers.queue import claims
from workers.upkeep import reconcile, space_change, space_filling

number = st.integers(0, 59)
BESIDE = "-beside"
NEVER_ENDS = timedelta(days=1)  # a lease: only `restart` frees what a killed worker held, however slow the machine is


class Killed(BaseException):
    """What a SIGKILL looks like from inside: nothing catches it."""


class TwoTiers(RuleBasedStateMachine, Walls):
    def __init__(self) -> None:
        super().__init__()
        self.start()
        self.kills: dict[str, int] = {}
        self.trashed: dict[str, Document] = {}
        self.violations = violations()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.leases = mock.patch.object(claims, "LEASE", NEVER_ENDS)
        self.leases.start()

    def teardown(self) -> None:
        for index in opened.every_index():
            index.delete_points([point for point, _document in index.point_ids()])
        self.leases.stop()
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)
        registry.forget_spaces()  # the row of the embedding space was made in this example, and is gone with it

    @initialize()
    def furnish(self) -> None:
        """Both organizations, both tiers, everything assigned and readable by somebody."""
        self.make_people_and_agents()
        for owner, home, agent in (
            *(("", "north", "open"), ("", "north", "closed"), ("alice", "north", "open"), ("bob", "north", "open")),
            *(("", "south", "southern"), ("dora", "south", "southern"), ("dora", "north", "open")),
        ):
            corpus = self.make_corpus(owner, home)
            self.take_in(corpus)
            self.give(owner, agent, corpus)
        self.ingest()

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
            document = facts.upsert_fact(self.rows[corpus], self.keeper(corpus), text_of(self.counter), title="fact")
            name = f"fact of {corpus}"
            self.rows[name], self.oracle.documents[name] = document, corpus
            self.oracle.waiting[name] = word_of(self.counter)
            self.kills[name] = 0

    @rule(user=st.sampled_from(["", *HOMES]), agent=st.sampled_from(list(AGENTS)), n=number)
    def assign(self, user: str, agent: str, n: int) -> None:
        corpus = self.pick(list(self.oracle.corpora), n)
        if corpus and (not user or self.oracle.may_act(user, self.oracle.agents[agent])):
            self.give(user, agent, corpus)

    @rule(n=number)
    def unassign(self, n: int) -> None:
        if pair := self.pick(sorted(self.oracle.assigned), n):
            agent, corpus = pair
            assignments.unassign_corpus(self.rows[agent], self.rows[corpus].pk, self.keeper(corpus))
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
            keeper = self.keeper(self.oracle.documents[document])
            removal.remove_document(self.rows[document], keeper, at_once=True)
            self.oracle.delete_document(document)

    @rule(n=number, m=number)
    def move_document(self, n: int, m: int) -> None:
        """To another corpus of whoever keeps this one; others are as if they were not there. The index follows, and who
        was killed in the middle has left nothing."""
        document = self.pick([one for one in self.oracle.documents if one.startswith("document")], n)
        if not document:
            return
        here = self.oracle.documents[document]
        there = self.pick([one for one in self.oracle.corpora if one != here], m)
        if not there:
            return
        row, by = Document.objects.get(pk=self.rows[document].pk), self.keeper(here)
        if self.oracle.corpora[here] != self.oracle.corpora[there]:
            with suppress(moving.NotFound):
                moving.move_documents([row], self.rows[there], by)
                raise AssertionError("moved to a corpus of somebody else's")
            return
        assert moving.move_documents([row], self.rows[there], by).moved == 1
        row.refresh_from_db()
        self.rows[document], self.oracle.documents[document], self.kills[document] = row, there, 0
        if document in self.oracle.waiting:
            self.ingest()
        self.follow()

    @rule(n=number)
    def trash_document(self, n: int) -> None:
        """A fact's name is that of its key: another one stands there when it was stated anew."""
        document = self.pick([one for one in self.oracle.documents if one not in self.oracle.trash], n)
        if document:
            removal.remove_document(self.rows[document], self.keeper(self.oracle.documents[document]))
            self.trashed[document] = self.rows[document]
            self.oracle.trash_document(document)

    @rule(n=number)
    def restore_document(self, n: int) -> None:
        """What was in work when it was deleted waits again, and is found again at once."""
        if document := self.pick(sorted(self.oracle.trash), n):
            row, corpus = self.trashed[document], self.oracle.trash[document][0]
            if self.oracle.restore_document(document):
                removal.restore_document(row, self.keeper(corpus))
                self.rows[document], self.kills[document] = row, 0
                self.follow()
            elif corpus in self.oracle.corpora:
                with suppress(removal.PlaceTaken):
                    removal.restore_document(row, self.keeper(corpus))
                    raise AssertionError("two documents in one place")

    @rule(n=number)
    def delete_corpus(self, n: int) -> None:
        corpus = self.pick(list(self.oracle.corpora), n)
        if corpus and len(self.oracle.corpora) > 4:
            removal.remove_corpus(self.rows[corpus], self.keeper(corpus), at_once=n % 2 == 0)
            self.oracle.delete_corpus(corpus)

    @rule(user=st.sampled_from(list(HOMES)), home=st.sampled_from(["north", "south"]))
    def swap_membership(self, user: str, home: str) -> None:
        """Leave an organization, or join it (again). Corpora stay; whoever comes back finds them."""
        if (user, home) in self.oracle.members:
            members.end_membership(self.memberships[user, home], self.memberships["", home])
            self.oracle.members.discard((user, home))
        else:
            self.join(user, home)

    @rule(user=st.sampled_from(list(HOMES)))
    def toggle_user(self, user: str) -> None:
        """Deactivate a person, or let them back. What they own and have assigned stays."""
        self.oracle.active_users ^= {user}
        self.change(User, user, is_active=user in self.oracle.active_users)

    # ── what workers do ─────────────────────────────────────────────────────────────────────────────────────

    @rule()
    def ingest(self) -> None:
        for document_id in list(claims.due_documents().values_list("pk", flat=True)):
            assert pipeline.ingest_if_due(document_id)
        killed = {name for name, times in self.kills.items() if times and name in self.oracle.waiting}
        held = {name: self.oracle.waiting.pop(name) for name in killed}  # until their leases end
        self.oracle.ingest()
        self.oracle.waiting |= held

    @rule(n=number)
    def kill_the_worker(self, n: int) -> None:
        """Everything of the new version is written, but for the switch. Never on the last attempt: it would fail."""
        attempts = dict(Document.objects.values_list("pk", "attempts"))
        waiting = [
            name
            for name in self.oracle.waiting
            if not self.kills.get(name) and attempts[self.rows[name].pk] < claims.MAX_ATTEMPTS - 1
        ]
        if document := self.pick(waiting, n):
            with mock.patch.object(pipeline.VersionWriter, "switch", side_effect=Killed), suppress(Killed):
                pipeline.ingest_if_due(self.rows[document].pk)
            self.kills[document] = 1

    @rule(n=number)
    def reprocess(self, n: int) -> None:
        if document := self.pick(list(self.oracle.documents), n):
            intake.reprocess(self.rows[document], self.keeper(self.oracle.documents[document]))
            self.oracle.waiting.setdefault(document, self.oracle.served.get(document, ""))
            self.kills[document] = 0

    @rule()
    def erase(self) -> None:
        for document_id in list(Document.objects.exclude(deleted_at=None).values_list("pk", flat=True)):
            erase.erase(document_id)
        erase_deleted_corpora()

    @rule()
    def follow(self) -> None:
        """The index loses what was deleted, and gets back what was restored."""
        while presence.follow_next():
            pass

    @rule()
    def reconcile(self) -> None:
        reconcile.reconcile()

    @rule()
    def swap_space(self) -> None:
        """Re-index everything into the space beside the one that is read, and let readers into it; later back again."""
        in_use = registry.active_space(fresh=True)
        beside = f"{in_use.collection.removesuffix(BESIDE)}{'' if in_use.collection.endswith(BESIDE) else BESIDE}"
        row, _made = SpaceState.objects.get_or_create(
            collection=beside,
            defaults={"model": in_use.model, "dimensions": in_use.dimensions, "state": SpaceState.State.FILLING},
        )
        space_filling.fill(row)
        space_change.switch_space(row)
        assert registry.active_space(fresh=True).collection == beside

    @rule()
    def restart(self) -> None:
        opened.close()
        claims.release_abandoned()
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
