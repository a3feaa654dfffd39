"""The sample organization: people, agents, corpora and documents to try Acervo on. Repeatable (API.md, `demo`)."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings

from accounts import keys
from accounts.limits.amounts import unlimited
from accounts.models import Membership, Organization, User
from agents.models import Agent, Assignment
from agents.presets import PRESETS
from corpora.models import Corpus
from workers.folders import courses, sync

SAMPLES = settings.BASE_DIR / "samples"
SLUG, NAME = "aurora", "Biblioteca Aurora"
LIBRARY, COURSE, NOTES = "Biblioteca Aurora", "Curso de Python", "Mis notas de novela"
LIBRARY_FILES = (
    "employee-handbook.docx",
    "glossary.txt",
    "guia-del-prestamo.pdf",
    "manual-de-estilo.docx",
    "networking-basics.md",
    "preguntas-frecuentes.md",
    "technical-handbook.pdf",
)
NOTES_FILE = "notas-novela.md"
WRITER, TUTOR = "escritor-de-libros", "tutor"
PEOPLE = (
    ("admin@aurora.example", "Aurora Admin", Membership.Role.ADMIN),
    ("alicia@aurora.example", "Alicia Vega", Membership.Role.MEMBER),
    ("bob@aurora.example", "Bob Brown", Membership.Role.MEMBER),
)


@dataclass(frozen=True, slots=True)
class Login:
    """How a sample user gets in. Kept in DATA_DIR/demo.json (mode 0600), because the database keeps only hashes."""

    email: str
    password: str
    role: str
    api_key: str


@dataclass(frozen=True, slots=True)
class SampleOrganization:
    """What the sample organization consists of, and the documents that this call has taken in."""

    organization: Organization
    logins: list[Login]
    agents: list[Agent]
    corpora: list[Corpus]
    taken_in: list[UUID]


def create_sample() -> SampleOrganization:
    """Make what is missing of the sample organization; a second call changes nothing and says the same."""
    organization, _created = Organization.objects.get_or_create(slug=SLUG, defaults={"name": NAME})
    logins = people(organization)
    members = {one.user.email: one for one in organization.memberships.select_related("user", "organization")}
    admin, alicia = members[PEOPLE[0][0]], members[PEOPLE[1][0]]
    agents = [Agent.objects.ensure_preset(preset, organization) for preset in PRESETS.values()]
    library, course, notes = (
        ensure_shared_corpus(admin, LIBRARY),
        ensure_course(admin, COURSE),
        ensure_personal_corpus(alicia, NOTES),
    )
    taken_in = [
        *(one for name in LIBRARY_FILES for one in take_in(SAMPLES / name, library, admin)),
        *take_in(SAMPLES / "curso-python", course, admin),
        *take_in(SAMPLES / NOTES_FILE, notes, alicia),
    ]
    assign_corpora(agents, library, course, notes)
    return SampleOrganization(organization, logins, agents, [library, course, notes], taken_in)


def people(organization: Organization) -> list[Login]:
    path = Path(settings.DATA_DIR) / "demo.json"
    kept = {one["email"]: Login(**one) for one in json.loads(path.read_text())} if path.exists() else {}
    logins = [person(organization, email, name, role, kept.get(email)) for email, name, role in PEOPLE]
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump([asdict(login) for login in logins], file)
    return logins


def person(organization: Organization, email: str, name: str, role: str, kept: Login | None) -> Login:
    """The user with a membership and a working key; what was printed before stays valid."""
    user = User.objects.filter(email=email).first()
    password = kept.password if kept else secrets.token_urlsafe(9)
    if user is None:
        user = User.objects.create_user(email, password, name=name)
    elif kept is None:
        user.set_password(password)
        user.save(update_fields=["password"])
    membership, _created = Membership.objects.get_or_create(
        user=user, organization=organization, defaults={"role": role}
    )
    if kept and keys.membership_of_key(kept.api_key) == membership:
        return kept
    with unlimited():
        _key, secret = keys.issue_key(membership, "demo")
    return Login(email, password, membership.role, secret)


def ensure_shared_corpus(admin: Membership, name: str) -> Corpus:
    corpus, _created = Corpus.objects.get_or_create(
        organization=admin.organization, corpus_type=Corpus.Type.GLOBAL, name=name, deleted_at=None
    )
    return corpus


def ensure_course(admin: Membership, name: str) -> Corpus:
    corpus = ensure_shared_corpus(admin, name)
    if corpus.is_course is not True:
        courses.mark_course(corpus)
    return corpus


def ensure_personal_corpus(owner: Membership, name: str) -> Corpus:
    corpus, _created = Corpus.objects.get_or_create(
        organization=owner.organization,
        corpus_type=Corpus.Type.PERSONAL,
        owner=owner.user,
        name=name,
        deleted_at=None,
    )
    return corpus


def take_in(source: Path, corpus: Corpus, by: Membership) -> list[UUID]:
    return sync.synchronize_folder(source, corpus, by).documents


def assign_corpora(agents: list[Agent], library: Corpus, course: Corpus, notes: Corpus) -> None:
    """The course to the tutor, the notes to the writer, the library to everyone else who reads."""
    for agent in agents:
        if agent.uses_rag:
            Assignment.objects.get_or_create(agent=agent, corpus=course if agent.slug == TUTOR else library)
        if agent.slug == WRITER and agent.allows_personal_corpus:
            Assignment.objects.get_or_create(agent=agent, corpus=notes)
