"""A small organization with real, ingested documents: what the tests of chat and workers ask about."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Membership
from agents.models import Agent, Assignment
from corpora.models import Corpus, Document
from corpora.uploads import intake
from tests import factories

LOANS = (
    "# Préstamos\n\nEl préstamo de un libro dura veintiún días naturales. Se puede renovar dos veces si nadie lo ha "
    "reservado.\n\n# Sanciones\n\nCada día de retraso suspende el carné durante un día, con un máximo de noventa.\n"
)
NOVEL = (
    "# Personajes\n\nOfelia Marchena es la relojera del pueblo y guarda en su taller el reloj de péndulo del faro de "
    "Puerto Claro.\n\n# Cronología\n\nLa tormenta que apagó el faro ocurrió en marzo de 1911.\n"
)
ABOUT_LOANS = "¿Cuántos días dura el préstamo de un libro?"
ABOUT_NOVEL = "¿Quién es Ofelia Marchena?"
ABOUT_NOTHING = "¿Cuál es la densidad del tungsteno fundido?"


@dataclass(frozen=True, slots=True)
class Library:
    """Alicia owns `notes`, Bob is her colleague, Carla belongs to another organization."""

    alicia: Membership
    bob: Membership
    admin: Membership
    carla: Membership
    writer: Agent  # open, allows personal corpora: reads `loans` and `notes`
    researcher: Agent  # strict, global corpora only: reads `loans`
    loans: Corpus
    notes: Corpus


def upload(corpus: Corpus, by: Membership, name: str, content: str | bytes, **fields: Any) -> Document:
    encoded = content.encode() if isinstance(content, str) else content
    return intake.accept_upload(corpus, SimpleUploadedFile(name, encoded), by, **fields)


def build(work: Callable[[], int]) -> Library:
    """`work` ingests what waits (the `worker` fixture)."""
    organization = factories.OrganizationFactory()
    alicia, bob = (factories.MembershipFactory(organization=organization) for _ in range(2))
    admin = factories.MembershipFactory(organization=organization, role="admin")
    loans = factories.CorpusFactory(shared_in=organization, name="Biblioteca")
    notes = factories.CorpusFactory(personal_of=alicia, name="Mis notas")
    common = {"organization": organization, "system_prompt": "Eres de la casa."}
    writer = factories.AgentFactory(slug="writer", allows_personal_corpus=True, **common)
    researcher = factories.AgentFactory(slug="researcher", grounding="strict", **common)
    for agent, corpus in ((writer, loans), (researcher, loans), (writer, notes)):
        Assignment.objects.create(agent=agent, corpus=corpus)
    upload(loans, admin, "prestamos.md", LOANS, tags=["normas"])
    upload(notes, alicia, "novela.md", NOVEL, tags=["novela"])
    assert work() == 2
    return Library(alicia, bob, admin, factories.MembershipFactory(), writer, researcher, loans, notes)
