"""An edit of metadata reaches the index, whatever is lost or overtaken on the way."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from corpora.descriptions import describe
from corpora.models import Document
from retrieval.index.base import IndexUnavailable
from retrieval.results import RetrievalPolicy
from retrieval.search import retrieve
from tests.library import ABOUT_LOANS, Library
from workers.jobs import metadata
from workers.queue import claims
from workers.queue.turns import Kind

pytestmark = pytest.mark.django_db(transaction=True)


def found(library: Library, unit: str) -> bool:
    policy = RetrievalPolicy(requirements={"unit": [unit]})
    return bool(retrieve(ABOUT_LOANS, library.writer.scope_for(library.alicia), policy).chunks)


def is_flagged() -> bool:
    return Document.objects.exclude(metadata_changed_at=None).exists()


def test_an_edit_whose_message_was_lost_is_found_by_the_next_look(library: Library) -> None:
    """The hints of tests go nowhere: that is the lost message."""
    describe(library.loans.documents.get(), library.admin, unit="Nueva")
    assert not found(library, "Nueva")
    assert metadata.copy_next()
    assert found(library, "Nueva")
    assert not metadata.copy_next()


def test_an_index_that_is_down_leaves_the_flag(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def down() -> Any:
        raise IndexUnavailable

    describe(library.loans.documents.get(), library.admin, unit="Nueva")
    with monkeypatch.context() as patched:
        patched.setattr(metadata, "every_index", down)
        assert metadata.copy_next()
    assert is_flagged()
    assert not metadata.copy_next(), "not again at once"
    Document.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert metadata.copy_next()
    assert found(library, "Nueva")


def test_an_edit_during_the_copy_is_copied_too(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    document, every_index = library.loans.documents.get(), metadata.every_index
    describe(document, library.admin, unit="1")
    edits = iter(["2"])

    def edited() -> Any:
        for unit in edits:
            describe(document, library.admin, unit=unit)
        return every_index()

    monkeypatch.setattr(metadata, "every_index", edited)
    assert metadata.copy_next()
    assert (found(library, "2"), found(library, "1"), is_flagged()) == (True, False, False)


def test_one_that_was_overtaken_has_its_late_copy_repaired(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker reads, stands still beyond its lease, and writes after another has written a later edit."""
    document, every_index = library.loans.documents.get(), metadata.every_index
    describe(document, library.admin, unit="1")
    late = claims.claim_next(Kind.METADATA)
    assert late is not None

    def overtaken() -> Any:
        monkeypatch.setattr(metadata, "every_index", every_index)
        Document.objects.filter(pk=document.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
        describe(document, library.admin, unit="2")
        assert metadata.copy_next()
        return every_index()

    monkeypatch.setattr(metadata, "every_index", overtaken)
    metadata.copy_metadata(late)
    assert is_flagged()
    assert metadata.copy_next()
    assert (found(library, "2"), found(library, "1")) == (True, False)


def test_a_document_in_work_is_left_to_its_worker_first(library: Library) -> None:
    document = library.loans.documents.get()
    Document.objects.filter(pk=document.pk).requeue()
    lease = claims.claim_ingestion(document.pk)
    assert lease is not None
    describe(document, library.admin, unit="Nueva")
    assert not metadata.copy_next()
    lease.retry_later("service_unavailable", counts=False)
    assert metadata.copy_next()
