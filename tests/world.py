"""The rows that the authorization matrix asks for, each with a mark that must not reach whom it is not for."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts import keys
from accounts.models import Invitation, Membership, SignIn
from corpora.models import Corpus, Document
from corpora.rows.deletable import deletion
from tests.directories import directory_group_of, directory_user_of
from tests.factories import (
    AgentFactory,
    AssignmentFactory,
    ConversationFactory,
    CorpusFactory,
    DocumentFactory,
    ExportFactory,
    MessageFactory,
    ProjectFactory,
    table_of_answer,
)
from tests.hooks import hook_of, told
from tests.matrix import UPLOAD
from tests.metrics import name_metrics
from tests.people import People, signed_in, with_key, with_secret
from tests.printed import drawn_document, pdf_document
from tests.programs import let_in
from tests.shops import crm, grant, shop
from tests.sign_on import the_provider_of
from webhooks.models import Delivery

ALICES_MARK, SHARED_MARK = "only-alice-reads-this", "only-her-organization-reads-this"
TOKEN = "invitation-token"
FACT = {"fact_key": "boiling"}


@dataclass(frozen=True, slots=True)
class World:
    """`ids` are what the matrix's braces stand for; `callers` what its columns stand for."""

    people: People
    ids: dict[str, str]
    secrets: dict[str, str]

    @classmethod
    def furnished(cls, people: People) -> "World":
        alice, here = people.alice, people.alice.organization
        alices = CorpusFactory(personal_of=alice, name=f"{ALICES_MARK} corpus", is_course=True)
        shared = CorpusFactory(shared_in=here, name=f"{SHARED_MARK} corpus", is_course=True)
        agent = AgentFactory(organization=here, allows_personal_corpus=True, name=f"{SHARED_MARK} agent")
        for corpus in (alices, shared):
            AssignmentFactory(agent=agent, corpus=corpus)
        source = shop(here, f"{SHARED_MARK} source {uuid4().hex[:12]}", described=SHARED_MARK)
        name_metrics(source)
        grant(agent, *source.tables.all(), *crm(here, f"{SHARED_MARK} CRM {uuid4().hex[:12]}").tables.all())
        hook = hook_of(here, f"{SHARED_MARK} webhook")
        alices_document = DocumentFactory(corpus=alices, title=f"{ALICES_MARK} document", text=ALICES_MARK, **FACT)
        shared_document = DocumentFactory(corpus=shared, title=f"{SHARED_MARK} document", text=SHARED_MARK, **FACT)
        alices_pdf = pdf_document(alices, (ALICES_MARK,), title=f"{ALICES_MARK} printed")
        shared_pdf = pdf_document(shared, (SHARED_MARK,), title=f"{SHARED_MARK} printed")
        conversation = ConversationFactory(of=alice, agent=agent, title=f"{ALICES_MARK} conversation")
        chunks = alices_document.chunks.all()
        question = MessageFactory(conversation=conversation, content=f"{ALICES_MARK} question", place=uuid4())
        message = MessageFactory(
            conversation=conversation, role="assistant", content=f"{ALICES_MARK} answer", sources=chunks
        )
        table_of_answer(message, ALICES_MARK)
        key, revoked = keys.issue_key(alice, f"{ALICES_MARK} key")
        keys.revoke_key(key, alice)
        _usable, secret = keys.issue_key(alice, f"{ALICES_MARK} key")
        rows: dict[str, Any] = {
            "alices": alices,
            "alices_second": CorpusFactory(personal_of=alice, name=f"{ALICES_MARK} second"),
            "alices_document": alices_document,
            "alices_drawing": drawn_document(alices, ALICES_MARK, title=f"{ALICES_MARK} drawn"),
            "shared_drawing": drawn_document(shared, SHARED_MARK, title=f"{SHARED_MARK} drawn"),
            "alices_pdf": alices_pdf,
            "shared_pdf": shared_pdf,
            "shared": shared,
            "shared_second": CorpusFactory(shared_in=here, name=f"{SHARED_MARK} second"),
            "shared_document": shared_document,
            "alices_trashed": trashed_document(alices, f"{ALICES_MARK} trashed"),
            "shared_trashed": trashed_document(shared, f"{SHARED_MARK} trashed"),
            "export": ExportFactory(of=alice, content=ALICES_MARK),
            "agent": agent,
            "source": source,
            "source_file": source.files.first(),
            "source_table": source.tables.first(),
            "webhook": hook,
            "provider": the_provider_of(here),
            "delivery": told(hook, Delivery.Status.FAILED),
            "directory_user": directory_user_of(people.bob, display_name=f"{SHARED_MARK} Entra"),
            "directory_group": directory_group_of(here, f"{SHARED_MARK} Okta"),
            "conversation": conversation,
            "message": message,
            "question": question,
            "project": ProjectFactory(of=alice, name=f"{ALICES_MARK} project"),
            "key": keys.issue_key(alice, f"{ALICES_MARK} key")[0],
            "program": let_in(alice, f"{ALICES_MARK} program"),
            "bob": people.bob,
            "invitation": invitation_of(people),
            "session": session_of(alice),
            "organization": here,
        }
        ids = {name: str(row.pk) for name, row in rows.items()} | {"slug": agent.slug, "token": TOKEN}
        return cls(people, ids, {"revoked": revoked, "owner": secret})

    def caller(self, name: str) -> Client:
        """The client of one of the matrix's callers. A deactivated one is Alice, switched off just now."""
        people = self.people
        if name.startswith("deactivated"):
            client = with_secret(self.secrets["owner"]) if name.endswith("key") else signed_in(people.alice)
            type(people.alice.user).objects.filter(pk=people.alice.user_id).update(is_active=False)
            return client
        makers = {
            "owner": lambda: signed_in(people.alice),
            "owner_key": lambda: with_secret(self.secrets["owner"]),
            "member": lambda: signed_in(people.bob),
            "admin": lambda: signed_in(people.ada),
            "stranger": lambda: signed_in(people.charlie),
            "foreign_admin": lambda: signed_in(people.zoe),
            "foreign_key": lambda: with_key(people.alice_elsewhere),
            "anonymous": Client,
            "revoked_key": lambda: with_secret(self.secrets["revoked"]),
        }
        return makers[name]()

    def filled(self, template: Any, ids: dict[str, str] | None = None) -> Any:
        """A path or body with its braces replaced by ids."""
        known = ids or self.ids
        if isinstance(template, dict):
            return {key: self.filled(value, ids) for key, value in template.items()}
        if isinstance(template, list):
            return [self.filled(value, ids) for value in template]
        return template.format(**known) if isinstance(template, str) else template

    def missing_ids(self) -> dict[str, str]:
        """The same names for rows that never were."""
        return {
            name: str(uuid4()) if is_uuid(value) else f"never-was-{uuid4().hex[:8]}" for name, value in self.ids.items()
        }


def trashed_document(corpus: Corpus, title: str) -> Document:
    return DocumentFactory(corpus=corpus, title=title, text=title, **deletion(corpus.owner))


def is_uuid(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return False
    return True


def session_of(member: Membership) -> SignIn:
    """A session of a member's in another browser."""
    key = signed_in(member).cookies[settings.SESSION_COOKIE_NAME].value
    return SignIn.objects.create(user=member.user, session_key=key, browser=f"{ALICES_MARK} browser")


def invitation_of(people: People) -> Invitation:
    return Invitation.objects.create(
        organization=people.alice.organization,
        email=f"{SHARED_MARK}@example.org",
        token_hash=keys.digest(TOKEN),
        expires_at=timezone.now() + timedelta(days=1),
    )


def send(client: Client, method: str, path: str, body: Any, *, page: bool, **extra: Any) -> Any:
    """One request as a page's form, as JSON, or as an upload."""
    if body == UPLOAD:
        file = SimpleUploadedFile("small.txt", b"Water boils at 100 degrees.")
        return client.post(path, {"file": file}, **extra)
    if page and method == "POST":
        return client.post(path, body or {}, **extra)
    if method == "GET":
        return client.get(path, **extra)
    return client.generic(method, path, as_json(body), content_type="application/json", **extra)


def as_json(body: Any) -> bytes:
    import orjson

    return b"" if body is None else orjson.dumps(body)
