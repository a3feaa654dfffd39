"""Commands: what they do, how they end, and messages that say what to do (API.md, "Commands")."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError
from django.conf import settings as django_settings
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command

from accounts import keys
from accounts.models import ApiKey, Membership
from corpora import removal
from corpora.models import Corpus, Document, ErasureReceipt
from corpora.uploads import inventory
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.spaces import opened
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import Library
from tests.migrated import copy_migrated
from workers import inline
from workers.queue import claims
from workers.upkeep import reconcile as reconciler

pytestmark = pytest.mark.django_db(transaction=True)


def run(command: str, *arguments: str, **options: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(command, *arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def admin() -> Membership:
    return factories.MembershipFactory(role="admin", organization__slug="casa")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    folder = tmp_path / "curso"
    folder.mkdir()
    for n in (1, 2):
        (folder / f"{n}.md").write_text(f"# Unidad {n}\n\nTexto de la unidad {n}.\n")
    return folder


@pytest.fixture
def index_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a server runs on the same data folder."""

    def locked() -> Any:
        raise IndexLocked("in use")

    monkeypatch.setattr(opened, "current_index", locked)


# ingest


def test_ingest_takes_a_folder_into_a_global_corpus_and_indexes_it(admin: Membership, course: Path) -> None:
    out, err = run(
        "ingest", str(course), organization="casa", corpus="Curso", unit="1", tags=["a", "b"], content_type="teoria"
    )
    assert out.startswith("2 taken in, 0 unchanged")
    assert err == "", "no progress bar where there is no terminal"
    corpus = Corpus.objects.get(name="Curso")
    assert (corpus.corpus_type, corpus.owner) == ("global", None)
    for document in corpus.documents.all():
        assert (document.status, document.unit, document.tags) == ("indexed", "1", ["a", "b"])
        assert document.uploaded_by == admin.user
    out, _ = run(
        "ingest", str(course), organization="casa", corpus="Curso", unit="1", tags=["a", "b"], content_type="teoria"
    )
    assert out.startswith("0 taken in, 2 unchanged")
    assert Corpus.objects.count() == 1


def test_ingest_takes_a_single_file(admin: Membership, course: Path) -> None:
    out, _ = run("ingest", str(course / "1.md"), organization="casa", corpus="Curso")
    assert out.startswith("1 taken in")


def test_ingest_with_sync_deletes_what_is_gone(admin: Membership, course: Path) -> None:
    run("ingest", str(course), organization="casa", corpus="Curso")
    (course / "2.md").unlink()
    out, _ = run("ingest", str(course), organization="casa", corpus="Curso", sync=True)
    assert "1 unchanged, 1 removed" in out
    assert Document.objects.alive().get().source_path == "1.md"


def test_ingest_does_not_sync_a_corpus_to_a_single_file(admin: Membership, course: Path) -> None:
    run("ingest", str(course), organization="casa", corpus="Curso")
    with pytest.raises(CommandError, match="folder") as refused:
        run("ingest", str(course / "1.md"), organization="casa", corpus="Curso", sync=True)
    assert refused.value.returncode == 2
    assert Document.objects.alive().count() == 2


def test_ingest_names_what_it_could_not_take(admin: Membership, course: Path) -> None:
    (course / "3.pdf").write_bytes(b"%PDF-1.7\nnothing of a document\n%%EOF")
    (course / "4.txt").write_bytes(b"")
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="2 files were not taken in"):
        call_command("ingest", str(course), organization="casa", corpus="Curso", stdout=out, stderr=err)
    assert "3.pdf: " in err.getvalue()
    assert "(corrupt_document)" in err.getvalue()
    assert "4.txt: " in err.getvalue()
    assert out.getvalue().startswith("2 taken in, 0 unchanged, 0 removed, 2 failed")
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="2 files were not taken in"):
        call_command("ingest", str(course), organization="casa", corpus="Curso", stdout=out, stderr=err)
    assert "(corrupt_document)" in err.getvalue(), "a nightly run does not turn green by itself"
    assert out.getvalue().startswith("0 taken in, 2 unchanged, 0 removed, 2 failed")


def test_ingest_says_which_organizations_there_are(admin: Membership, course: Path) -> None:
    with pytest.raises(CommandError, match="casa"):
        run("ingest", str(course), organization="nobody", corpus="Curso")
    factories.OrganizationFactory(slug="empty")
    with pytest.raises(CommandError, match="no active admin"):
        run("ingest", str(course), organization="empty", corpus="Curso")
    with pytest.raises(CommandError, match="does not exist"):
        run("ingest", str(course / "nothing"), organization="casa", corpus="Curso")


def test_ingest_beside_a_running_server_leaves_the_work_to_it(
    admin: Membership, course: Path, index_in_use: None
) -> None:
    out, _ = run("ingest", str(course), organization="casa", corpus="Curso")
    assert out.startswith("2 taken in")
    assert set(Document.objects.values_list("status", flat=True)) == {"pending"}


def test_ingest_waits_for_the_server_when_asked(
    admin: Membership, course: Path, index_in_use: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    polls: list[float] = []

    def someone_works(seconds: float) -> None:
        polls.append(seconds)
        one = Document.objects.filter(status="pending").first()
        if one:
            Document.objects.filter(pk=one.pk).update(status="failed", error_code="x")

    monkeypatch.setattr(inline.time, "sleep", someone_works)
    with pytest.raises(CommandError, match="2 files"):
        run("ingest", str(course), organization="casa", corpus="Curso", wait=True)
    assert len(polls) == 2


def test_ingest_tries_again_while_a_service_is_down_and_says_so_in_the_end(
    admin: Membership, course: Path, all_models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.embeddings.documents.RETRIES", 0)
    monkeypatch.setattr(claims, "RETRY_AFTER", claims.RETRY_AFTER * 0)
    opened.current_index()
    all_models.script(path="embeddings", status=503, times=1)
    out, _ = run("ingest", str(course), organization="casa", corpus="Curso")
    assert out.startswith("2 taken in")
    (course / "1.md").write_text("# Unidad 1\n\nOtro texto.\n")
    all_models.script(path="embeddings", status=503)
    with pytest.raises(CommandError, match="1 files"):
        run("ingest", str(course), organization="casa", corpus="Curso")
    assert Document.objects.filter(status="pending").count() == 1, "the workers will go on with it"


# The others


def test_apikey_prints_a_key_once(admin: Membership) -> None:
    out, _ = run("apikey", admin.user.email)
    secret = next(word for word in out.split() if word.startswith("acv_"))
    assert keys.membership_of_key(secret) == admin
    assert secret not in str(list(ApiKey.objects.values()))
    with pytest.raises(CommandError):
        run("apikey", "nobody@example.org")
    factories.MembershipFactory(user=admin.user)
    with pytest.raises(CommandError, match="organization"):
        run("apikey", admin.user.email)
    out, _ = run("apikey", admin.user.email, organization="casa")
    assert "acv_" in out


def test_reindex_makes_new_versions_of_what_it_is_asked_for(library: Library) -> None:
    failed = factories.DocumentFactory(corpus=library.notes, status="failed", error_code="internal_error", attempts=3)
    out, _ = run("reindex", corpus=str(library.notes.pk))
    assert "2 documents" in out
    assert dict(Document.objects.values_list("filename", "version"))["prestamos.md"] == 1
    assert set(library.notes.documents.values_list("status", flat=True)) == {"indexed"}
    assert Document.objects.get(pk=failed.pk).version == 1
    out, _ = run("reindex", organization=library.alicia.organization.slug)
    assert "3 documents" in out
    for nothing in ({"organization": "nobody"}, {"corpus": str(uuid4())}):
        with pytest.raises(CommandError, match="There is no"):
            run("reindex", **nothing)


def test_reindex_leaves_alone_what_has_no_original_and_says_how_many(library: Library) -> None:
    """A restore that left the files out: everything is served from what was read before, and must stay so."""
    lost = library.notes.documents.get()
    lost.file.storage.delete(lost.file.name)
    before = set(Document.objects.values_list("status", "version"))
    with pytest.raises(CommandError, match=rf"1 of 2 documents have no original .*original_missing.*{lost.pk}"):
        run("reindex")
    assert set(Document.objects.values_list("status", "version")) == before
    out, err = run("reindex", skip_missing=True)
    assert ("1 documents indexed again, 0 not." in out, "1 of 2 documents" in err) == (True, True)
    assert dict(Document.objects.values_list("pk", "version"))[lost.pk] == 1
    assert Document.objects.get(pk=lost.pk).status == "indexed"


def test_reconcile_tells_of_files_without_documents_and_documents_without_files(library: Library) -> None:
    lost, kept = library.notes.documents.get(), library.loans.documents.get()
    lost.file.storage.delete(lost.file.name)
    kept.file.storage.save(f"{kept.corpus_id}/{uuid4()}/original.md", ContentFile(b"nobody's"))
    opened.current_index().delete_document(lost.pk)
    out, _ = run("reconcile")
    assert "0 documents queued again" in out, "what cannot be read again is not taken out of service"
    assert "1 documents have no original in the file store, 1 files there belong to no document." in out


def test_reconcile_that_cannot_read_the_files_does_the_rest_and_fails(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: Any) -> Any:
        raise ClientError({"Error": {"Code": "NoSuchBucket"}}, "ListObjectsV2")

    monkeypatch.setattr(inventory, "unnamed_files", gone)
    out = StringIO()
    with pytest.raises(CommandError, match=r"files could not be compared \(.*NoSuchBucket\).* AWS_STORAGE_BUCKET_NAME"):
        call_command("reconcile", stdout=out)
    assert out.getvalue().startswith("2 points looked at")


def test_reconcile_without_its_index_says_so(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> Any:
        raise IndexUnavailable("Qdrant at http://127.0.0.1:9, space: Connection refused")

    monkeypatch.setattr(reconciler, "current_index", away)
    with pytest.raises(CommandError, match=r"^Qdrant at http://127\.0\.0\.1:9, .* QDRANT_URL"):
        run("reconcile")


def test_reconcile_tells_what_it_found(library: Library) -> None:
    document = library.notes.documents.get()
    opened.current_index().delete_points([document.chunks.get().pk])
    out, _ = run("reconcile")
    assert "1 points looked at, 0 orphans removed, 1 documents queued again" in out


def test_erase_finishes_deletions_and_prints_their_receipts(library: Library) -> None:
    document = library.notes.documents.get()
    removal.remove_document(document, library.alicia, at_once=True)
    out, _ = run("erase")
    assert f"{document.pk}: " in out
    assert "1 documents erased, 0 still held" in out
    assert ErasureReceipt.objects.count() == 1


@pytest.mark.parametrize("command", [["reconcile"], ["erase"], ["evaluate", "x"]])
def test_what_needs_the_index_says_who_has_it(command: list[str], index_in_use: None) -> None:
    with pytest.raises(CommandError, match="running server"):
        run(*command)


# As processes: exit codes


@pytest.mark.xdist_group("commands")  # one worker makes their installation
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["ingest"], 2, "required"),
        (["ingest", "/tmp", "--organization", "x", "--corpus", "y", "--difficulty", "huge"], 2, "difficulty"),
        (["ingest", "/nowhere", "--organization", "x", "--corpus", "y"], 1, "does not exist"),
        (["apikey", "nobody@example.org"], 1, "nobody@example.org"),
        (["ask", "writer", "¿Qué?", "--user", "nobody@example.org"], 1, "nobody@example.org"),
        (["evaluate"], 2, "required"),
        (["evaluate", "/nowhere"], 1, "not a question set"),
        (["serve", "--port", "many"], 2, "port"),
        (["reconcile"], 0, "0 points looked at"),
        (["erase"], 0, "0 documents erased"),
        (["reindex", "--corpus", str(uuid4())], 1, "There is no corpus"),
        (["reindex", "--corpus", "nonsense"], 2, "invalid UUID"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_exit_codes(empty_installation: dict[str, str], arguments: list[str], code: int, says: str) -> None:
    command = [sys.executable, str(django_settings.BASE_DIR / "manage.py"), *arguments]
    done = subprocess.run(command, env=empty_installation, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def empty_installation(folder_in_memory: Path) -> dict[str, str]:
    elsewhere = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "QDRANT_URL", "PGVECTOR_URL", "DATABASE_URL", "CELERY_BROKER_URL")
    inherited = {name: value for name, value in os.environ.items() if name not in elsewhere}
    environment = {**inherited, "DATA_DIR": mkdtemp(dir=folder_in_memory), "LANGUAGE_CODE": "en"}
    copy_migrated(Path(environment["DATA_DIR"]) / "acervo.sqlite3")
    command = [sys.executable, str(django_settings.BASE_DIR / "manage.py"), "migrate", "--verbosity", "0"]
    subprocess.run(command, env=environment, check=True, timeout=120)
    return environment
