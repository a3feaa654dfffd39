"""The rows of the two tiers' state machine under the names that the oracle knows them by."""

import hashlib
from collections.abc import Sequence
from typing import Any, TypeVar

from django.core.files.uploadedfile import SimpleUploadedFile

from accounts import keys
from accounts.models import Membership, Organization, User
from accounts.problems import Problem
from agents import assignments
from agents.models import Agent
from corpora.models import Corpus
from corpora.uploads import intake
from tests.two_tiers_oracle import Oracle

HOMES = {"alice": {"north"}, "bob": {"north"}, "carol": {"south"}, "dora": {"north", "south"}}
AGENTS = {"open": "north", "closed": "north", "southern": "south"}
T = TypeVar("T")


def word_of(n: int) -> str:
    """The n-th word: ten letters that share no stem with another's."""
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(str(n).encode()).hexdigest()[:10])


def text_of(n: int) -> str:
    """A document of its own words, the first of which names it; unlike every other, so that none is a duplicate."""
    return " ".join(word_of(1000 * part + n) for part in range(8))


class Rows:
    """Names in the oracle, rows in the product; "" is an organization's admin, or the owner of a global corpus."""

    def start(self) -> None:
        self.oracle = Oracle()
        self.rows: dict[str, Any] = {}
        self.memberships: dict[tuple[str, str], Membership] = {}
        self.secrets: dict[tuple[str, str], str] = {}  # of an API key for each membership
        self.counter = 0

    def make_people_and_agents(self) -> None:
        """Two organizations; in each an agent that allows personal corpora, in the north one that does not."""
        for name in ("north", "south"):
            self.rows[name] = Organization.objects.create(name=name, slug=name)
            boss = User.objects.create_user(f"boss@{name}.example")
            self.memberships["", name] = Membership.objects.create(
                user=boss, organization=self.rows[name], role=Membership.Role.ADMIN
            )
        self.oracle.active_users = set(HOMES)
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

    def join(self, user: str, home: str) -> None:
        self.memberships[user, home] = Membership.objects.create(user=self.rows[user], organization=self.rows[home])
        self.secrets[user, home] = keys.issue_key(self.memberships[user, home])[1]
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
        self.rows[name] = intake.accept_upload(self.rows[corpus], upload, self.keeper(corpus))
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
            assignments.assign_corpus(self.rows[agent], self.rows[corpus].pk, by)
        except Problem as problem:
            answer = problem.code
        assert answer == refusal, f"assigning {corpus} to {agent} by {user or 'admin'}"
        if not refusal:
            self.oracle.assigned.add((agent, corpus))

    def pick(self, names: Sequence[T], n: int) -> T | None:
        return names[n % len(names)] if names else None
