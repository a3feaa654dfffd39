"""A corpus kept in step with a folder: by `ingest`, and by the watched folder (SPEC §3)."""

import json
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Membership
from agents.assignments import assign_corpus
from agents.models import Agent
from corpora.models import Corpus, Document
from corpora.rows.reading_order import natural_key
from tests import factories
from workers import datasets
from workers.checks import the_watched_folder_s_agent_is_known
from workers.folders import courses, watched
from workers.folders import sync as folders
from workers.folders.metadata import FolderMetadata
from workers.folders.sync import Outcome
from workers.models import Claim

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin() -> Membership:
    return factories.MembershipFactory(role="admin")


@pytest.fixture
def corpus(admin: Membership) -> Corpus:
    return factories.CorpusFactory(shared_in=admin.organization)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "curso", {"01.md": "# Uno\n\nPrimera unidad.\n", "anexos/a.txt": "Un anexo breve.\n"})


@pytest.fixture
def sync(folder: Path, corpus: Corpus, admin: Membership) -> Callable[..., Outcome]:
    def synchronized(**options: Any) -> Outcome:
        return folders.synchronize_folder(folder, corpus, admin, **options)

    return synchronized


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def paths(corpus: Corpus) -> set[str]:
    return set(corpus.documents.alive().values_list("source_path", flat=True))


def counts(outcome: Outcome) -> tuple[int, int, int, int]:
    return len(outcome.documents), outcome.unchanged, outcome.removed, len(outcome.refused)


def test_a_folder_is_taken_in_recursively(sync: Callable[..., Outcome], corpus: Corpus, folder: Path) -> None:
    write(folder, {".hidden.md": "x", ".git/config.md": "x", "image.png": "x"})
    (folder / "link.md").symlink_to(folder / "01.md")
    assert counts(sync()) == (2, 0, 0, 0)
    assert paths(corpus) == {"01.md", "anexos/a.txt"}


def test_a_second_visit_takes_only_what_changed(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path, worker: Callable[[], int]
) -> None:
    sync()
    assert worker() == 2
    assert counts(sync()) == (0, 2, 0, 0)
    assert worker() == 0
    before = corpus.documents.get(source_path="01.md")
    write(folder, {"01.md": "# Uno\n\nLa unidad, corregida.\n"})
    assert counts(sync()) == (1, 1, 0, 0)
    assert worker() == 1
    after = corpus.documents.get(source_path="01.md")
    assert (after.pk, after.version) == (before.pk, before.version + 1)
    assert "corregida" in after.chunks.get().text


def test_what_is_gone_is_deleted_last_and_only_if_asked(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path
) -> None:
    sync()
    (folder / "01.md").unlink()
    write(folder, {"02.md": "# Dos\n\nSegunda unidad.\n"})
    assert counts(sync()) == (1, 1, 0, 0)
    assert "01.md" in paths(corpus)
    alive: list[set[str]] = []
    assert counts(sync(delete=True, on_file=lambda path: alive.append(paths(corpus)))) == (0, 2, 1, 0)
    assert all("01.md" in seen for seen in alive)
    assert paths(corpus) == {"02.md", "anexos/a.txt"}


def test_documents_from_elsewhere_are_not_deleted(
    sync: Callable[..., Outcome], corpus: Corpus, admin: Membership
) -> None:
    uploaded = factories.DocumentFactory(corpus=corpus)
    sync(delete=True)
    assert corpus.documents.alive().filter(pk=uploaded.pk).exists()


def test_a_moved_file_takes_its_document_along(sync: Callable[..., Outcome], corpus: Corpus, folder: Path) -> None:
    sync()
    before = corpus.documents.get(source_path="01.md")
    (folder / "unidades").mkdir()
    (folder / "01.md").rename(folder / "unidades" / "01.md")
    outcome = sync(delete=True)
    assert (outcome.documents, outcome.removed) == ([], 0)
    assert corpus.documents.alive().get(source_path="unidades/01.md").pk == before.pk


def test_the_same_file_twice_is_one_document_and_no_failure(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path
) -> None:
    write(folder, {"copia/01.md": "# Uno\n\nPrimera unidad.\n"})
    assert counts(sync()) == (2, 1, 0, 0)
    assert counts(sync(delete=True)) == (0, 3, 0, 0)


def test_a_file_that_becomes_a_copy_of_another_leaves_its_document(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path
) -> None:
    write(folder, {"copia/01.md": "# Otra cosa\n"})
    sync()
    write(folder, {"copia/01.md": "# Uno\n\nPrimera unidad.\n"})
    assert sync().removed == 1
    assert paths(corpus) == {"01.md", "anexos/a.txt"}
    assert sync().refused == {}


def test_a_refused_file_stops_nothing(sync: Callable[..., Outcome], corpus: Corpus, folder: Path) -> None:
    write(folder, {"00.pdf": "no PDF at all", "empty.txt": ""})
    outcome = sync()
    assert set(outcome.refused) == {"00.pdf", "empty.txt"}
    assert all(outcome.refused.values())
    assert paths(corpus) == {"01.md", "anexos/a.txt"}


def test_metadata_is_given_to_every_file(sync: Callable[..., Outcome], corpus: Corpus) -> None:
    sync(unit="3", course="PY-1", tags=["python"])
    for document in corpus.documents.all():
        assert (document.unit, document.course, document.tags) == ("3", "PY-1", ["python"])


FACTS = [{"text": "El horario es de 9 a 20.", "title": "Horario", "tags": ["sedes"]}, {"text": "Cierra en agosto."}]


def test_facts_of_a_json_list_are_documents_of_their_own(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path, worker: Callable[[], int]
) -> None:
    write(folder, {"facts.json": json.dumps(FACTS)})
    assert counts(sync()) == (4, 0, 0, 0)
    assert worker() == 4
    fact = corpus.documents.get(title="Horario")
    assert (fact.content_type, fact.tags, fact.chunk_count) == ("hecho", ["sedes"], 1)


def test_unchanged_facts_are_left_alone(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path, worker: Callable[[], int]
) -> None:
    write(folder, {"facts.json": json.dumps(FACTS)})
    sync()
    worker()
    assert counts(sync(delete=True)) == (0, 4, 0, 0)
    assert worker() == 0
    changed = [{**FACTS[0], "text": "El horario es de 10 a 20."}, FACTS[1]]
    write(folder, {"facts.json": json.dumps(changed)})
    assert counts(sync()) == (1, 3, 0, 0)
    assert worker() == 1
    assert "10 a 20" in corpus.documents.get(title="Horario").chunks.get().text


def test_facts_that_are_gone_are_deleted(sync: Callable[..., Outcome], corpus: Corpus, folder: Path) -> None:
    write(folder, {"facts.json": json.dumps(FACTS)})
    sync()
    write(folder, {"facts.json": json.dumps(FACTS[:1])})
    assert sync(delete=True).removed == 1
    (folder / "facts.json").unlink()
    assert sync(delete=True).removed == 1
    assert paths(corpus) == {"01.md", "anexos/a.txt"}


@pytest.mark.parametrize("content", ["{", "{}", "[1]", '[{"title": "x"}]', '[{"text": "  "}]'])
def test_json_that_is_no_list_of_facts_is_refused_and_its_facts_stay(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path, content: str
) -> None:
    write(folder, {"facts.json": json.dumps(FACTS)})
    sync()
    write(folder, {"facts.json": content})
    outcome = sync(delete=True)
    assert set(outcome.refused) == {"facts.json"}
    assert corpus.documents.alive().count() == 4


# The watched folder


@pytest.fixture
def ingest_dir(tmp_path: Path, settings: Any) -> Path:
    root = tmp_path / "subjects"
    write(root, {"Redes/01.md": "# IP\n\nDirecciones.\n", "Python/01.md": "# Listas\n\nCorchetes.\n", "suelto.md": "x"})
    settings.INGEST_DIR, settings.INGEST_ORGANIZATION = str(root), ""
    return root


def shared_names(admin: Membership) -> set[str]:
    return set(Corpus.objects.of_organization(admin).shared().values_list("name", flat=True))


def test_each_subfolder_is_a_global_corpus(admin: Membership, ingest_dir: Path, worker: Callable[[], int]) -> None:
    (ingest_dir / ".trash").mkdir()
    assert watched.synchronize_all() == 2
    assert shared_names(admin) == {"Redes", "Python"}
    assert worker() == 2
    assert watched.synchronize_all() == 2
    assert worker() == 0
    assert Corpus.objects.count() == 2


def test_a_new_subject_is_a_new_folder_and_what_is_gone_goes(admin: Membership, ingest_dir: Path) -> None:
    watched.synchronize_all()
    write(ingest_dir, {"Historia/01.md": "# Roma\n\nLa república.\n"})
    (ingest_dir / "Redes" / "01.md").unlink()
    watched.synchronize_all()
    assert shared_names(admin) == {"Redes", "Python", "Historia"}
    assert Document.objects.alive().filter(corpus__name="Redes").count() == 0


def test_one_broken_folder_does_not_keep_the_others(
    admin: Membership, ingest_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    synchronize = folders.synchronize_folder

    def broken_for_python(source: Path, *args: Any, **options: Any) -> Outcome:
        if source.name == "Python":
            raise PermissionError(source)
        return synchronize(source, *args, **options)

    monkeypatch.setattr(folders, "synchronize_folder", broken_for_python)
    assert watched.synchronize_all() == 2
    assert Document.objects.filter(corpus__name="Redes").count() == 1
    assert "could not be synchronised" in caplog.text


def refusals(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The files that one more sweep names."""
    caplog.clear()
    watched.synchronize_all()
    return [str(one.args[1]) for one in caplog.records if one.args and "is refused" in one.msg]


def test_a_refused_file_is_named_once_for_each_version(
    admin: Membership, ingest_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(ingest_dir, {"Redes/roto.pdf": "no PDF at all", "Python/vacío.txt": ""})
    assert refusals(caplog) == ["vacío.txt", "roto.pdf"]
    said = caplog.text
    assert "'roto.pdf' of its folder is refused: The file is named PDF but does not contain a PDF." in said
    assert refusals(caplog) == []
    write(ingest_dir, {"Redes/roto.pdf": "still no PDF"})
    assert refusals(caplog) == ["roto.pdf"]
    (ingest_dir / "Redes" / "roto.pdf").unlink()
    assert refusals(caplog) == []
    assert Claim.objects.filter(name__startswith="refused:").count() == 1
    shutil.rmtree(ingest_dir / "Python")
    assert refusals(caplog) == []
    assert not Claim.objects.filter(name__startswith="refused:").exists()


def test_two_corpora_of_one_name_confuse_nobody(admin: Membership, ingest_dir: Path) -> None:
    for _ in range(2):
        factories.CorpusFactory(shared_in=admin.organization, name="Redes")
    assert watched.synchronize_all() == 2


def test_with_several_organizations_one_must_be_named(
    admin: Membership, ingest_dir: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    factories.MembershipFactory(role="admin")
    with caplog.at_level(logging.ERROR):
        assert watched.synchronize_all() == 0
    assert "INGEST_ORGANIZATION" in caplog.text
    settings.INGEST_ORGANIZATION = admin.organization.slug
    assert watched.synchronize_all() == 2


@pytest.mark.parametrize(
    ("slug", "has_admin", "words"),
    [
        ("nope", True, "INGEST_ORGANIZATION is 'nope', and there is no organization of this slug"),
        ("casa", False, "'casa', which INGEST_ORGANIZATION names, has no active admin"),
        ("", False, "no organization has an admin. Make one: manage.py organization"),
    ],
)
@pytest.mark.django_db
def test_why_nobody_takes_a_folder_in_is_said(
    slug: str, has_admin: bool, words: str, tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    factories.MembershipFactory(organization__slug="casa", role="admin" if has_admin else "member")
    settings.INGEST_DIR, settings.INGEST_ORGANIZATION = str(tmp_path), slug
    with caplog.at_level(logging.ERROR):
        assert watched.synchronize_all() == 0
    assert words in caplog.text


@pytest.mark.parametrize("address", ["", "/nowhere/at/all"])
def test_without_a_folder_there_is_nothing_to_watch(admin: Membership, settings: Any, address: str) -> None:
    settings.INGEST_DIR = address
    assert watched.synchronize_all() == 0


# Visits that overlap, and files that need not be read (B12)


def aged(folder: Path) -> None:
    """As if every file had been written a minute ago."""
    for path in folder.rglob("*"):
        if path.is_file():
            then = path.stat().st_mtime_ns - 60 * 10**9
            os.utime(path, ns=(then, then))


def test_a_slow_visit_deletes_nothing_that_another_one_has_moved(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path, admin: Membership
) -> None:
    sync(delete=True)
    moved = corpus.documents.get(source_path="anexos/a.txt")
    slow = folders.Visit(folder, corpus, admin, FolderMetadata(folder, {}, unit_from_folder=False))
    (folder / "anexos" / "a.txt").rename(folder / "a.txt")
    sync(delete=True)
    slow.seen.add("01.md")  # it had listed the folder before the file was moved
    slow.remove_gone()
    assert Document.objects.alive().filter(pk=moved.pk, source_path="a.txt").exists()


def test_a_file_that_came_back_is_not_deleted(
    sync: Callable[..., Outcome], corpus: Corpus, folder: Path, admin: Membership
) -> None:
    sync()
    visit = folders.Visit(folder, corpus, admin, FolderMetadata(folder, {}, unit_from_folder=False))
    visit.seen.add("01.md")
    visit.remove_gone()
    assert paths(corpus) == {"01.md", "anexos/a.txt"}
    (folder / "anexos" / "a.txt").unlink()
    visit.remove_gone()
    assert paths(corpus) == {"01.md"}


def test_a_folder_is_visited_by_one_at_a_time(
    tmp_path: Path, admin: Membership, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.INGEST_DIR = str(tmp_path)
    write(tmp_path / "Biología", {"01.md": "# Uno\n\nPrimera unidad.\n"})
    visit, within = watched.synchronize_subfolder, []

    def overlapping(*args: Any) -> None:
        within.append(watched.synchronize_all())
        visit(*args)

    monkeypatch.setattr(watched, "synchronize_subfolder", overlapping)
    assert watched.synchronize_all() == 1
    assert within == [0]
    assert Corpus.objects.filter(name="Biología").count() == 1


def test_an_unchanged_file_is_not_read_again(
    sync: Callable[..., Outcome], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aged(folder)
    sync()
    monkeypatch.setattr(folders.hashlib, "file_digest", None)
    assert counts(sync()) == (0, 2, 0, 0)


def test_a_file_that_was_written_this_moment_is_read_again(sync: Callable[..., Outcome], folder: Path) -> None:
    """It might have changed within the same tick of the clock, and at the same length."""
    sync()
    stat = (folder / "01.md").stat()
    write(folder, {"01.md": "# Dos\n\nPrimera unidad.\n"})
    os.utime(folder / "01.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert counts(sync()) == (1, 1, 0, 0)


def test_a_changed_file_is_read_whatever_its_length(sync: Callable[..., Outcome], folder: Path) -> None:
    aged(folder)
    sync()
    write(folder, {"01.md": "# Dos\n\nPrimera unidad.\n"})
    assert counts(sync()) == (1, 1, 0, 0)


def test_what_a_measurement_makes_does_not_stop_the_watched_folder(
    tmp_path: Path, admin: Membership, settings: Any
) -> None:
    settings.INGEST_DIR = str(tmp_path)
    with datasets.temporary_corpus("faros"):
        assert watched.admin_in_charge() == admin


# What a folder becomes, and what becomes of it


def names_in(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in folders.files_in(root)]


def test_files_are_taken_in_reading_order(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("U10.md", "U2.md", "u1.md", "anexos/b.md", "Anexos 2/a.md", "U2b.md"), "x"))
    assert names_in(tmp_path) == ["anexos/b.md", "Anexos 2/a.md", "u1.md", "U2.md", "U2b.md", "U10.md"]


def test_numbers_of_any_length_and_script_are_only_names(tmp_path: Path) -> None:
    for name in ("9" * 5_000, "²", "٣", "0", "", "a" * 300):
        natural_key(name)
    assert natural_key("7") < natural_key("10") < natural_key("9" * 5_000) < natural_key("a")


def test_a_corpus_from_a_folder_is_listed_in_its_order(admin: Membership, ingest_dir: Path, client: Client) -> None:
    write(ingest_dir, {f"Redes/U{number}.md": f"# U{number}\n\nTexto.\n" for number in (10, 2, 1)})
    watched.synchronize_all()
    corpus = Corpus.objects.get(name="Redes")
    client.force_login(admin.user)
    page = client.get(reverse("documents", args=[corpus.pk])).content.decode()
    places = [page.index(f"U{number}.md") for number in (1, 2, 10)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("folder", "title"),
    [
        ("redes-de_computadores", "Redes de computadores"), ("Redes", "Redes"), ("SQL", "SQL"), ("---", "---"),
        ("Mi curso-b", "Mi curso-b"), ("01-redes", "01 redes"),
    ],
)  # fmt: skip
def test_a_folder_has_a_title(folder: str, title: str) -> None:
    assert courses.title_of_folder(folder) == title


def test_two_folders_of_one_title_keep_their_names(admin: Membership, ingest_dir: Path) -> None:
    write(ingest_dir, {"redes-ip/a.md": "# A\n\nA.\n", "redes_ip/b.md": "# B\n\nB.\n"})
    watched.synchronize_all()
    watched.synchronize_all()
    assert {"redes-ip", "redes_ip"} <= shared_names(admin)
    assert Document.objects.alive().count() == 4


def test_a_new_folder_has_an_agent_that_answers_from_it(admin: Membership, ingest_dir: Path, settings: Any) -> None:
    write(ingest_dir, {"teoria-de-grafos/01.md": "# Grafos\n\nNodos y aristas.\n"})
    watched.synchronize_all()
    agent = Agent.objects.get(name="Teoria de grafos")
    assert (agent.slug, agent.grounding, agent.top_k) == ("teoria-de-grafos", "strict", 4)
    assert [one.corpus.name for one in agent.assignments.all()] == ["Teoria de grafos"]
    agent.delete()
    watched.synchronize_all()
    assert not Agent.objects.filter(name="Teoria de grafos").exists(), "an admin's deletion stands"


def test_a_corpus_that_somebody_answers_from_gets_no_other_agent(admin: Membership, ingest_dir: Path) -> None:
    known = factories.CorpusFactory(shared_in=admin.organization, name="Redes")
    assign_corpus(factories.AgentFactory(organization=admin.organization), known.pk, admin)
    watched.synchronize_all()
    assert not Agent.objects.filter(name="Redes").exists()
    assert Agent.objects.filter(name="Python").exists()


def test_no_agent_where_the_settings_say_none_and_an_unknown_one_is_an_error(
    admin: Membership, ingest_dir: Path, settings: Any
) -> None:
    settings.INGEST_AGENT = "none"
    watched.synchronize_all()
    assert not Agent.objects.exists()
    assert the_watched_folder_s_agent_is_known(None) == []
    settings.INGEST_AGENT = "tutro"
    assert [one.id for one in the_watched_folder_s_agent_is_known(None)] == ["acervo.E010"]


def test_a_folder_that_is_gone_takes_its_corpus_along_and_brings_it_back(admin: Membership, ingest_dir: Path) -> None:
    watched.synchronize_all()
    corpus = Corpus.objects.get(name="Redes")
    (ingest_dir / "Redes").rename(ingest_dir.parent / "away")
    watched.synchronize_all()
    assert shared_names(admin) == {"Python"}
    assert Corpus.objects.in_trash_of(admin).filter(pk=corpus.pk).exists()
    (ingest_dir.parent / "away").rename(ingest_dir / "Redes")
    watched.synchronize_all()
    assert Corpus.objects.get(name="Redes", deleted_at=None).pk == corpus.pk
    assert corpus.documents.alive().count() == 1
    assert Agent.objects.filter(name="Redes").count() == 1


def test_a_folder_that_is_missing_or_empty_as_a_whole_removes_nothing(
    admin: Membership, ingest_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watched.synchronize_all()
    ingest_dir.rename(ingest_dir.parent / "unmounted")
    assert watched.synchronize_all() == 0
    ingest_dir.mkdir()
    assert watched.synchronize_all() == 0
    write(ingest_dir, {"suelto.md": "x"})
    assert watched.synchronize_all() == 0
    assert shared_names(admin) == {"Redes", "Python"}
    assert "nothing removed" in caplog.text


def test_another_watched_folder_removes_nothing_of_the_former(
    admin: Membership, ingest_dir: Path, tmp_path: Path, settings: Any
) -> None:
    watched.synchronize_all()
    settings.INGEST_DIR = str(write(tmp_path / "others", {"Historia/01.md": "# Roma\n\nRoma.\n"}))
    watched.synchronize_all()
    assert shared_names(admin) == {"Redes", "Python", "Historia"}


def test_a_corpus_that_came_from_no_watched_folder_is_never_removed(
    sync: Callable[..., Outcome], corpus: Corpus, admin: Membership, ingest_dir: Path
) -> None:
    sync()
    watched.synchronize_all()
    assert corpus.documents.alive().count() == 2
    assert corpus.name in shared_names(admin)


def test_what_else_is_in_the_corpus_stays_when_the_folder_goes(admin: Membership, ingest_dir: Path) -> None:
    watched.synchronize_all()
    corpus = Corpus.objects.get(name="Redes")
    uploaded = factories.DocumentFactory(corpus=corpus)
    (ingest_dir / "Redes" / "01.md").unlink()
    (ingest_dir / "Redes").rmdir()
    watched.synchronize_all()
    assert [one.pk for one in corpus.documents.alive()] == [uploaded.pk]
