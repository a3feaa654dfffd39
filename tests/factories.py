"""Factories for tests: rows that satisfy every constraint, in one organization unless told otherwise."""

import hashlib
import itertools
from datetime import timedelta
from typing import Any
from uuid import uuid4

import factory
from django.core.files.base import ContentFile
from django.utils import timezone
from factory.django import DjangoModelFactory

from accounts.models import Membership, Organization, User
from agents.models import Agent, Assignment
from chat.models import AnswerTable, Citation, Conversation, Export, Message, Project
from corpora.models import Chunk, Corpus, Document, DocumentText, Section

PASSWORD = "correct-horse-battery"
PARAGRAPH = "A loan lasts twenty-one days and may be renewed twice unless another reader waits for the book. "


class OrganizationFactory(DjangoModelFactory[Organization]):
    class Meta:
        model = Organization

    name = factory.Sequence(lambda n: f"Organization {n}")
    slug = factory.Sequence(lambda n: f"organization-{n}")


class UserFactory(DjangoModelFactory[User]):
    """A user with the password PASSWORD (or `password=`)."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"user{n}@example.org")
    name = factory.Sequence(lambda n: f"User {n}")

    @classmethod
    def _create(cls, model_class: type[User], *args: Any, **kwargs: Any) -> User:
        return model_class.objects.create_user(password=kwargs.pop("password", PASSWORD), **kwargs)


class MembershipFactory(DjangoModelFactory[Membership]):
    """The principal. `MembershipFactory(organization=o, role="admin")`."""

    class Meta:
        model = Membership

    user = factory.SubFactory(UserFactory)
    organization = factory.SubFactory(OrganizationFactory)
    role = Membership.Role.MEMBER


class CorpusFactory(DjangoModelFactory[Corpus]):
    """A new user's personal corpus; with `personal_of=membership` theirs, with `shared_in=organization` global."""

    class Meta:
        model = Corpus

    class Params:
        personal_of = None
        shared_in = None

    name = factory.Sequence(lambda n: f"Corpus {n}")

    @factory.lazy_attribute
    def corpus_type(self) -> str:
        return Corpus.Type.GLOBAL if self.shared_in else Corpus.Type.PERSONAL

    @factory.lazy_attribute
    def organization(self) -> Organization:
        if self.shared_in:
            return self.shared_in
        return self.personal_of.organization if self.personal_of else OrganizationFactory()

    @factory.lazy_attribute
    def owner(self) -> User | None:
        if self.corpus_type == Corpus.Type.GLOBAL:
            return None
        return self.personal_of.user if self.personal_of else UserFactory()


class DocumentFactory(DjangoModelFactory[Document]):
    """An indexed document with its file, its text and its chunks (nothing in the vector index).

    `text=` is the canonical text, `pages=` and `headings=` its spans as DocumentText keeps them; `content=` are the
    file's bytes, where they are not the text's. With another `status=` the document has neither text nor chunks.
    """

    class Meta:
        model = Document
        skip_postgeneration_save = True

    corpus = factory.SubFactory(CorpusFactory)
    uploaded_by = factory.SelfAttribute("corpus.owner")
    filename = factory.Sequence(lambda n: f"document-{n}.txt")
    media_type = "text/plain"
    status = Document.Status.INDEXED
    text = PARAGRAPH * 12
    pages: list[Any] = []
    headings: list[Any] = []
    pictures: list[Any] = []

    @classmethod
    def _create(cls, model_class: type[Document], *args: Any, **kwargs: Any) -> Document:
        text, pages, headings = kwargs.pop("text"), kwargs.pop("pages"), kwargs.pop("headings")
        pictures = kwargs.pop("pictures")
        indexed = kwargs["status"] == Document.Status.INDEXED
        content = kwargs.pop("content", None) or text.encode()
        kwargs.setdefault("size", len(content))
        kwargs.setdefault("sha256", hashlib.sha256(content).hexdigest())
        if indexed:
            spans = chunk_spans(text)
            kwargs.update(version=1, chunk_count=len(spans), page_count=len(pages), indexed_at=timezone.now())
        document = model_class(**kwargs)
        document.file.save(document.filename, ContentFile(content), save=False)
        document.save(force_insert=True)
        if indexed:
            write_text(document, text, pages, headings)
            if pictures:
                document.texts.update(pictures=pictures)
        return document


def chunk_spans(text: str, characters: int = 400) -> list[tuple[int, int]]:
    """Consecutive spans that tile the text."""
    edges = [*range(0, len(text), characters), len(text)]
    return list(itertools.pairwise(edges))


def write_text(document: Document, text: str, pages: list[Any], headings: list[Any]) -> None:
    """The canonical text of version 1 and its chunks at granularity 800."""
    DocumentText.objects.create(document=document, version=1, text=text, pages=pages, headings=headings)
    for index, (level, title, start, _) in enumerate(headings):
        Section.objects.create(
            document=document, version=1, index=index, level=level, title=title, start=start, end=len(text)
        )
    for index, (start, end) in enumerate(chunk_spans(text)):
        page = next((number for number, first, last in pages if first <= start < last), None)
        Chunk.objects.create(
            id=Chunk.id_for(document.pk, 1, 800, index),
            document=document,
            version=1,
            granularity=800,
            index=index,
            text=text[start:end],
            text_hash=hashlib.sha256(text[start:end].encode()).hexdigest(),
            token_count=len(text[start:end]) // 4 + 1,
            start=start,
            end=end,
            page_start=page,
            page_end=page,
        )


class AgentFactory(DjangoModelFactory[Agent]):
    class Meta:
        model = Agent

    organization = factory.SubFactory(OrganizationFactory)
    name = factory.Sequence(lambda n: f"Agent {n}")
    slug = factory.Sequence(lambda n: f"agent-{n}")
    description = "Answers from the library's documents."


class AssignmentFactory(DjangoModelFactory[Assignment]):
    """A personal corpus needs an agent with `allows_personal_corpus`; the default agent has it."""

    class Meta:
        model = Assignment

    corpus = factory.SubFactory(CorpusFactory)
    agent = factory.SubFactory(
        AgentFactory, organization=factory.SelfAttribute("..corpus.organization"), allows_personal_corpus=True
    )


class ProjectFactory(DjangoModelFactory[Project]):
    """`ProjectFactory(of=membership)`."""

    class Meta:
        model = Project
        skip_postgeneration_save = True

    class Params:
        of = factory.SubFactory(MembershipFactory)

    name = factory.Sequence(lambda n: f"Project {n}")
    organization = factory.SelfAttribute("of.organization")
    owner = factory.SelfAttribute("of.user")


class ExportFactory(DjangoModelFactory[Export]):
    """One that can be downloaded: `ExportFactory(of=membership, content="…")`."""

    class Meta:
        model = Export

    class Params:
        of = factory.SubFactory(MembershipFactory)

    organization = factory.SelfAttribute("of.organization")
    owner = factory.SelfAttribute("of.user")
    status = Export.Status.DONE

    @classmethod
    def _create(cls, model_class: type[Export], *args: Any, **kwargs: Any) -> Export:
        content = kwargs.pop("content", "a ZIP").encode()
        export = model_class(size=len(content), expires_at=timezone.now() + timedelta(days=7), **kwargs)
        export.file.save("acervo.zip", ContentFile(content), save=False)
        export.save(force_insert=True)
        return export


class ConversationFactory(DjangoModelFactory[Conversation]):
    """`ConversationFactory(of=membership)`."""

    class Meta:
        model = Conversation

    class Params:
        of = factory.SubFactory(MembershipFactory)

    organization = factory.SelfAttribute("of.organization")
    owner = factory.SelfAttribute("of.user")
    agent = factory.SubFactory(AgentFactory, organization=factory.SelfAttribute("..organization"))
    title = factory.Sequence(lambda n: f"Conversation {n}")
    is_personal = False


class MessageFactory(DjangoModelFactory[Message]):
    """A question; `MessageFactory(role="assistant", sources=[chunk, …])` is an answer citing the first."""

    class Meta:
        model = Message
        skip_postgeneration_save = True

    conversation = factory.SubFactory(ConversationFactory)
    role = Message.Role.USER
    content = "How long does a loan last?"

    @factory.post_generation
    def sources(message: Message, create: bool, chunks: Any) -> None:
        for n, chunk in enumerate(chunks or (), start=1):
            corpus = chunk.document.corpus
            Citation.objects.create(
                message=message,
                n=n,
                chunk_id=chunk.pk,
                document=chunk.document,
                corpus_id=corpus.pk,
                corpus_type=corpus.corpus_type,
                corpus_name=corpus.name,
                title=str(chunk.document),
                page=chunk.page_start,
                snippet=chunk.text[:200],
                start=chunk.start,
                end=chunk.end,
                relevance=max(0.9 - n * 0.1, 0.1),
                cited=n == 1,
            )


def table_of_answer(message: Message, name: str, n: int = 9) -> AnswerTable:
    """Rows that an answer's model has fetched of a data source of this name."""
    return AnswerTable.objects.create(
        message=message,
        n=n,
        tool="query",
        source_id=uuid4(),
        source_name=name,
        table_names=["customers"],
        columns=[{"name": "region", "type": "text"}, {"name": "n", "type": "integer"}],
        rows=[[name, 1]],
        row_count=1,
        statement="SELECT region, n FROM customers",
    )
