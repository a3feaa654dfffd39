"""The trash: unread at once, its owner's alone, restored as it was (issue "Walls", "Deleting")."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import Membership
from accounts.problems import QuotaExceeded
from corpora import removal
from corpora.models import Corpus, Document
from corpora.rows import trash
from corpora.uploads import facts, intake
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory, DocumentFactory
from tests.limits import limit
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(people: People) -> Membership:
    return people.alice


@pytest.fixture
def corpus(alice: Membership) -> Corpus:
    return CorpusFactory(personal_of=alice, name="Notes")


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return DocumentFactory(corpus=corpus, title="A page")


def names(membership: Membership) -> list[str]:
    return [entry.name for entry in trash.trash_of(membership)]


def test_what_is_deleted_is_read_by_nobody_and_lies_in_its_owners_trash(document: Document, people: People) -> None:
    removal.remove_document(document, people.alice)
    assert not Document.objects.readable_by(people.alice).exists()
    assert names(people.alice) == ["A page"]
    for other in (people.bob, people.ada, people.charlie, people.zoe, people.alice_elsewhere):
        assert names(other) == []
    for path in ("", "content/", "chunks/"):
        assert signed_in(people.alice).get(f"/api/documents/{document.pk}/{path}").status_code == 404
    assert signed_in(people.alice).get(f"/documents/{document.pk}/").status_code == 404


def test_what_is_global_lies_in_the_admins_trash_alone(people: People) -> None:
    shared = DocumentFactory(corpus=CorpusFactory(shared_in=people.ada.organization), title="Rules")
    removal.remove_document(shared, people.ada)
    assert names(people.ada) == ["Rules"]
    for other in (people.alice, people.bob, people.zoe):
        assert names(other) == []


def test_a_corpus_is_one_entry_with_all_that_it_held(corpus: Corpus, document: Document, alice: Membership) -> None:
    DocumentFactory(corpus=corpus, size=1000)
    removal.remove_corpus(corpus, alice)
    (entry,) = trash.trash_of(alice)
    assert (entry.kind, entry.name, entry.documents) == ("corpus", "Notes", 2)
    assert entry.size == 1000 + document.size
    removal.restore_corpus(Corpus.objects.get(), alice)
    assert names(alice) == []
    assert Document.objects.readable_by(alice).count() == 2


def test_what_was_deleted_before_its_corpus_stays_deleted_and_waits_for_it(
    corpus: Corpus, document: Document, alice: Membership
) -> None:
    kept = DocumentFactory(corpus=corpus)
    removal.remove_document(document, alice)
    removal.remove_corpus(corpus, alice)
    first, second = trash.trash_of(alice)
    assert (first.kind, first.documents, second.name, second.waits_for_corpus) == ("corpus", 1, "A page", True)
    with pytest.raises(removal.CorpusInTrash):
        removal.restore_document(document, alice)
    removal.restore_corpus(Corpus.objects.get(), alice)
    assert list(Document.objects.readable_by(alice)) == [kept]
    removal.restore_document(document, alice)
    assert Document.objects.readable_by(alice).count() == 2


def test_a_corpus_comes_back_switched_off_or_on_as_it_was(corpus: Corpus, alice: Membership) -> None:
    for active in (True, False):
        Corpus.objects.update(is_active=active)
        removal.remove_corpus(corpus, alice)
        removal.restore_corpus(Corpus.objects.get(), alice)
        assert Corpus.objects.get().is_active is active


def test_an_assignment_that_is_no_longer_allowed_comes_back_without_effect(corpus: Corpus, alice: Membership) -> None:
    agent = AgentFactory(organization=alice.organization, allows_personal_corpus=True)
    AssignmentFactory(agent=agent, corpus=corpus)
    assert agent.scope_for(alice).personal_ids == {corpus.pk}
    removal.remove_corpus(corpus, alice)
    assert agent.scope_for(alice).is_empty
    agent.allows_personal_corpus = False
    agent.save()
    removal.restore_corpus(Corpus.objects.get(), alice)
    assert agent.scope_for(alice).is_empty
    agent.allows_personal_corpus = True
    agent.save()
    assert agent.scope_for(alice).personal_ids == {corpus.pk}


def test_a_document_whose_place_is_taken_is_not_restored(corpus: Corpus, alice: Membership) -> None:
    first = facts.upsert_fact(corpus, alice, "Water boils at 100 degrees.", title="boiling")
    removal.remove_document(first, alice)
    facts.upsert_fact(corpus, alice, "Water boils at 99 degrees.", title="boiling")
    with pytest.raises(removal.PlaceTaken):
        removal.restore_document(first, alice)
    assert Document.objects.alive().count() == 1


def test_a_fact_that_is_stated_once_more_comes_out_of_the_trash(corpus: Corpus, alice: Membership) -> None:
    first = facts.upsert_fact(corpus, alice, "Water boils.", title="boiling", tags=["old"])
    removal.remove_document(first, alice)
    again = facts.upsert_fact(corpus, alice, "Water boils.", title="boiling", tags=["new"])
    assert (again.pk, again.tags, again.deleted_at) == (first.pk, ["new"], None)


def test_the_same_file_is_offered_to_be_restored(corpus: Corpus, people: People) -> None:
    client = signed_in(people.alice)

    def send() -> Any:
        file = SimpleUploadedFile("a.txt", b"Water boils at 100 degrees.")
        return client.post(f"/api/corpora/{corpus.pk}/documents/", {"file": file})

    document = send().json()["id"]
    assert client.delete(f"/api/documents/{document}/").status_code == 204
    refused = send()
    assert (refused.status_code, refused.json()["code"]) == (409, "document_in_trash")
    assert refused.json()["document"] == document
    assert client.post(f"/api/trash/{document}/restore/").status_code == 204
    assert send().json()["code"] == "duplicate_document"
    assert client.delete(f"/api/documents/{document}/?erase=now").status_code == 204
    assert send().status_code == 202, "what is being erased is in nobody's way"


def test_what_lies_in_the_trash_counts_and_what_is_erased_does_not(
    corpus: Corpus, alice: Membership, settings: Any
) -> None:
    limit(settings, documents=1)
    document = intake.accept_upload(corpus, SimpleUploadedFile("a.txt", b"Water boils."), alice)
    removal.remove_document(document, alice)
    with pytest.raises(QuotaExceeded, match=r"papelera|trash"):
        intake.accept_upload(corpus, SimpleUploadedFile("b.txt", b"Water freezes."), alice)
    removal.erase_document(document, alice)
    intake.accept_upload(corpus, SimpleUploadedFile("b.txt", b"Water freezes."), alice)


def test_a_corpus_in_the_trash_takes_up_room_until_it_is_erased(alice: Membership, settings: Any) -> None:
    limit(settings, corpora=2)
    client = signed_in(alice)

    def make() -> Any:
        return client.post("/api/corpora/", {"name": "Another", "corpus_type": "personal"})

    first, second = (Corpus.objects.get(pk=make().json()["id"]) for _ in range(2))
    for one in (first, second):
        removal.remove_corpus(one, alice)
    refused = make()
    assert (refused.status_code, refused.json()["limit"]) == (429, "corpora")
    assert "papelera" in refused.json()["detail"], "it says what helps"
    removal.restore_corpus(first, alice)
    assert make().status_code == 429, "restoring neither takes nor makes room"
    removal.erase_corpus(second, alice)
    assert make().status_code == 201


def test_what_its_days_are_over_for_takes_up_no_room(corpus: Corpus, alice: Membership, settings: Any) -> None:
    limit(settings, corpora=1)
    removal.remove_corpus(corpus, alice)
    Corpus.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    assert signed_in(alice).post("/api/corpora/", {"name": "Another", "corpus_type": "personal"}).status_code == 201


def test_after_its_days_nothing_brings_it_back(document: Document, alice: Membership) -> None:
    removal.remove_document(document, alice)
    kept = Document.objects.get().kept_until
    assert kept is not None
    assert kept - timezone.now() > timedelta(days=29, hours=23)
    assert not Document.objects.erasable().exists()
    Document.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    assert names(alice) == []
    assert Document.objects.erasable().exists()
    with pytest.raises(removal.NotFound):
        removal.restore_document(document, alice)


def test_without_a_trash_what_is_deleted_is_erased_at_once(
    document: Document, alice: Membership, settings: Any
) -> None:
    settings.TRASH_DAYS = 0
    removal.remove_document(document, alice)
    assert Document.objects.erasable().get() == document
    assert names(alice) == []


@pytest.mark.parametrize(
    ("days", "says", "says_not"), [(30, "restored from", "cannot"), (0, "cannot be undone", "restored")]
)
def test_the_question_before_says_whether_there_is_a_way_back(
    days: int, says: str, says_not: str, document: Document, alice: Membership, settings: Any
) -> None:
    settings.TRASH_DAYS = days
    page = signed_in(alice).get(f"/corpora/{document.corpus_id}/", headers={"Accept-Language": "en"}).content.decode()
    asked = re.findall(r'data-text="([^"]*)"', page)
    assert len(asked) == (1 if days else 2), "the corpus; its document only where nothing brings it back"
    assert all(says in one and says_not not in one for one in asked)


def test_a_document_that_waited_waits_again(corpus: Corpus, alice: Membership) -> None:
    waiting = DocumentFactory(corpus=corpus, status="pending")
    Document.objects.filter(pk=waiting.pk).update(status="processing", attempts=2)
    removal.remove_document(waiting, alice)
    removal.restore_document(waiting, alice)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.attempts, waiting.lease_holder) == ("pending", 0, None)


def test_the_list_goes_on_where_it_stopped(corpus: Corpus, people: People) -> None:
    for n in range(5):
        removal.remove_document(DocumentFactory(corpus=corpus, title=f"Page {n}"), people.alice)
    removal.remove_corpus(CorpusFactory(personal_of=people.alice, name="Other"), people.alice)
    client, found, path = signed_in(people.alice), [], "/api/trash/?page_size=2"
    while path:
        page = client.get(path).json()
        found += [entry["name"] for entry in page["results"]]
        path = page["next"]
    assert found == ["Other", "Page 4", "Page 3", "Page 2", "Page 1", "Page 0"]
    assert client.get("/api/trash/?cursor=nonsense").status_code == 404


def test_the_trash_page_restores_erases_and_empties(corpus: Corpus, people: People) -> None:
    client = signed_in(people.alice)
    first, second, third = (DocumentFactory(corpus=corpus, title=f"Page {n}") for n in range(3))
    for one in (first, second, third):
        client.post(f"/documents/{one.pk}/delete/")
    page = client.get("/trash/").content.decode()
    assert all(f"Page {n}" in page for n in range(3))
    client.post(f"/trash/{first.pk}/restore/")
    assert Document.objects.alive().get() == first
    client.post(f"/trash/{second.pk}/erase/")
    assert Document.objects.erasable().get() == second
    client.post("/trash/empty/")
    assert names(people.alice) == []
    assert Document.objects.erasable().count() == 2


@pytest.mark.parametrize("how", ["api", "page"])
def test_a_document_and_its_corpus_are_both_emptied(
    corpus: Corpus, document: Document, alice: Membership, how: str
) -> None:
    """The corpus takes with it what had been deleted before it."""
    DocumentFactory(corpus=corpus)
    removal.remove_document(document, alice)
    removal.remove_corpus(corpus, alice)
    removal.remove_document(DocumentFactory(corpus=CorpusFactory(personal_of=alice)), alice)
    client = signed_in(alice)
    for _ in range(2):  # the second time there is nothing left to do
        if how == "api":
            assert client.delete("/api/trash/").status_code == 204
        else:
            assert client.post("/trash/empty/").status_code == 302
    assert names(alice) == []
    assert Document.objects.erasable().count() == 3
    assert Corpus.objects.erasable().get() == corpus


def test_emptying_goes_on_when_somebody_else_empties_too(
    corpus: Corpus, alice: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have read the list before either erases."""
    for n in range(3):
        removal.remove_document(DocumentFactory(corpus=corpus, title=f"Page {n}"), alice)
    real, lists = trash.trash_of, []

    def read_by_both(membership: Membership) -> list[trash.TrashEntry]:
        lists.append(real(membership))
        if len(lists) == 1:
            trash.erase_now(lists[0][1].row, alice)
        return lists[-1]

    monkeypatch.setattr(trash, "trash_of", read_by_both)
    assert trash.empty_trash(alice) == 2
    assert Document.objects.erasable().count() == 3


def test_an_admin_restores_in_the_administration(people: People) -> None:
    shared = DocumentFactory(corpus=CorpusFactory(shared_in=people.ada.organization), title="Rules")
    removal.remove_document(shared, people.ada)
    page, path = signed_in(people.ada), "/admin/corpora/erasurereceipt/trash/"
    assert "Rules" in page.get(path).content.decode()
    assert "Rules" not in signed_in(people.zoe).get(path).content.decode()
    assert signed_in(people.bob).get(path).status_code == 404
    chosen = {"id": str(shared.pk), "action": "restore"}
    assert signed_in(people.zoe).post(path, chosen).status_code == 404
    page.post(path, chosen)
    assert Document.objects.alive().get() == shared
    removal.remove_document(shared, people.ada)
    page.post(path, chosen | {"action": "erase"})
    assert Document.objects.erasable().get() == shared


def test_pages_ask_before_they_erase(document: Document, people: People) -> None:
    removal.remove_document(document, people.alice)
    page = signed_in(people.alice).get("/trash/").content.decode()
    assert f'data-confirm="/trash/{document.pk}/erase/"' in page
    assert 'data-confirm="/trash/empty/"' in page
    assert Client().get("/trash/").status_code == 302
