"""The admin of knowledge: uploads, metadata, reprocessing and removal of global corpora's documents."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import translation
from reportlab.pdfgen.canvas import Canvas

from accounts.models import AuditEvent, Membership, Organization, User
from corpora import signals
from corpora.admin.knowledge import DocumentAdmin
from corpora.advice import failure_advice
from corpora.models import Corpus, Document

pytestmark = pytest.mark.django_db
TEXT = b"A loan lasts twenty-one days and may be renewed twice.\n"


@pytest.fixture(autouse=True)
def heard(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[UUID]]:
    """What the workers would hear; they themselves do not listen here."""
    told: dict[str, list[UUID]] = {}
    for name in ("document_ready", "document_removed", "corpus_removed", "metadata_changed"):
        signal: Any = getattr(signals, name)
        monkeypatch.setattr(signal, "receivers", [])
        signal.sender_receivers_cache.clear()

        def listen(name: str = name, **kwargs: Any) -> None:
            told.setdefault(name, []).append(kwargs.get("document_id", kwargs.get("corpus_id")))

        signal.connect(listen, weak=False)
    return told


@pytest.fixture
def alice() -> Membership:
    organization = Organization.objects.create(name="Library", slug="library")
    user = User.objects.create_user("alice@example.org")
    return Membership.objects.create(user=user, organization=organization, role="admin")


@pytest.fixture
def client(alice: Membership) -> Client:
    client = Client()
    client.force_login(alice.user)
    return client


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("operator@example.org"))
    return client


@pytest.fixture
def corpus(alice: Membership) -> Corpus:
    return Corpus.objects.create(organization=alice.organization, corpus_type="global", name="Rules")


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return Document.objects.create(
        corpus=corpus, filename="loans.txt", media_type="text/plain", size=10, sha256="0" * 64,
        status="indexed", progress=1.0, version=1, chunk_count=1,
    )  # fmt: skip


def corpus_fields(*files: SimpleUploadedFile, **fields: Any) -> dict[str, Any]:
    return {"name": "Rules", "description": "", "is_active": "on", "new_documents": list(files), **fields}


def document_fields(**fields: Any) -> dict[str, Any]:
    names = ("title", "summary", "content_type", "unit", "topic", "difficulty", "language", "course", "tags")
    return {**dict.fromkeys(names, ""), **fields}


def change(client: Client, row: Any, fields: dict[str, Any]) -> Any:
    return client.post(reverse(f"admin:corpora_{row._meta.model_name}_change", args=[row.pk]), fields)


def told(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def pdf_of(folder: Path) -> SimpleUploadedFile:
    path = folder / "loans.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 720, "A loan lasts twenty-one days.")
    canvas.save()
    return SimpleUploadedFile("loans.pdf", path.read_bytes())


def test_a_corpus_made_by_an_admin_is_global_and_of_the_own_organization(client: Client, alice: Membership) -> None:
    elsewhere = Organization.objects.create(name="Elsewhere", slug="elsewhere")
    client.post(
        reverse("admin:corpora_corpus_add"),
        corpus_fields(organization=str(elsewhere.pk), corpus_type="personal", owner=str(alice.user_id)),
    )
    corpus = Corpus.objects.get()
    assert (corpus.organization, corpus.corpus_type, corpus.owner) == (alice.organization, "global", None)
    assert AuditEvent.objects.get(action="created").object_id == str(corpus.pk)


def test_an_operator_chooses_the_organization_of_a_new_corpus_once(operator: Client, alice: Membership) -> None:
    path = reverse("admin:corpora_corpus_add")
    assert operator.post(path, corpus_fields()).status_code == 200
    operator.post(path, corpus_fields(organization=str(alice.organization_id)))
    corpus = Corpus.objects.get()
    assert corpus.organization == alice.organization
    elsewhere = Organization.objects.create(name="Elsewhere", slug="elsewhere")
    change(operator, corpus, corpus_fields(organization=str(elsewhere.pk)))
    corpus.refresh_from_db()
    assert corpus.organization == alice.organization


@pytest.mark.django_db(transaction=True)
def test_several_files_are_taken_in_and_each_problem_names_its_file(
    client: Client, corpus: Corpus, heard: dict[str, list[UUID]], tmp_path: Path
) -> None:
    files = (
        pdf_of(tmp_path),
        SimpleUploadedFile("notes.md", b"# Loans\n\n" + TEXT),
        SimpleUploadedFile("fake.pdf", TEXT),
        SimpleUploadedFile("virus.exe", b"MZ"),
        SimpleUploadedFile("notes.md", b"# Loans\n\n" + TEXT),
    )
    response = change(client, corpus, corpus_fields(*files))
    assert set(corpus.documents.values_list("filename", flat=True)) == {"loans.pdf", "notes.md"}
    assert sorted(heard["document_ready"]) == sorted(corpus.documents.values_list("pk", flat=True))
    problems = [message for message in told(response) if message.split(":")[0] in {"fake.pdf", "virus.exe", "notes.md"}]
    assert [message.split(":")[0] for message in problems] == ["fake.pdf", "virus.exe", "notes.md"]
    assert all(document.uploaded_by and document.status == "pending" for document in corpus.documents.all())


@pytest.mark.django_db(transaction=True)
def test_documents_come_with_a_new_corpus(client: Client) -> None:
    client.post(reverse("admin:corpora_corpus_add"), corpus_fields(SimpleUploadedFile("loans.txt", TEXT)))
    assert Corpus.objects.get().documents.get().filename == "loans.txt"


@pytest.mark.django_db(transaction=True)
def test_nothing_is_taken_in_when_the_form_is_refused(client: Client, corpus: Corpus) -> None:
    change(client, corpus, corpus_fields(SimpleUploadedFile("loans.txt", TEXT), name=""))
    assert not corpus.documents.exists()


def test_deactivating_a_corpus_is_audited(client: Client, corpus: Corpus) -> None:
    fields = corpus_fields()
    del fields["is_active"]
    change(client, corpus, fields)
    client.post(
        reverse("admin:corpora_corpus_changelist"),
        {"action": "activate", "_selected_action": [str(corpus.pk)]},
    )
    corpus.refresh_from_db()
    assert corpus.is_active
    flags = AuditEvent.objects.order_by("created_at").values_list("changes__is_active", flat=True)
    assert list(flags) == [False, True]


def test_a_corpus_is_removed_and_not_merely_its_row(
    client: Client, document: Document, heard: dict[str, list[UUID]], django_capture_on_commit_callbacks: Any
) -> None:
    corpus = document.corpus
    path = reverse("admin:corpora_corpus_delete", args=[corpus.pk])
    assert 1 in dict(client.get(path).context["model_count"]).values()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(path, {"post": "yes"})
    corpus.refresh_from_db()
    assert corpus.deleted_at
    assert heard["corpus_removed"] == [corpus.pk]
    assert client.get(reverse("admin:corpora_corpus_change", args=[corpus.pk])).status_code == 404


@pytest.mark.parametrize("together", [False, True])
def test_documents_are_removed_by_their_service(
    client: Client, document: Document, together: bool, heard: dict[str, list[UUID]],
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    path = reverse("admin:corpora_document_delete", args=[document.pk])
    data: dict[str, Any] = {"post": "yes"}
    if together:
        path = reverse("admin:corpora_document_changelist")
        data |= {"action": "delete_selected", "_selected_action": [str(document.pk)]}
    with django_capture_on_commit_callbacks(execute=True):
        client.post(path, data)
    document.refresh_from_db()
    assert document.deleted_at
    assert heard["document_removed"] == [document.pk]
    assert AuditEvent.objects.get(action="deleted").object_id == str(document.pk)


def test_changed_metadata_is_told_to_the_workers(
    client: Client, document: Document, heard: dict[str, list[UUID]], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        change(client, document, document_fields(unit="2", tags="loans, renewals,loans", content_type="faq"))
    document.refresh_from_db()
    assert (document.unit, document.tags, document.content_type) == ("2", ["loans", "renewals"], "faq")
    assert heard["metadata_changed"] == [document.pk]
    event = AuditEvent.objects.get()
    assert event.changes == {"content_type": "faq", "fields": ["content_type", "tags", "unit"]}


def test_a_title_is_a_name_and_tells_the_workers(
    client: Client, document: Document, heard: dict[str, list[UUID]], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        change(client, document, document_fields(title="Loans"))
    document.refresh_from_db()
    assert document.title == "Loans"
    assert heard["metadata_changed"] == [document.pk]


def test_saving_a_description_leaves_the_workers_columns_alone(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker writes progress between the page's read and its write."""
    original = DocumentAdmin.save_model

    def worker_was_faster(self: Any, request: Any, obj: Any, form: Any, change: bool) -> None:
        Document.objects.filter(pk=obj.pk).update(status="processing", progress=0.5)
        original(self, request, obj, form, change)

    monkeypatch.setattr(DocumentAdmin, "save_model", worker_was_faster)
    change(client, document, document_fields(title="Loans"))
    document.refresh_from_db()
    assert (document.title, document.status, document.progress) == ("Loans", "processing", 0.5)


def test_facts_of_the_file_are_read_only(client: Client, document: Document) -> None:
    change(client, document, document_fields(title="Loans", filename="x", status="failed", size="1", version="9"))
    document.refresh_from_db()
    assert (document.filename, document.status, document.size, document.version) == (
        "loans.txt", "indexed", 10, 1,
    )  # fmt: skip


def test_too_many_tags_are_refused(client: Client, document: Document) -> None:
    response = change(client, document, document_fields(tags=",".join(map(str, range(21)))))
    assert "tags" in response.context["adminform"].form.errors


def test_a_document_is_processed_again(
    client: Client, document: Document, heard: dict[str, list[UUID]], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        client.post(
            reverse("admin:corpora_document_changelist"),
            {"action": "reprocess", "_selected_action": [str(document.pk)]},
        )
    document.refresh_from_db()
    assert document.status == "pending"
    assert heard["document_ready"] == [document.pk]
    assert AuditEvent.objects.get().action == "reprocessed"


def test_documents_are_filtered_by_status_corpus_and_content_type(client: Client, document: Document) -> None:
    path = reverse("admin:corpora_document_changelist")
    for query in (f"corpus__id__exact={document.corpus_id}", "status__exact=indexed", "q=loans"):
        assert document in client.get(f"{path}?{query}").context["cl"].queryset
    for query in ("status__exact=failed", "content_type__exact=faq", "q=nothing"):
        assert document not in client.get(f"{path}?{query}").context["cl"].queryset


def test_filters_do_not_name_corpora_that_the_admin_may_not_see(client: Client, document: Document) -> None:
    elsewhere = Organization.objects.create(name="Elsewhere", slug="elsewhere")
    for name in ("Foreign one", "Foreign two"):
        foreign = Corpus.objects.create(organization=elsewhere, corpus_type="global", name=name)
        Document.objects.create(
            corpus=foreign, filename=name, media_type="text/plain", size=1, sha256=name, status="failed"
        )
    page = client.get(reverse("admin:corpora_document_changelist")).content
    assert b"Foreign" not in page


def test_the_page_of_a_document_links_to_the_reader(client: Client, document: Document) -> None:
    page = client.get(reverse("admin:corpora_document_change", args=[document.pk])).content.decode()
    assert f"/documents/{document.pk}/" in page


def test_failed_documents_are_counted_in_the_list_of_corpora(client: Client, document: Document) -> None:
    Document.objects.create(
        corpus=document.corpus, filename="x.txt", media_type="text/plain", size=1, sha256="1", status="failed"
    )
    corpus = client.get(reverse("admin:corpora_corpus_changelist")).context["cl"].queryset.get()
    assert (corpus.documents_alive, corpus.documents_failed, corpus.chunks_alive) == (2, 1, 1)


@pytest.mark.parametrize("language", ["en", "es"])
def test_why_a_document_failed_is_said_in_the_readers_language(
    language: str, client: Client, document: Document
) -> None:
    Document.objects.update(status="failed", error_code="encrypted_document")
    with translation.override(language):
        said = failure_advice("encrypted_document")
    for page in ("changelist", "change"):
        address = reverse(f"admin:corpora_document_{page}", args=[document.pk] if page == "change" else [])
        shown = client.get(address, headers={"Accept-Language": language}).content.decode()
        assert said in shown
        assert "for nobody" not in shown
