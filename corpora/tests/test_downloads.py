"""Names that clients give and originals that they get back (RELIABILITY R12, R16)."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from corpora.models import Corpus, Document
from corpora.tests import documents
from corpora.tests.sending import TEXT, kept_files, problem, send
from corpora.uploads import intake
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People, with_key

pytestmark = pytest.mark.django_db

PDF = documents.pdf([["hola"]])
DOCX = documents.docx(lambda document: document.add_paragraph("hola"))


@pytest.fixture
def corpus(people: People) -> Corpus:
    return CorpusFactory(personal_of=people.alice)


@pytest.fixture
def alice(people: People) -> Client:
    return with_key(people.alice)


# Names

HOSTILE_NAMES = [
    "../../../../etc/passwd.txt",
    "..\\..\\windows\\system.txt",
    "/etc/cron.d/water.txt",
    "C:\\water.txt",
    "water\x00.exe.txt",
    "water\r\nSet-Cookie: a=b.txt",
    'wa"ter; filename="x.exe".txt',
    "\u202etxt.exe\u202c.txt",
    "wa\u200bter\ufeff.txt",
    "<img src=x onerror=alert(1)>.txt",
    "{{ 7 * 7 }}.txt",
    "agua 💧 ñandú.txt",
    "e\u0301.txt",
    "ع.txt",
    "w" * 300 + ".txt",
    "ñ" * 200 + ".txt",
    "-rf.txt",
    "CON.txt",
    ".txt.txt",
]


def multipart(name: str, content: bytes = TEXT) -> bytes:
    """A body with the name exactly as a hostile client writes it."""
    quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n'
    return head.encode("utf-8", "surrogatepass") + content + b"\r\n--x--\r\n"


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_a_hostile_name_is_metadata_and_never_a_path(name: str, alice: Client, corpus: Corpus, settings: Any) -> None:
    answer = alice.generic(
        "POST", f"/api/corpora/{corpus.pk}/documents/", multipart(name), content_type="multipart/form-data; boundary=x"
    )
    if answer.status_code != 202:
        assert problem(answer)[0] in (400, 415)
        return
    body = answer.json()
    assert [str(path.relative_to(settings.DATA_DIR / "files")) for path in kept_files(settings)] == [
        f"{corpus.pk}/{body['id']}/original.txt"
    ]
    assert not set(body["filename"]) & set("/\\\x00\r\n\u202e\u200b\ufeff")
    assert len(body["filename"].encode()) <= 255
    check_download(alice.get(f"/api/documents/{body['id']}/content/"), body["filename"])


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_a_hostile_name_given_by_a_service_is_made_harmless(name: str, corpus: Corpus, people: People) -> None:
    upload = SimpleUploadedFile("x.txt", TEXT)
    upload._name = name
    try:
        document = intake.accept_upload(corpus, upload, people.alice)
    except intake.UploadRefused:  # a name of which nothing is left has no extension either
        return
    assert not set(document.filename) & set("/\\\x00\r\n\u202e\u200b\ufeff")
    assert document.file.name == f"{corpus.pk}/{document.pk}/original.txt"


# Downloads


def check_download(answer: Any, filename: str) -> None:
    assert answer.status_code == 200
    disposition = answer.headers["Content-Disposition"]
    assert disposition.startswith("attachment;")
    assert not set("\r\n") & set("".join(f"{name}: {value}" for name, value in answer.headers.items()))
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert (
        "sandbox" in answer.headers.get("Content-Security-Policy", "sandbox")
        or "default-src 'self'" in (answer.headers["Content-Security-Policy"])
    )
    assert b"".join(answer) == TEXT


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [("a.pdf", PDF, documents.PDF), ("a.docx", DOCX, documents.DOCX), ("a.md", b"# <script>", documents.MARKDOWN)],
)
def test_the_original_comes_back_as_an_attachment_of_its_fixed_type(
    name: str, content: bytes, media_type: str, alice: Client, corpus: Corpus
) -> None:
    document = send(alice, corpus, content, name).json()["id"]
    answer = alice.get(f"/api/documents/{document}/content/")
    assert answer.headers["Content-Type"].partition(";")[0] == media_type
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert (answer.headers["X-Content-Type-Options"], answer.headers["Cache-Control"]) == ("nosniff", "no-store")
    assert b"".join(answer) == content


def test_an_original_that_is_missing_in_the_store_is_not_found(alice: Client, corpus: Corpus) -> None:
    document = Document.objects.get(pk=send(alice, corpus).json()["id"])
    document.file.storage.delete(document.file.name)
    assert problem(alice.get(f"/api/documents/{document.pk}/content/")) == (404, "not_found")


def test_a_deleted_document_is_not_given_back(alice: Client, corpus: Corpus, people: People) -> None:
    document = DocumentFactory(corpus=corpus, deleted_at=timezone.now())
    assert alice.get(f"/api/documents/{document.pk}/content/").status_code == 404
