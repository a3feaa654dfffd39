"""A folder of Markdown as a course: by `ingest --course`, and by the watched folder."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Membership
from agents.models import Assignment
from corpora.models import Corpus
from tests import factories
from workers.folders import courses, watched

pytestmark = pytest.mark.django_db(transaction=True)
FILES = {
    "01-redes.md": "# Redes\n\nUna red une equipos.\n",
    "02-osi.md": "# Modelo OSI\n\nTiene siete capas.\n",
    "10-nat.md": '---\nunit: "Décima"\n---\n\n# NAT\n\nTraduce direcciones.\n',
}


@pytest.fixture
def admin() -> Membership:
    return factories.MembershipFactory(role="admin", organization__slug="casa")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "cursos" / "redes"
    place.mkdir(parents=True)
    for name, text in FILES.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def ingest(folder: Path, **options: Any) -> str:
    out = StringIO()
    call_command("ingest", str(folder), organization="casa", stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def test_ingest_makes_a_course_with_a_tutor_of_it(admin: Membership, folder: Path) -> None:
    told = ingest(folder, course="Redes")
    corpus = Corpus.objects.get(name="Redes")
    assert corpus.is_course
    assert f"/courses/{corpus.pk}/" in told
    assert Assignment.objects.get(corpus=corpus).agent.name == "Redes"
    said = dict(corpus.documents.values_list("filename", "unit"))
    assert said == {"01-redes.md": "1. Redes", "02-osi.md": "2. Modelo OSI", "10-nat.md": "Décima"}
    assert set(corpus.documents.values_list("course", flat=True)) == {"Redes"}


def test_who_unmarks_it_is_asked_again_only_by_name(admin: Membership, folder: Path) -> None:
    ingest(folder, course="Redes")
    agents = Assignment.objects.count()
    ingest(folder, course="Redes")
    assert Assignment.objects.count() == agents, "a second run makes no second tutor"


def test_a_corpus_or_a_course_has_to_be_named(admin: Membership, folder: Path) -> None:
    with pytest.raises(CommandError, match="--course"):
        ingest(folder)


def test_a_corpus_that_is_named_alone_is_no_course(admin: Membership, folder: Path) -> None:
    assert "/courses/" not in ingest(folder, corpus="Apuntes")
    assert not Corpus.objects.get(name="Apuntes").is_course


def test_with_a_corpus_that_is_named_a_course_is_what_its_documents_say(admin: Membership, folder: Path) -> None:
    """API.md: metadata like the others; one corpus may hold the files of several courses."""
    assert "/courses/" not in ingest(folder, corpus="Apuntes", course="Redes")
    corpus = Corpus.objects.get(name="Apuntes")
    assert not corpus.is_course
    assert not Assignment.objects.exists()
    assert set(corpus.documents.values_list("course", flat=True)) == {"Redes"}


def test_a_watched_folder_of_numbered_markdown_is_a_course(admin: Membership, folder: Path, settings: Any) -> None:
    settings.INGEST_DIR, settings.INGEST_ORGANIZATION = str(folder.parent), "casa"
    plain = folder.parent / "cartas"
    plain.mkdir()
    (plain / "carta.md").write_text("# Carta\n\nHola.\n", encoding="utf-8")
    assert watched.synchronize_all() == 2
    assert dict(Corpus.objects.values_list("name", "is_course")) == {"Redes": True, "Cartas": False}
    Corpus.objects.filter(name="Redes").update(is_course=False)
    watched.synchronize_all()
    assert not Corpus.objects.get(name="Redes").is_course, "whoever unmarks it is not overruled at the next visit"


@pytest.mark.parametrize(
    ("names", "is_course"),
    [
        (("01-a.md", "02-b.md"), True),
        (("01-a.md",), False),
        (("01-a.md", "02-b.md", "x.pdf", "y.pdf"), False),
        (("a.md", "b.md"), False),
    ],
)
def test_a_folder_is_a_course_by_the_names_of_its_files(tmp_path: Path, names: Any, is_course: bool) -> None:
    for name in names:
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert courses.is_course_folder(tmp_path) is is_course
