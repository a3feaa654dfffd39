"""The rule of the two tiers as plain sets of names (SPEC §2): what the product must agree with after every step.

Written from the specification, without a look at a queryset: no Django, no ids, no index.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Oracle:
    """Who and what there is. Users, organizations, agents, corpora and documents go by name."""

    members: set[tuple[str, str]] = field(default_factory=set)  # (user, organization)
    active_users: set[str] = field(default_factory=set)
    agents: dict[str, str] = field(default_factory=dict)  # agent → organization
    allowing: set[str] = field(default_factory=set)  # agents that allow personal corpora
    active_agents: set[str] = field(default_factory=set)
    corpora: dict[str, tuple[str, str]] = field(default_factory=dict)  # corpus → (organization, owner or "")
    active: set[str] = field(default_factory=set)  # corpora
    assigned: set[tuple[str, str]] = field(default_factory=set)  # (agent, corpus)
    documents: dict[str, str] = field(default_factory=dict)  # document → corpus
    served: dict[str, str] = field(default_factory=dict)  # document → the word in the version that readers see
    waiting: dict[str, str] = field(default_factory=dict)  # document → the word after its next ingestion
    trash: dict[str, tuple[str, str | None, str | None]] = field(default_factory=dict)  # corpus, served, waiting

    def may_act(self, user: str, organization: str) -> bool:
        """Does whatever this user signs in with still speak for them there?"""
        return user in self.active_users and (user, organization) in self.members

    def reads(self, user: str, agent: str, corpus: str) -> bool:
        """May this user read this corpus through this agent now?"""
        organization, owner = self.corpora[corpus]
        return (
            corpus in self.active
            and organization == self.agents[agent]
            and self.may_act(user, organization)
            and agent in self.active_agents
            and (agent, corpus) in self.assigned
            and (not owner or (owner == user and agent in self.allowing))
        )

    def scope(self, user: str, agent: str) -> set[str]:
        return {corpus for corpus in self.corpora if self.reads(user, agent, corpus)}

    def allowed(self, user: str, agent: str) -> set[str]:
        """The words of every document that a retrieval must find; no other word may come back."""
        return self.words_in(self.scope(user, agent))

    def words_in(self, corpora: set[str]) -> set[str]:
        return {word for document, word in self.served.items() if self.documents[document] in corpora}

    def confirmed(self, user: str, organization: str) -> set[str]:
        """The words that the re-read lets through if a broken scope named every corpus there is."""
        return self.words_in(
            {
                corpus
                for corpus, (home, owner) in self.corpora.items()
                if corpus in self.active and home == organization and owner in ("", user)
            }
        )

    def may_assign(self, user: str, agent: str, corpus: str) -> str:
        """ "" or the code of the refusal. `user` is a member of the agent's organization, "" its admin."""
        organization, owner = self.corpora[corpus]
        if organization != self.agents[agent] or owner not in ("", user):
            return "not_found"
        if agent not in self.active_agents and user:
            return "not_found"
        if not owner and user:
            return "admin_required"
        if owner and agent not in self.allowing:
            return "personal_corpus_not_allowed"
        return "already_assigned" if (agent, corpus) in self.assigned else ""

    def ingest(self) -> None:
        self.served |= self.waiting
        self.waiting.clear()

    def trash_document(self, document: str) -> None:
        """Nobody reads it; what comes back is what there was."""
        self.trash[document] = (self.documents[document], self.served.get(document), self.waiting.get(document))
        self.delete_document(document)

    def restore_document(self, document: str) -> bool:
        """False when its corpus is gone, or another document has its name now."""
        corpus, served, waiting = self.trash[document]
        if corpus not in self.corpora or document in self.documents:
            return False
        del self.trash[document]
        self.documents[document] = corpus
        self.served |= {document: served} if served else {}
        self.waiting |= {document: waiting} if waiting else {}
        return True

    def delete_document(self, document: str) -> None:
        for known in (self.documents, self.served, self.waiting):
            known.pop(document, None)

    def delete_corpus(self, corpus: str) -> None:
        for document in [document for document, home in self.documents.items() if home == corpus]:
            self.delete_document(document)
        del self.corpora[corpus]
        self.active.discard(corpus)
        self.assigned = {(agent, one) for agent, one in self.assigned if one != corpus}
