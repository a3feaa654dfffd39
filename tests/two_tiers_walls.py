"""The walls of the two tiers, each held against the oracle by itself, so that none can hide a hole in another.

The credential (whom it speaks for), the scope (from the database), the filter (all that the index may propose), the
re-read (what the database confirms even for a scope that names every corpus), the rows (what PostgreSQL shows in the
user's session, without any condition), and the retrieval as a whole with its count of violations.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.db import connection
from prometheus_client import REGISTRY

from accounts import keys
from accounts.problems import Problem
from accounts.tenancy.scope import become_member, request_scope
from agents.lookup import agent_for
from corpora.models import Chunk, Corpus, Document
from corpora.scope import Scope
from retrieval import search
from retrieval.filters import search_filter
from retrieval.index.bm25 import encode_query
from retrieval.results import RetrievalPolicy
from retrieval.spaces import opened
from tests.two_tiers_rows import Rows

EVERYTHING = RetrievalPolicy(top_k=50, candidates=200, threshold=0.0, budget_tokens=1_000_000)


def violations() -> float:
    return REGISTRY.get_sample_value("isolation_violation_total") or 0.0


class Walls(Rows):
    """`walls`: which of them are held against the oracle, besides the retrieval."""

    walls: Sequence[str] = ("credential", "scope", "filter", "re-read", "rows")

    def hold_the_walls(self, user: str, agent: str, words: set[str], homes: dict[UUID, UUID]) -> None:
        home = self.oracle.agents[agent]
        if "credential" in self.walls:
            speaks = keys.membership_of_key(self.secrets[user, home]) is not None
            assert speaks == self.oracle.may_act(user, home), f"the key of {user} in the {home}"
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
        if "rows" in self.walls and connection.vendor == "postgresql":
            self.hold_the_rows(user, agent, words, who)
        found = self.retrieved(scope, words)
        assert found <= self.oracle.allowed(user, agent), f"retrieved too much: {who}"
        assert found >= self.oracle.allowed(user, agent), f"retrieved too little: {who}"

    def hold_the_rows(self, user: str, agent: str, words: set[str], who: str) -> None:
        """In the user's own session: every row that there is, and the same question asked as a request would."""
        home = self.oracle.agents[agent]
        own = self.own(user, home)
        with self.session_of(user, home):
            alive = Corpus.objects.filter(deleted_at=None).values_list("name", flat=True)
            assert set(alive) == own, f"the corpora of {who}"
            chunks = Chunk.objects.filter(document__corpus__deleted_at=None)
            homes = chunks.values_list("document__corpus__name", flat=True).distinct()
            assert set(homes) <= own, f"the chunks of {who}"
            found = self.retrieved(self.scope_of(user, agent), words)
        assert found == self.oracle.allowed(user, agent), f"retrieved in the session of {who}"

    def own(self, user: str, home: str) -> set[str]:
        """The corpora whose rows are this user's to see at home, assigned and active or not."""
        return {name for name, (of, owner) in self.oracle.corpora.items() if of == home and owner in ("", user)}

    @contextmanager
    def session_of(self, user: str, home: str) -> Iterator[None]:
        with request_scope():
            become_member(self.rows[home].pk, self.rows[user].pk, is_admin=False)
            yield

    def scope_of(self, user: str, agent: str) -> Scope:
        """As a request computes it. One whose membership is gone may still hold its old row in memory; a deactivated
        user gets no further than the sign-in, which is a wall of its own."""
        membership = self.memberships[user, self.oracle.agents[agent]]
        if user not in self.oracle.active_users:
            return Scope(membership.organization_id, membership.user_id)
        try:
            return agent_for(membership, str(self.rows[agent].pk)).scope_for(membership)
        except Problem:
            return Scope(membership.organization_id, membership.user_id)

    def homes_of_points(self) -> dict[UUID, UUID]:
        """The corpus of each point, by its document; those of erased documents are in none."""
        corpora = dict(Document.objects.values_list("pk", "corpus_id"))
        return {point: corpora.get(document, document) for point, document in opened.current_index().point_ids()}

    def proposed(self, scope: Scope, words: set[str], homes: dict[UUID, UUID]) -> set[UUID]:
        where = search_filter(scope, EVERYTHING.granularity)
        query = " ".join(sorted(words))
        dense = opened.current_provider().embed_query(query)
        found = opened.current_index().search(dense, encode_query(query), where, EVERYTHING.candidates)
        return {homes[hit.id] for hit in (*found.dense, *found.sparse)}

    def confirmed_for_all_corpora(self, user: str, home: str) -> set[str]:
        everything = frozenset(Corpus.objects.values_list("pk", flat=True))
        broken = Scope(self.rows[home].pk, self.rows[user].pk, everything, everything)
        texts = Chunk.objects.in_scope(broken).values_list("text", flat=True)
        return {text.split()[0] for text in texts}

    def retrieved(self, scope: Scope, words: set[str]) -> set[str]:
        retrieval = search.retrieve(" ".join(sorted(words)), scope, EVERYTHING)
        return {re.split(r"\s", chunk.text)[0] for chunk in retrieval.chunks}
