"""A row of everybody in every table under a rule, each with who may read it: said where it is made, by name."""

from collections import defaultdict
from datetime import timedelta
from typing import Any
from uuid import uuid4

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import Model
from django.utils import timezone

from accounts import audit, keys
from accounts.identity.oauth.rows import OAuthCode
from accounts.limits.rows import LimitSetting, LimitUse, SpendingReservation
from accounts.models import AuditEvent, IdempotentReply, Invitation, Membership, Organization, SignIn, ToolCall
from agents.models import Agent, ReachableTool
from chat.models import Citation, DailyUsage, Export, Message, Trace
from corpora.models import Corpus, ErasureReceipt, UnitReading
from evaluation.models import EvaluationRun, Question, QuestionSet
from provisioning.models import DirectoryGroup, DirectoryToken, DirectoryUser
from retrieval.places.names import keep_names
from tests.directories import directory_group_of
from tests.factories import (
    AgentFactory,
    AssignmentFactory,
    ConversationFactory,
    CorpusFactory,
    DocumentFactory,
    MessageFactory,
    ProjectFactory,
    table_of_answer,
)
from tests.hooks import hook_of, told
from tests.metrics import name_metrics
from tests.people import People
from tests.programs import CALLBACK, RESOURCE, let_in
from tests.shops import grant, shop
from tests.sign_on import domain_of_organization, identity_of, provider_of
from tests.tool_servers import server_of, tool_of
from webhooks.models import DeliveryAttempt

NAMES = ("alice", "bob", "ada", "charlie", "zoe", "alice_elsewhere")
TEAMS = {"here": ("alice", "bob", "ada"), "elsewhere": ("charlie", "zoe", "alice_elsewhere")}
ADMINS = {"here": "ada", "elsewhere": "zoe"}
ALICE = ("alice", "alice_elsewhere")  # one person, in two organizations


class Planted:
    """`readers[table][primary key]` is the names of those who read the row."""

    def __init__(self, people: People) -> None:
        self.people = people
        self.readers: dict[str, dict[Any, frozenset[str]]] = defaultdict(dict)
        self.first: dict[tuple[str, str], Model] = {}  # a row of a table that is this member's own
        for team, names in TEAMS.items():
            self.plant_shared(team, self.member(names[0]).organization)
            for name in names:
                self.plant_own(name, team)
        self.plant_people()

    def member(self, name: str) -> Membership:
        return getattr(self.people, name)  # type: ignore[no-any-return]

    def note(self, row: Any, *readers: str, of: str = "") -> Any:
        self.readers[row._meta.db_table][row.pk] = frozenset(readers)
        if of:
            self.first.setdefault((row._meta.db_table, of), row)
        return row

    def plant_document(self, corpus: Corpus, *readers: str, of: str = "") -> Any:
        headed = DocumentFactory(corpus=corpus, headings=[[1, "Artículo 1. Objeto", 0, 18]], unit="1")
        document = self.note(headed, *readers, of=of)
        keep_names(document)
        self.note(corpus.counts, *readers, of=of)
        for one in (
            *corpus.metadata_values.all(),
            *document.texts.all(),
            *document.sections.all(),
            *document.chunks.all(),
            *document.names.all(),
        ):
            self.note(one, *readers, of=of)
        return document

    def plant_shared(self, team: str, organization: Organization) -> None:
        everybody, admin = TEAMS[team], ADMINS[team]
        agent = self.note(AgentFactory(organization=organization, allows_personal_corpus=True), *everybody, of=team)
        corpus = self.note(CorpusFactory(shared_in=organization), *everybody, of=team)
        self.plant_document(corpus, *everybody, of=team)
        self.note(AssignmentFactory(agent=agent, corpus=corpus), *everybody, of=team)
        self.plant_source(agent, *everybody, of=team)
        hook = self.note(hook_of(organization), *everybody, of=team)
        delivery = self.note(told(hook), admin)
        named = {"name": team, "prefix": "acvscim_", "token_hash": team}
        self.note(DirectoryToken.objects.create(organization=organization, **named), admin, of=team)
        person = DirectoryUser.objects.create(organization=organization, user_name=team, email=f"{team}@example.org")
        group = directory_group_of(organization, team, person)
        for one in (person, group, DirectoryGroup.users.through.objects.get(directorygroup=group)):
            self.note(one, admin, of=team)
        self.note(DeliveryAttempt.objects.create(delivery=delivery, reason="ok", milliseconds=1), admin)
        self.note(provider_of(organization), admin)
        self.note(domain_of_organization(organization, f"{team}.test"), admin)
        self.note(identity_of(self.member(everybody[0])), admin)
        in_a_day = timezone.now() + timedelta(days=1)
        self.note(
            Invitation.objects.create(
                organization=organization, email=f"new@{team}.test", token_hash=keys.digest(team), expires_at=in_a_day
            ),
            admin,
        )
        receipt = ErasureReceipt.objects.create(organization=organization, subject_id=corpus.pk)
        self.note(receipt, admin)
        setting = LimitSetting.objects.create(
            organization=organization, name="questions", per="user", by_operator=False, amount=1
        )
        self.note(setting, *everybody, of=team)
        search = Trace.objects.create(agent=agent, scope_size=1, granularity=800, confidence="HIGH", score=0.9)
        self.note(search, admin)
        counted = {"day": timezone.localdate(), "measure": "question", "count": 1, "agent": agent}
        self.note(DailyUsage.objects.create(organization=organization, **counted), admin)
        questions = self.note(QuestionSet.objects.create(organization=organization, name="Loans"), admin)
        self.note(Question.objects.create(question_set=questions, text="How long?"), admin)
        self.note(EvaluationRun.objects.create(question_set=questions), admin)

    def plant_source(self, agent: Agent, *everybody: str, of: str) -> None:
        source = shop(agent.organization)
        name_metrics(source)
        grant(agent, *source.tables.all())
        for one in (source, *source.files.all(), *source.tables.all(), *agent.reachable_tables.all()):
            self.note(one, *everybody, of=of)
        tool = tool_of(server_of(agent.organization))
        for one in (tool.server, tool, ReachableTool.objects.create(agent=agent, tool=tool)):
            self.note(one, *everybody, of=of)
        for table in source.tables.all():
            for named in (*table.columns.all(), *table.metrics.all(), *table.dimensions.all()):
                self.note(named, *everybody, of=of)

    def plant_program(self, name: str, member: Membership, admin: str) -> None:
        grant = let_in(member, name)
        said = {"redirect_uri": CALLBACK, "expires": timezone.now() + timedelta(minutes=1), "resource": [RESOURCE]}
        whose = {"user": member.user, "application": grant.client, "grant": grant}
        code = OAuthCode.objects.create(code=f"code of {name}", scope="mcp", **said, **whose)
        for one in (grant.client, grant, code, grant.access_tokens.get(), grant.refresh_tokens.get()):
            self.note(one, name, admin)

    def plant_own(self, name: str, team: str) -> None:
        member, admin = self.member(name), ADMINS[team]
        corpus = self.note(CorpusFactory(personal_of=member), name, of=name)
        document = self.plant_document(corpus, name, of=name)
        self.note(UnitReading.objects.create(membership=member, document=document), name, of=name)
        agent = Agent.objects.get(pk=self.first["agents_agent", team].pk)
        self.note(AssignmentFactory(agent=agent, corpus=corpus), name, of=name)
        project = self.note(ProjectFactory(of=member), name, of=name)
        project.corpora.add(corpus)
        self.note(project.corpora.through.objects.get(project=project), name)
        conversation = self.note(ConversationFactory(of=member, agent=agent), name, of=name)
        answer = MessageFactory(conversation=conversation, role="assistant", sources=document.chunks.all()[:1])
        self.note(Message.objects.get(pk=answer.pk), name, of=name)
        self.note(Citation.objects.get(message=answer), name, of=name)
        self.note(table_of_answer(Message.objects.get(pk=answer.pk), name), name, of=name)
        numbers = {"scope_size": 1, "granularity": 800, "confidence": "HIGH", "score": 0.9}
        self.note(Trace.objects.create(message=answer, agent=agent, **numbers), name, admin, of=name)
        self.note(keys.issue_key(member)[0], name, admin, of=name)
        self.plant_program(name, member, admin)
        self.plant_use(name, member, *TEAMS[team])
        self.note(Export.objects.create(organization=member.organization, owner=member.user), name, of=name)
        receipt = {"subject_id": corpus.pk, "owner_id": member.user_id}
        persons = self.selves(name)
        self.note(ErasureReceipt.objects.create(organization=member.organization, **receipt), *persons)
        reply = IdempotentReply.objects.create(membership=member, key=name, request_hash="0")
        self.note(reply, name, of=name)
        audit.record(member, "tried", corpus)
        for event in AuditEvent.objects.filter(organization=member.organization, actor=member.user):
            self.note(event, admin)
        self.note(member, *persons, admin, of=name)
        self.plant_person(name, member, *persons)

    def plant_use(self, name: str, member: Membership, *everybody: str) -> None:
        """Counters have no words: they are the organization's. A tool's call is its admins' to read."""
        counted = {"organization": member.organization, "name": "questions", "starts": 0, "used": 1}
        self.note(LimitUse.objects.create(subject=member.user_id, **counted), *everybody, of=name)
        in_a_day = timezone.now() + timedelta(days=1)
        reservation = SpendingReservation.objects.create(
            pk=uuid4(),
            organization=member.organization,
            user=member.user_id,
            tokens=1,
            microdollars=0,
            expires_at=in_a_day,
        )
        self.note(reservation, *everybody, of=name)
        audit.record_tool_call(member, ToolCall.Kind.RETRIEVE, 0.0, items=1, tokens=1, is_personal=False)
        for call in ToolCall.objects.filter(organization=member.organization, user=member.user):
            self.note(call, ADMINS["here" if name in TEAMS["here"] else "elsewhere"])

    def plant_person(self, name: str, member: Membership, *persons: str) -> None:
        user = member.user
        address = EmailAddress.objects.create(user=user, email=f"{name}@addresses.test")
        self.note(address, *persons)
        sign_in = SignIn.objects.create(user=user, session_key=name, last_seen_at=timezone.now())
        self.note(sign_in, *persons)
        factor = Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data={})
        admins = [ADMINS[team] for team, names in TEAMS.items() if {*names} & {*persons}]
        self.note(factor, *persons, *admins)
        self.note(EmailConfirmation.create(address), *persons)
        kind = ContentType.objects.get_for_model(Corpus)
        entry = LogEntry.objects.create(user=user, content_type=kind, object_id="1", object_repr=name, action_flag=2)
        self.note(entry, *persons)
        user.groups.add(Group.objects.get_or_create(name=name)[0])
        user.user_permissions.add(Permission.objects.order_by("pk")[NAMES.index(name)])
        for through in (user.groups.through, user.user_permissions.through):
            for one in through.objects.filter(user=user):
                self.note(one, *persons)
        session = SessionStore()
        session.create()
        self.readers["django_session"][session.session_key] = frozenset()

    def plant_people(self) -> None:
        """Everybody sees themselves, and an admin who is in the organization."""
        for name in NAMES:
            admins = [ADMINS[team] for team, names in TEAMS.items() if {*names} & {*self.selves(name)}]
            self.note(self.member(name).user, *self.selves(name), *admins)
        self.note(self.people.alice.organization, *TEAMS["here"], of="here")
        self.note(self.people.charlie.organization, *TEAMS["elsewhere"])

    def selves(self, name: str) -> tuple[str, ...]:
        return ALICE if name in ALICE else (name,)

    def read_by(self, name: str, table: str) -> set[Any]:
        return {pk for pk, readers in self.readers[table].items() if name in readers}
