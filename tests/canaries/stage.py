"""Two organizations with a secret in everything that takes a text, and callers who are to go in and out of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from accounts import keys
from accounts.models import Membership
from agents.models import Agent, Assignment
from chat.models import Project
from corpora.models import Corpus
from corpora.uploads import facts
from evaluation.models import QuestionSet
from provisioning.models import DirectoryUser
from tests import factories
from tests.canaries.secrets import ADMINS_ELSEWHERE, ADMINS_HERE, ELSEWHERE, HERE, Seen, Vault
from tests.directories import directory_group_of, token_for
from tests.fakes.fixtures import ModelServer
from tests.hooks import hook_of, told
from tests.library import upload
from tests.live import Caller, LiveServer
from tests.metrics import count_customers
from tests.shops import grant, shop
from tests.sign_on import domain_of_organization, provider_of
from tests.tool_servers import FORECAST, server_of, tool_of
from tests.world import invitation_of
from tools.models import DataSource
from webhooks.models import Delivery

MODEL = "fake?copying=1"


@dataclass
class Stage:
    """`heard`: everything that a caller was answered so far. `shared`: conversations that no personal corpus was in
    reach of, by what was asked of whom and not by what the application says."""

    server: LiveServer
    vault: Vault
    work: Callable[[], int]
    members: dict[str, Membership] = field(default_factory=dict)
    pages: dict[str, Caller] = field(default_factory=dict)  # by session
    programs: dict[str, Caller] = field(default_factory=dict)  # by key
    agents: dict[str, Agent] = field(default_factory=dict)
    corpora: dict[str, Corpus] = field(default_factory=dict)
    sources: dict[str, DataSource] = field(default_factory=dict)
    heard: list[Seen] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)

    @classmethod
    def furnished(cls, server: LiveServer, model: ModelServer, work: Callable[[], int], settings: Any) -> "Stage":
        model.script(copying=True)
        stage = cls(server, Vault(), work)
        settings.OPENAI_API_KEY = stage.vault.plant("installation", "provider key")
        stage._people()
        stage._knowledge()
        stage._agents()
        stage._sources()
        stage._webhooks()
        stage._tool_servers()
        stage._sign_on()
        stage._directories()
        assert stage.work() == 2 * len(stage.corpora)
        Corpus.objects.update(is_course=True)  # the pages of its units; its points say no more for that
        return stage

    def _people(self) -> None:
        here, elsewhere = factories.OrganizationFactory(name="Here"), factories.OrganizationFactory(name="Elsewhere")
        roles = {"alice": here, "bob": here, "ada": here, "charlie": elsewhere, "zoe": elsewhere}
        for name, organization in roles.items():
            role = "admin" if name in ("ada", "zoe") else "member"
            member = factories.MembershipFactory(organization=organization, role=role)
            admins = ADMINS_HERE if organization == here else ADMINS_ELSEWHERE
            self.members[name] = member
            _key, secret = keys.issue_key(member, self.vault.plant(name, "key name", name, *admins))
            self.programs[name] = Caller(self.server.port, {"Authorization": f"Bearer {secret}"})
            self.vault.keep(secret, name, "key")
            self.pages[name] = self.server.by_session(member)
        operator: Any = SimpleNamespace(user=factories.UserFactory(is_superuser=True))
        self.pages["operator"] = self.server.by_session(operator)
        self.pages["anonymous"] = self.server.anonymous()
        invitation_of(SimpleNamespace(alice=self.members["alice"]))  # type: ignore[arg-type]  # of whom it needs no more

    def _knowledge(self) -> None:
        alice, bob, charlie = (self.members[name] for name in ("alice", "bob", "charlie"))
        here, elsewhere = alice.organization, charlie.organization
        self._fill("here", factories.CorpusFactory(shared_in=here, **self._named("here", HERE)), "ada", HERE)
        elsewhere_corpus = factories.CorpusFactory(shared_in=elsewhere, **self._named("elsewhere", ELSEWHERE))
        self._fill("elsewhere", elsewhere_corpus, "zoe", ELSEWHERE)
        for tier, owner in (("alice", alice), ("alice old", alice), ("bob", bob), ("charlie", charlie)):
            name = tier.split()[0]
            corpus = factories.CorpusFactory(personal_of=owner, **self._named(tier, (name,)))
            self._fill(tier, corpus, name, (name,))
            Project.objects.create(
                organization=owner.organization, owner=owner.user, name=self.vault.plant(tier, "project", name)
            )

    def _named(self, tier: str, readers: tuple[str, ...]) -> dict[str, str]:
        plant = self.vault.plant
        return {"name": plant(tier, "corpus", *readers), "description": plant(tier, "description", *readers)}

    def _fill(self, tier: str, corpus: Corpus, by: str, readers: tuple[str, ...]) -> None:
        """A document and a fact, each with a secret wherever there is a text."""

        def secret(kind: str, *more: str) -> str:
            return self.vault.plant(tier, kind, *readers, *more)

        self.corpora[tier] = corpus
        index = f"points of {corpus.pk}"  # which carry metadata, to filter by (docs/privacy.md)
        text = f"# Severance {secret('heading')}\n\nThe severance payment from Acme is {secret('text')} euros, taxed.\n"
        upload(
            corpus, self.members[by], f"{secret('filename')}.md", text,
            title=secret("title"), tags=[secret("tag", index)], unit=secret("unit", index),
        )  # fmt: skip
        facts.upsert_fact(
            corpus, self.members[by], f"The severance payment of Acme is due in {secret('fact')}.",
            title=secret("fact title"), tags=[secret("fact tag", index)], key=secret("fact key"),
            source=secret("fact source"),
        )  # fmt: skip

    def _agents(self) -> None:
        here, elsewhere = self.members["alice"].organization, self.members["charlie"].organization
        for slug, organization, is_open, more in (
            ("writer", here, True, {"expand_queries": True}),
            ("desk", here, False, {}),
            ("careful", here, True, {"adaptive": True, "evaluator_model": MODEL}),
            ("abroad", elsewhere, True, {}),
        ):
            admins = ADMINS_HERE if organization == here else ADMINS_ELSEWHERE
            prompt = f"Be brief. {self.vault.plant(slug, 'prompt', *admins)}"
            self.agents[slug] = factories.AgentFactory(
                organization=organization, slug=slug, allows_personal_corpus=is_open, model=MODEL, system_prompt=prompt,
                min_relevance=0.0, min_confidence=0.0, **more,
            )  # fmt: skip
        for slug, tiers in {
            "writer": ("here", "alice", "alice old", "bob"),
            "desk": ("here",),
            "careful": ("here", "alice"),
            "abroad": ("elsewhere", "charlie"),
        }.items():
            for tier in tiers:
                Assignment.objects.create(agent=self.agents[slug], corpus=self.corpora[tier])
        QuestionSet.objects.create(organization=here, name="Severance")
        QuestionSet.objects.create(organization=elsewhere, name="Severance")

    def _sources(self) -> None:
        """Tables given to an agent: their rows are for whoever uses it, what is masked and credentials for nobody."""
        plant = self.vault.plant
        for tier, slug, readers in (("here", "writer", HERE), ("elsewhere", "abroad", ELSEWHERE)):
            agent = self.agents[slug]
            rows = f"id,region,email\n1,{plant(tier, 'cell', *readers)},{plant(tier, 'masked cell')}\n"
            source = shop(agent.organization, plant(tier, "source", *readers), rows, plant(tier, "table", *readers))
            count_customers(source)
            grant(agent, *source.tables.all())
            self.sources[tier] = source
            server = DataSource(organization=agent.organization, name=f"Server {tier}", kind="postgresql", host="db")
            server.keep_credentials(plant(tier, "source user"), plant(tier, "source password"))
            server.save()

    def _tool_servers(self) -> None:
        """What is not lent yet is for admins, a server's credential for nobody."""
        for tier, slug, admins in (("here", "writer", ADMINS_HERE), ("elsewhere", "abroad", ADMINS_ELSEWHERE)):
            plant = self.vault.plant
            server = server_of(self.agents[slug].organization, name=plant(tier, "tool server", *admins))
            server.keep_credential(plant(tier, "tool credential"))
            server.save()
            tool_of(server, {**FORECAST, "description": plant(tier, "tool description", *admins)}, chosen=False)

    def _sign_on(self) -> None:
        """Which groups and domains there are is for admins, the client's secret for nobody."""
        for tier, slug, admins in (("here", "writer", ADMINS_HERE), ("elsewhere", "abroad", ADMINS_ELSEWHERE)):
            plant, organization = self.vault.plant, self.agents[slug].organization
            provider = provider_of(organization, admin_groups=[plant(tier, "group", *admins)])
            provider.keep_secret(plant(tier, "client secret"))
            provider.save()
            domain = domain_of_organization(organization, f"{tier}.test")
            domain.token = plant(tier, "token of a domain", *admins)
            domain.save()

    def _webhooks(self) -> None:
        """What they are called and where they lead is for admins, how they sign for nobody."""
        for tier, slug, admins in (("here", "writer", ADMINS_HERE), ("elsewhere", "abroad", ADMINS_ELSEWHERE)):
            plant = self.vault.plant
            address = f"https://hooks.example.org/{plant(tier, 'webhook address', *admins)}"
            hook = hook_of(self.agents[slug].organization, plant(tier, "webhook", *admins), url=address)
            hook.keep_secret(plant(tier, "webhook secret"))
            hook.save()
            told(hook, Delivery.Status.SENT)

    def _directories(self) -> None:
        """What a directory says of people is for admins, and its token for nobody."""
        for tier, admin, admins in (("here", "ada", ADMINS_HERE), ("elsewhere", "zoe", ADMINS_ELSEWHERE)):
            by, plant = self.members[admin], self.vault.plant
            self.vault.keep(token_for(by, plant(tier, "directory token name", *admins)), tier, "directory token")
            person = DirectoryUser.objects.create(
                organization=by.organization, user_name=plant(tier, "directory user", *admins),
                display_name=plant(tier, "directory name", *admins), external_id=plant(tier, "directory id", *admins),
                email=f"{plant(tier, 'directory address', *admins)}@example.org",
                given_name=plant(tier, "given name"), family_name=plant(tier, "family name"),
            )  # fmt: skip
            directory_group_of(by.organization, plant(tier, "directory group", *admins), person)
