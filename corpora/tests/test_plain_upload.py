"""Uploading by a plain form, and the one sentence of what can be uploaded."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.translation import override

from corpora.admin.forms import CorpusAdminForm
from corpora.models import Corpus, Document
from tests.cast import Cast, browser, make_cast
from tests.factories import CorpusFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def corpus(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice)


def send(cast: Cast, corpus: Corpus, *names: str, who: str = "alice", **said: str) -> Any:
    files = [SimpleUploadedFile(name, f"Text of {name}.".encode()) for name in names]
    return browser(getattr(cast, who)).post(
        f"/corpora/{corpus.pk}/documents/upload/", {"file": files, **said}, follow=True
    )


def test_files_are_taken_in_with_their_details_and_one_that_is_refused_is_named(cast: Cast, corpus: Corpus) -> None:
    page = send(cast, corpus, "a.md", "picture.exe", "b.txt", unit="2", tags="x, y").content.decode()
    assert "2 files are uploaded." in page
    assert "picture.exe: " in page
    assert set(Document.objects.values_list("filename", "unit", "status")) == {
        ("a.md", "2", "pending"), ("b.txt", "2", "pending")
    }  # fmt: skip
    assert Document.objects.filter(tags=["x", "y"], uploaded_by=cast.alice.user).count() == 2


def test_without_files_or_with_wrong_details_nothing_is_taken(cast: Cast, corpus: Corpus) -> None:
    assert "Choose files first." in send(cast, corpus).content.decode()
    assert "Language: " in send(cast, corpus, "a.md", language="Spanish").content.decode()
    assert not Document.objects.exists()


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_nobody_else_uploads_into_a_personal_corpus(cast: Cast, corpus: Corpus, who: str) -> None:
    assert send(cast, corpus, "a.md", who=who).status_code == 404
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "PDF, DOCX, TXT or Markdown, up to 10 MB each."), ("es", "de hasta 10 MB cada uno.")],
)
def test_the_limit_is_one_sentence_in_the_app_and_in_the_admin(
    cast: Cast, corpus: Corpus, language: str, sentence: str
) -> None:
    assert sentence in browser(cast.alice, language).get(f"/corpora/{corpus.pk}/").content.decode()
    with override(language):
        assert sentence in str(CorpusAdminForm().fields["new_documents"].help_text)
