"""What lies in the trash takes part in no search; what comes back is found within seconds."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Agent
from chat.answering.questions import ChatQuestion
from chat.models import Citation, Message
from chat.stream.elsewhere import sources_of
from corpora import removal
from corpora.models import Corpus, Document
from corpora.uploads import intake
from retrieval.index.base import IndexUnavailable
from retrieval.spaces.opened import current_index
from tests import factories
from tests.asking import search_for
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_NOVEL, Library
from tests.people import signed_in
from workers.folders.sync import synchronize_folder
from workers.jobs import erase, presence
from workers.queue import claims
from workers.upkeep import reconcile

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "relojera"  # not in the question


@pytest.fixture
def notes(library: Library) -> Document:
    Agent.objects.update(min_relevance=0.0)
    return library.notes.documents.get()


def found(library: Library) -> set[Any]:
    return {one.document for one in search_for(library.alicia, "writer", ChatQuestion(ABOUT_NOVEL)).retrieval.chunks}


def test_a_document_in_the_trash_has_no_points_and_gets_them_back(library: Library, notes: Document) -> None:
    assert notes.pk in found(library)
    removal.remove_document(notes, library.alicia)
    assert notes.pk not in found(library), "before the index has followed"
    assert presence.follow_next() is True
    assert current_index().count(notes.pk) == 0, "it takes no candidate's place"
    assert presence.follow_next() is False
    removal.restore_document(notes, library.alicia)
    assert presence.follow_next() is True
    assert current_index().count(notes.pk) == notes.chunk_count
    assert notes.pk in found(library)


def test_restoring_pays_for_no_embedding(all_models: ModelServer, library: Library) -> None:
    document = library.notes.documents.get()
    removal.remove_document(document, library.alicia)
    presence.follow_next()
    paid = all_models.stats()["embed_items"]
    removal.restore_document(document, library.alicia)
    presence.follow_next()
    assert current_index().count(document.pk) == document.chunk_count
    assert all_models.stats()["embed_items"] == paid


def test_a_restored_corpus_is_searched_even_after_the_reconciler(library: Library, notes: Document) -> None:
    removal.remove_corpus(library.notes, library.alicia)
    assert notes.pk not in found(library)
    reconcile.reconcile()
    assert current_index().count(notes.pk) == 0
    removal.restore_corpus(Corpus.objects.get(pk=library.notes.pk), library.alicia)
    assert presence.follow_next() is True
    assert notes.pk in found(library)


def test_an_index_that_is_down_leaves_the_mark(
    library: Library, notes: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down() -> Any:
        raise IndexUnavailable

    removal.remove_document(notes, library.alicia)
    with monkeypatch.context() as patched:
        patched.setattr(presence, "every_index", down)
        assert presence.follow_next() is True
    assert presence.follow_next() is False, "not again at once"
    Document.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert presence.follow_next() is True
    assert current_index().count(notes.pk) == 0


def test_restored_while_its_points_are_removed_it_gets_them_back(
    library: Library, notes: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    removal.remove_document(notes, library.alicia)
    delete = type(current_index()).delete_document

    def restored_first(self: Any, document_id: Any, **kwargs: Any) -> None:
        delete(self, document_id, **kwargs)
        if Document.objects.filter(pk=notes.pk).exclude(deleted_at=None).exists():
            removal.restore_document(notes, library.alicia)

    monkeypatch.setattr(type(current_index()), "delete_document", restored_first)
    assert presence.follow_next() is True
    assert current_index().count(notes.pk) == notes.chunk_count


def test_what_is_being_erased_is_not_restored(library: Library, notes: Document) -> None:
    removal.remove_document(notes, library.alicia)
    Document.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    lease = claims.claim_erasure(notes.pk)
    assert lease is not None
    assert Document.objects.get(pk=notes.pk).kept_until is None, "also for a machine whose clock is behind"
    with pytest.raises(removal.NotFound):
        removal.restore_document(notes, library.alicia)
    erase.erase_held(lease)
    assert not Document.objects.filter(pk=notes.pk).exists()


def test_what_lies_in_the_trash_is_not_erased(library: Library, notes: Document) -> None:
    removal.remove_document(notes, library.alicia)
    presence.follow_next()
    assert erase.erase_next() is False
    assert erase.erase(notes.pk) is False
    Document.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    assert erase.erase_next() is True
    assert not Document.objects.filter(pk=notes.pk).exists()


def test_sources_of_a_document_in_the_trash_say_nothing(library: Library, notes: Document) -> None:
    answer = search_for(library.alicia, "writer", ChatQuestion(ABOUT_NOVEL))
    message = Message.objects.get(pk=answer.message)
    client = signed_in(library.alicia)
    places = [
        lambda: client.get(f"/api/conversations/{answer.conversation}/").content.decode(),
        lambda: client.get(f"/conversations/{answer.conversation}/").content.decode(),
        lambda: str([one.snippet + one.title for one in sources_of(message).sources]),
    ]
    assert all(SECRET in place() for place in places)
    removal.remove_document(notes, library.alicia)
    assert not any(SECRET in place() for place in places)
    assert Citation.objects.filter(snippet__contains=SECRET).exists(), "it is only hidden"
    removal.restore_document(notes, library.alicia)
    assert all(SECRET in place() for place in places)


def test_deleted_in_work_and_restored_it_is_indexed_anew(
    library: Library, notes: Document, worker: Callable[[], int]
) -> None:
    intake.reprocess(notes, library.alicia)
    lease = claims.claim_ingestion(notes.pk)
    assert lease is not None
    removal.remove_document(notes, library.alicia)
    assert presence.follow_next() is False, "its worker has not noticed yet"
    lease.let_go()
    assert presence.follow_next() is True
    removal.restore_document(notes, library.alicia)
    presence.follow_next()
    assert worker() == 1
    assert notes.pk in found(library)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# A\n\nA text about water.\n")
    (tmp_path / "b.md").write_text("# B\n\nA text about fire.\n")
    return tmp_path


def test_a_file_that_is_gone_goes_to_the_trash_and_comes_back_with_the_file(folder: Path) -> None:
    by = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=by)
    synchronize_folder(folder, corpus, by, delete=True)
    kept = (folder / "a.md").read_bytes()
    (folder / "a.md").unlink()
    assert synchronize_folder(folder, corpus, by, delete=True).removed == 1
    assert Document.objects.in_trash_of(by).count() == 1
    assert synchronize_folder(folder, corpus, by, delete=True).removed == 0
    (folder / "a.md").write_bytes(kept)
    synchronize_folder(folder, corpus, by, delete=True)
    assert Document.objects.alive().count() == Document.objects.count() == 2
    assert set(Document.objects.values_list("source_path", flat=True)) == {"a.md", "b.md"}


def test_what_a_person_deleted_the_folder_does_not_bring_back(folder: Path) -> None:
    by = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=by)
    synchronize_folder(folder, corpus, by)
    removal.remove_document(Document.objects.get(source_path="a.md"), by)
    for _ in range(2):
        assert synchronize_folder(folder, corpus, by).unchanged == 2
    assert Document.objects.alive().count() == 1
    (folder / "a.md").write_text("# A\n\nAnother text about water.\n")
    synchronize_folder(folder, corpus, by)
    assert Document.objects.alive().count() == 2, "a file with other content is another document"


def test_what_was_restored_after_its_file_had_gone_stays(folder: Path) -> None:
    by = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=by)
    synchronize_folder(folder, corpus, by)
    (folder / "a.md").unlink()
    synchronize_folder(folder, corpus, by, delete=True)
    removal.restore_document(Document.objects.in_trash_of(by).get(), by)
    assert synchronize_folder(folder, corpus, by, delete=True).removed == 0
    assert Document.objects.alive().count() == 2
