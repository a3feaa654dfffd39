"""The walls of the two tiers, each held against the oracle by itself, so that none can hide a hole in another.

The scope (from the database), the filter (all that the index may propose), the re-read (what the database confirms
even for a scope that names every corpus), and the retrieval as a whole with its count of violations.
"""

import re
from collections.abc import Sequence
from uuid import UUID

from prometheus_client import REGISTRY

from accounts.problems import Problem
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

    walls: Sequence[str] = ("scope", "filter", "re-read")

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
