"""Metadata by folder: `acervo.toml`, the folder's name as unit, the command line above both."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from accounts.models import Membership
from corpora.models import Corpus, Document
from tests import factories
from workers.folders import sync as folders
from workers.folders.metadata import MAX_BYTES, FolderMetadata
from workers.management.commands.ingest import meta_of

pytestmark = pytest.mark.django_db(transaction=True)
Sync = Callable[..., folders.Outcome]


@pytest.fixture
def admin() -> Membership:
    return factories.MembershipFactory(role="admin")


@pytest.fixture
def corpus(admin: Membership) -> Corpus:
    return factories.CorpusFactory(shared_in=admin.organization)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = tmp_path / "curso"
    for name in ("inicio.md", "bucles/for.md", "bucles/avanzado/anidados.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name}\n\nTexto de {name}.\n", encoding="utf-8")
    say(root, 'course = "PROG1"\ntags = ["2026"]\ndate = 2026-03-31\n')
    say(root / "bucles", 'unit = "Bucles"\ndifficulty = "básico"\n')
    say(root / "bucles" / "avanzado", 'difficulty = "avanzado"\ntags = ["extra"]\n')
    return root


@pytest.fixture
def sync(course: Path, corpus: Corpus, admin: Membership) -> Sync:
    return lambda **options: folders.synchronize_folder(course, corpus, admin, **options)


def say(folder: Path, toml: str) -> None:
    (folder / "acervo.toml").write_text(toml, encoding="utf-8")


def said(corpus: Corpus, path: str, *names: str) -> tuple[Any, ...]:
    document = corpus.documents.get(source_path=path)
    return tuple(getattr(document, name) for name in names)


def test_a_folder_speaks_for_its_files_and_a_nearer_one_outweighs_it(sync: Sync, corpus: Corpus) -> None:
    outcome = sync()
    assert (len(outcome.documents), outcome.refused) == (3, {})
    names = ("course", "unit", "difficulty", "tags", "source_date")
    day = date(2026, 3, 31)
    assert said(corpus, "inicio.md", *names) == ("PROG1", "", "", ["2026"], day)
    assert said(corpus, "bucles/for.md", *names) == ("PROG1", "Bucles", "basico", ["2026"], day)
    assert said(corpus, "bucles/avanzado/anidados.md", *names) == ("PROG1", "Bucles", "avanzado", ["extra"], day)


def test_the_command_line_outweighs_the_folders(sync: Sync, corpus: Corpus) -> None:
    sync(unit="Todas", difficulty="intermedio")
    assert said(corpus, "bucles/for.md", "unit", "difficulty") == ("Todas", "intermedio")


def test_the_folder_s_name_is_the_unit_only_when_asked_and_when_nothing_else_says_so(
    sync: Sync, corpus: Corpus
) -> None:
    sync()
    assert said(corpus, "inicio.md", "unit") == ("",)
    sync(unit_from_folder=True)
    assert said(corpus, "inicio.md", "unit") == ("curso",)
    assert said(corpus, "bucles/avanzado/anidados.md", "unit") == ("Bucles",)


def test_a_folder_that_says_something_new_describes_its_files_without_taking_them_in_again(
    sync: Sync, corpus: Corpus, course: Path, worker: Callable[[], int], hints: list[str]
) -> None:
    sync()
    worker()
    hints.clear()
    say(course / "bucles", 'unit = "Iteración"\n')
    outcome = sync()
    assert (outcome.documents, outcome.unchanged, outcome.described) == ([], 3, 2)
    assert said(corpus, "bucles/for.md", "unit", "version") == ("Iteración", 1)
    assert set(hints) == {"short"}
    assert sync().described == 0


def test_what_a_folder_does_not_say_may_be_edited(sync: Sync, corpus: Corpus) -> None:
    sync()
    Document.objects.filter(source_path="inicio.md").update(topic="Presentación", course="OTRO")
    assert sync().described == 1
    assert said(corpus, "inicio.md", "topic", "course") == ("Presentación", "PROG1")


@pytest.mark.parametrize(
    ("toml", "reason"),
    [
        ("unit = ", "nvalid"),
        ('owner = "x"', "unknown: owner"),
        ('title = "Todos"', "unknown: title"),
        ('content_type = "blog"', "content_type"),
        ("unit = [1, 2]", "unit"),
        ('tags = [["a"]]', "tags"),
        ("tags = " + json.dumps([str(n) for n in range(30)]), "tags"),
        ("# " + "x" * MAX_BYTES, "KB"),
    ],
)
def test_a_file_that_cannot_be_understood_is_noted_and_says_nothing(
    sync: Sync, corpus: Corpus, course: Path, toml: str, reason: str
) -> None:
    say(course / "bucles", toml)
    outcome = sync()
    assert list(outcome.refused) == ["bucles/acervo.toml"]
    assert reason in outcome.refused["bucles/acervo.toml"]
    assert said(corpus, "bucles/for.md", "course", "unit") == ("PROG1", "")


def test_bytes_that_are_no_text_are_noted(sync: Sync, course: Path) -> None:
    (course / "acervo.toml").write_bytes(b"\xff\xfe\x00")
    assert list(sync().refused) == ["acervo.toml"]


def test_a_link_to_a_file_elsewhere_says_nothing(course: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text('unit = "secret"', encoding="utf-8")
    (course / "bucles" / "acervo.toml").unlink()
    (course / "bucles" / "acervo.toml").symlink_to(tmp_path / "secret.toml")
    assert "unit" not in FolderMetadata(course, {}).of(course / "bucles" / "for.md")


def test_each_file_is_read_once(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    folder = FolderMetadata(course, {})
    monkeypatch.setattr("workers.folders.metadata.fields_of", lambda path: read.append(path) or {})
    for path in course.rglob("*.md"):
        folder.of(path)
    assert len(read) == 3


def test_facts_of_a_list_have_keys_sources_and_what_the_folder_says(
    sync: Sync, corpus: Corpus, course: Path, worker: Callable[[], int]
) -> None:
    facts = [
        {"text": "Cierra en mayo.", "key": "cierre", "source": "Tablón"},
        {"text": "Abre en junio.", "tags": ["x"]},
    ]
    path = course / "bucles" / "datos.json"
    path.write_text(json.dumps(facts), encoding="utf-8")
    assert len(sync().documents) == 5
    kept = corpus.documents.filter(content_type="hecho").order_by("title")
    assert list(kept.values_list("title", "fact_key", "source_reference", "unit", "course", "tags")) == [
        ("Abre en junio.", "Abre en junio.", "", "Bucles", "PROG1", ["x"]),
        ("Cierra en mayo.", "cierre", "Tablón", "Bucles", "PROG1", []),
    ]
    worker()
    facts[0] |= {"text": "Cierra en agosto.", "source": "Carta"}
    path.write_text(json.dumps(facts), encoding="utf-8")
    outcome = sync(delete=True)
    assert (len(outcome.documents), outcome.unchanged, outcome.removed) == (1, 4, 0)
    again = corpus.documents.get(fact_key="cierre")
    assert (again.title, again.source_reference, again.version) == ("Cierra en agosto.", "Carta", 1)


def test_one_wrong_entry_refuses_its_list_and_says_which(sync: Sync, corpus: Corpus, course: Path) -> None:
    (course / "datos.json").write_text(
        json.dumps([{"text": "Bien."}, {"text": "x", "key": "y" * 201}]), encoding="utf-8"
    )
    outcome = sync()
    assert outcome.refused["datos.json"].startswith("entry 2: key")
    assert not corpus.documents.filter(content_type="hecho").exists()


def test_names_of_one_s_own_stand_in_a_table_and_on_the_command_line(sync: Sync, corpus: Corpus, course: Path) -> None:
    say(course, '[meta]\nauthor = "Ana"\nedition = 3\n')
    sync()
    assert {one.filename: one.meta for one in Document.objects.all()}["inicio.md"] == {"author": "Ana", "edition": 3}
    sync(meta=meta_of(["edition=4", "reviewed=true"]))
    assert {one.filename: one.meta for one in Document.objects.all()}["for.md"] == {"edition": 4, "reviewed": True}
    with pytest.raises(CommandError, match="no pair"):
        meta_of(["no pair"])
