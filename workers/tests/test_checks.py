"""What the checks say of documents that an earlier version has read."""

import pytest
from django.core.management import call_command

from corpora.models import Document, DocumentName, Section
from tests.factories import DocumentFactory
from workers.checks import documents_have_their_structure

pytestmark = pytest.mark.django_db


def test_documents_of_an_earlier_version_are_counted_with_what_to_do() -> None:
    document = DocumentFactory.create()
    [warning] = documents_have_their_structure(None, databases=["default"])
    assert warning.msg.startswith("1 documents")
    assert "reindex" in str(warning.hint)
    assert documents_have_their_structure(None) == []
    DocumentName.objects.create(document=document, key=document.pk)
    assert documents_have_their_structure(None, databases=["default"]) == []


def test_what_waits_or_has_sections_is_not_counted() -> None:
    DocumentFactory.create(status=Document.Status.PENDING)
    document = DocumentFactory.create()
    Section.objects.create(document=document, version=1, index=0, level=1, title="Uno", start=0, end=3)
    assert documents_have_their_structure(None, databases=["default"]) == []


def test_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    DocumentFactory.create()
    call_command("check", tags=["database"], databases=["default"])
    assert "acervo.W011" in capsys.readouterr().err
