"""Documents go to another corpus, from the page of theirs, and back."""

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.dateparse import parse_datetime
from django.utils.timezone import now
from django.utils.translation import override

from accounts.admin.auditing.sentences import sentence
from accounts.limits import stock
from accounts.models import AuditEvent, Membership
from corpora import removal
from corpora.models import Corpus, Document
from corpora.rows import moving
from corpora.uploads import intake, inventory, originals
from tests.cast import Cast, browser, make_cast
from tests.factories import CorpusFactory, DocumentFactory
from tests.limits import limit, stop_the_clock, used
from tests.people import with_key

HTMX = {"HX-Request": "true"}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def here(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice, name="Here")


@pytest.fixture
def there(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice, name="There")


@pytest.fixture
def three(here: Corpus) -> list[Document]:
    return [DocumentFactory(corpus=here, title=f"Unit {n}", text=f"Text {n}. " * 9, unit=str(n)) for n in (1, 2, 3)]


def move(client: Client, here: Corpus, there: Any, *documents: Document, script: bool = True) -> Any:
    body = {"action": "move", "to": str(getattr(there, "pk", there)), "document": [str(one.pk) for one in documents]}
    return client.post(f"/corpora/{here.pk}/documents/selected/", body, headers=HTMX if script else {})


def undo(client: Client, here: Corpus, page: str, script: bool = True) -> Any:
    moment = re.search(r'name="moved" value="([^"]*)"', page)
    assert moment is not None, "there is no way back"
    body = {"moved": moment[1]}
    return client.post(f"/corpora/{here.pk}/documents/back/", body, headers=HTMX if script else {})


def titles(corpus: Corpus) -> set[str]:
    return set(Document.objects.alive().filter(corpus=corpus).values_list("title", flat=True))


def counted(corpus: Corpus) -> tuple[int, int]:
    row: Any = Corpus.objects.with_counts().get(pk=corpus.pk)
    return row.document_count, row.chunk_count


def test_several_are_moved_and_all_come_back(cast: Cast, here: Corpus, there: Corpus, three: list[Document]) -> None:
    client, before = browser(cast.alice), counted(here)
    page = move(client, here, there, *three[:2]).content.decode()
    assert "2 documents are in “There” now." in page
    assert (titles(here), titles(there)) == ({"Unit 3"}, {"Unit 1", "Unit 2"})
    assert (counted(here)[0], counted(there)[0]) == (1, 2)
    assert sorted(there.metadata_values.filter(name="unit", documents=1).values_list("value", flat=True)) == ["1", "2"]
    assert "Unit 1" in client.get(f"/corpora/{there.pk}/").content.decode()
    back = undo(client, here, page).content.decode()
    assert "2 documents are back." in back
    assert (titles(here), titles(there)) == ({"Unit 1", "Unit 2", "Unit 3"}, set())
    assert (counted(here), counted(there)) == (before, (0, 0))


def test_without_a_script_the_next_page_has_the_way_back(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    client = browser(cast.alice)
    page = client.get(move(client, here, there, *three, script=False)["Location"]).content.decode()
    assert "3 documents are in “There” now." in page
    back = undo(client, here, page, script=False)
    assert "3 documents are back." in client.get(back["Location"]).content.decode()
    assert len(titles(here)) == 3


def test_the_index_is_told_and_the_log_says_who_moved_what(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document], hints: list[str],
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    with django_capture_on_commit_callbacks(execute=True):
        moving.move_documents(three[:1], there, cast.alice)
    row = Document.objects.get(pk=three[0].pk)
    assert (row.corpus, row.moved_from) == (there, here.pk)
    assert row.moved_at == row.presence_changed_at is not None
    there.refresh_from_db()
    assert there.sizes_wanted_at is not None, "adaptive agents may read it"
    assert "short" in hints
    event = AuditEvent.objects.get(action="moved")
    assert event.changes == {"corpus": str(there.pk), "moved_from": str(here.pk)}
    names = {("document", str(row.pk)): "Unit 1", ("corpus", str(there.pk)): "There"}
    with override("en"):
        said = sentence(event, names)
    assert said == "Alice (alice@example.org) moved the document “Unit 1” to the corpus “There”"


@pytest.mark.parametrize("to", ["", "no id", "bobs", "shared", "elsewhere", "unknown", "deleted", "here"])
def test_where_it_may_not_go_nothing_goes(cast: Cast, here: Corpus, three: list[Document], to: str) -> None:
    """Another member's, a shared one for who is no admin, another organization's: each as one that never was."""
    deleted = CorpusFactory(personal_of=cast.alice)
    removal.remove_corpus(deleted, cast.alice)
    places: dict[str, Any] = {
        "bobs": CorpusFactory(personal_of=cast.bob),
        "shared": CorpusFactory(shared_in=cast.alice.organization),
        "elsewhere": CorpusFactory(shared_in=cast.charlie.organization),
        "unknown": uuid4(),
        "deleted": deleted,
        "here": here,
    }
    before = list(Document.objects.order_by("pk").values())
    said = move(browser(cast.alice), here, places.get(to, to), *three).content.decode()
    assert "Choose a corpus to move them to." in said
    assert list(Document.objects.order_by("pk").values()) == before


def test_a_member_takes_nothing_from_what_is_only_read(cast: Cast, there: Corpus) -> None:
    shared = CorpusFactory(shared_in=cast.alice.organization)
    document = DocumentFactory(corpus=shared)
    assert move(browser(cast.alice), shared, there, document).status_code == 404
    with pytest.raises(moving.NotFound):
        moving.move_documents([document], shared, cast.alice)
    assert moving.move_documents([document], there, cast.alice).moved == 0
    assert Document.objects.get(pk=document.pk).corpus == shared


def test_ids_of_other_corpora_are_as_if_they_were_not_named(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    others = [
        DocumentFactory(corpus=CorpusFactory(personal_of=owner)) for owner in (cast.alice, cast.bob, cast.charlie)
    ]
    assert "1 document is in “There” now." in move(browser(cast.alice), here, there, three[0], *others).content.decode()
    assert titles(there) == {"Unit 1"}


def test_an_admin_gives_to_everybody_what_was_their_own_and_takes_it_back(cast: Cast) -> None:
    own, shared = CorpusFactory(personal_of=cast.admin), CorpusFactory(shared_in=cast.admin.organization)
    document = DocumentFactory(corpus=own)
    assert not Document.objects.readable_by(cast.bob).exists()
    page = move(browser(cast.admin), own, shared, document).content.decode()
    assert Document.objects.readable_by(cast.bob).get() == document
    undo(browser(cast.admin), own, page)
    assert not Document.objects.readable_by(cast.bob).exists()


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_nobody_else_undoes_a_move(cast: Cast, here: Corpus, there: Corpus, three: list[Document], who: str) -> None:
    page = move(browser(cast.alice), here, there, *three).content.decode()
    assert undo(browser(getattr(cast, who)), here, page).status_code == 404
    assert len(titles(there)) == 3


@pytest.mark.parametrize("moment", ["", "yesterday", "2026-01-01", "2026-11-23T12:00:00", "9999-12-31T23:59:59+00:00"])
def test_a_moment_of_no_move_brings_nothing_back(cast: Cast, here: Corpus, moment: str) -> None:
    client = browser(cast.alice)
    said = client.post(f"/corpora/{here.pk}/documents/back/", {"moved": moment}, headers=HTMX).content.decode()
    assert "There is nothing to move back any more." in said
    assert client.get(f"/corpora/{here.pk}/", {"moved": moment}).status_code == 200


def test_undoing_brings_back_that_move_and_no_other_and_nothing_that_went_on(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    client, third = browser(cast.alice), CorpusFactory(personal_of=cast.alice, name="Third")
    move(client, here, there, three[0])
    page = move(client, here, there, *three[1:]).content.decode()
    move(client, there, third, three[1])
    undo(client, here, page)
    assert (titles(here), titles(there), titles(third)) == ({"Unit 3"}, {"Unit 1"}, {"Unit 2"})


def test_what_the_other_corpus_has_already_stays_and_is_told(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    twin = three[0]
    DocumentFactory(corpus=there, title="Twin", filename=twin.filename, sha256=twin.sha256)
    facts = [DocumentFactory(corpus=one, fact_key="boiling", title="Fact", text=f"At {one}.") for one in (here, there)]
    said = move(browser(cast.alice), here, there, three[0], three[1], facts[0]).content.decode()
    assert "1 document is in “There” now. 2 stayed: “There” has them already." in said
    assert titles(here) == {"Unit 1", "Unit 3", "Fact"}
    again = move(browser(cast.alice), here, there, three[0]).content.decode()
    assert "1 stayed: “There” has it already." in again
    assert 'name="moved"' not in again


def test_what_a_watched_folder_would_bring_again_stays(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    Document.objects.filter(pk=three[0].pk).update(source_path="a.md")
    said = move(browser(cast.alice), here, there, *three).content.decode()
    assert "2 documents are in “There” now. 1 stayed: it comes from a folder that is watched" in said
    assert titles(here) == {"Unit 1"}


def test_what_lies_in_the_trash_stays_there_and_is_restored_where_it_was(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    removal.remove_document(three[0], cast.alice)
    assert moving.move_documents(three, there, cast.alice).moved == 2
    removal.restore_document(three[0], cast.alice)
    assert titles(here) == {"Unit 1"}


def test_what_was_moved_and_deleted_is_restored_where_it_was_moved_to(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    moved = moving.move_documents(three[:1], there, cast.alice)
    removal.remove_document(Document.objects.get(pk=three[0].pk), cast.alice)
    assert (
        moving.move_documents(list(moving.moved_together(cast.alice, here.pk, moved.moment)), here, cast.alice).moved
        == 0
    )
    removal.restore_document(Document.objects.get(pk=three[0].pk), cast.alice)
    assert titles(there) == {"Unit 1"}


def test_who_deletes_or_replaces_what_was_moved_meanwhile_does_neither(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    """They looked at it where it was, and may have no right to where it is."""
    stale = Document.objects.get(pk=three[0].pk)
    moving.move_documents(three[:1], there, cast.alice)
    removal.remove_document(stale, cast.alice)
    with pytest.raises(moving.NotFound):
        intake.file_of(stale)
    assert titles(there) == {"Unit 1"}


@pytest.mark.parametrize("status", ["pending", "processing", "failed"])
def test_what_is_not_ready_goes_too_and_what_was_in_work_waits_again(
    cast: Cast, here: Corpus, there: Corpus, status: str
) -> None:
    document = DocumentFactory(corpus=here, status=status)
    Document.objects.update(lease_holder=uuid4(), attempts=2)
    assert moving.move_documents([document], there, cast.alice).moved == 1
    row = Document.objects.get()
    if status == "failed":
        assert (row.status, row.attempts) == ("failed", 2)
    else:
        assert (row.status, row.attempts, row.lease_holder) == ("pending", 0, None)


def test_its_files_stay_under_the_corpus_that_they_came_into(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    """And are found by whoever asks for them, compares them or has them erased."""
    moving.move_documents(three[:1], there, cast.alice)
    row = Document.objects.get(pk=three[0].pk)
    assert row.folder == f"{here.pk}/{row.pk}"
    assert Path(row.file.path).read_bytes().startswith(b"Text 1.")
    assert inventory.missing_originals(Document.objects.alive()).missing == ()
    assert list(inventory.unnamed_files()) == []
    for one in three[1:]:
        originals.delete_originals(one)
        one.delete()
    originals.refuse_leftover_files(here.pk)
    row.file.storage.delete(str(row.file.name))
    assert inventory.missing_originals(Document.objects.alive()).missing == (row.pk,)


def test_its_files_go_with_it_wherever_it_is(cast: Cast, here: Corpus, there: Corpus, three: list[Document]) -> None:
    moving.move_documents(three[:1], there, cast.alice)
    row = Document.objects.get(pk=three[0].pk)
    name = str(row.file.name)
    assert originals.delete_originals(row) == 1
    assert not row.file.storage.exists(name)
    stray = row.file.storage.save(name, ContentFile(b"Text."))
    row.delete()
    with pytest.raises(RuntimeError, match="survived"):
        originals.refuse_leftover_files(here.pk)
    assert list(inventory.unnamed_files()) == [stray]


def test_the_page_offers_the_corpora_that_one_may_change(cast: Cast, here: Corpus, there: Corpus) -> None:
    DocumentFactory(corpus=here)
    shared = CorpusFactory(shared_in=cast.alice.organization, name="Shared")
    CorpusFactory(personal_of=cast.bob, name="Bob's")
    page = browser(cast.alice).get(f"/corpora/{here.pk}/").content.decode()
    assert re.findall(r'<option value="([0-9a-f-]{36})"', page) == [str(there.pk)]
    DocumentFactory(corpus=shared)
    of_admin = browser(cast.admin).get(f"/corpora/{shared.pk}/").content.decode()
    assert not re.findall(r'<option value="([0-9a-f-]{36})"', of_admin), "there is no other that the admin may change"
    assert 'value="move"' not in of_admin


def test_two_hundred_cost_statements_of_their_number_and_no_more(cast: Cast, here: Corpus, there: Corpus) -> None:
    documents = [DocumentFactory(corpus=here, text=f"{n}") for n in range(6)]
    with CaptureQueriesContext(connection) as few:
        moving.move_documents(documents[:2], there, cast.alice)
    with CaptureQueriesContext(connection) as more:
        moving.move_documents(documents[2:], there, cast.alice)
    assert len(more) - len(few) <= 2 * 6


# Limits


def test_what_others_uploaded_for_everybody_counts_for_whom_it_is_taken_to(cast: Cast, settings: Any) -> None:
    """And no longer for who uploaded it, who can neither see nor delete it."""
    shared, own = CorpusFactory(shared_in=cast.admin.organization), CorpusFactory(personal_of=cast.admin)
    documents = [DocumentFactory(corpus=shared, text=f"{n}", uploaded_by=cast.bob.user) for n in range(3)]
    limit(settings, documents=2)
    moving.move_documents(documents[:2], own, cast.admin)
    assert (held(cast.admin), held(cast.bob)) == (2, 1)
    refused = move(browser(cast.admin), shared, own, documents[2]).content.decode()
    assert "documents" in refused
    assert "are in “" not in refused
    assert Document.objects.get(pk=documents[2].pk).corpus == shared
    moving.move_documents([Document.objects.get(pk=documents[0].pk)], shared, cast.admin)
    assert (held(cast.admin), held(cast.bob)) == (1, 2)


def test_a_move_needs_no_room_where_nothing_is_added(cast: Cast, here: Corpus, there: Corpus, settings: Any) -> None:
    """Not of the member's own, nor in an organization that is full."""
    own, shared = CorpusFactory(personal_of=cast.admin), CorpusFactory(shared_in=cast.admin.organization)
    documents = [DocumentFactory(corpus=here, text=f"{n}", uploaded_by=cast.alice.user) for n in range(2)]
    others = DocumentFactory(corpus=shared, uploaded_by=cast.bob.user)
    limit(settings, documents=2, organization={"documents": 3})
    assert moving.move_documents(documents, there, cast.alice).moved == 2
    assert moving.move_documents([others], own, cast.admin).moved == 1


def test_a_move_is_counted_as_writing_and_refused_beyond_that(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch)
    limit(settings, writes=4)
    page = move(browser(cast.alice), here, there, *three).content.decode()
    assert used("writes", cast.alice.user_id) == 3
    refused = undo(browser(cast.alice), here, page)
    assert refused.status_code == 200
    assert "3 documents are back." not in refused.content.decode()
    assert len(titles(there)) == 3
    assert used("writes", cast.alice.user_id) == 3, "what is refused costs nothing"


def held(member: Membership) -> int:
    return stock.stock_of(member, ("documents",))["documents"].own


# What is told


@pytest.mark.parametrize("way", ["to everybody", "to oneself", "between one's own"])
def test_who_reads_them_from_now_on_is_said_where_it_changes(cast: Cast, way: str) -> None:
    own, shared = CorpusFactory(personal_of=cast.admin), CorpusFactory(shared_in=cast.admin.organization)
    other = CorpusFactory(personal_of=cast.admin)
    here, there = {"to everybody": (own, shared), "to oneself": (shared, own)}.get(way, (own, other))
    document = DocumentFactory(corpus=here)
    page = browser(cast.admin).get(move(browser(cast.admin), here, there, document, script=False)["Location"])
    said = page.content.decode()
    assert ("The whole organization reads it there." in said) == (way == "to everybody")
    assert ("Only you read it there." in said) == (way == "to oneself")


# By program


def by_program(by: Membership, here: Corpus, there: Any, *documents: Document) -> Any:
    body = {"documents": [str(one.pk) for one in documents], "to": str(getattr(there, "pk", there))}
    return with_key(by).post(f"/api/corpora/{here.pk}/documents/move/", body, content_type="application/json")


def test_a_program_moves_them_and_is_told_what_became_of_each(
    cast: Cast, here: Corpus, there: Corpus, three: list[Document]
) -> None:
    DocumentFactory(corpus=there, title="Twin", filename=three[0].filename, sha256=three[0].sha256)
    Document.objects.filter(pk=three[1].pk).update(source_path="a.md")
    elsewhere = DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice))
    answer = by_program(cast.alice, here, there, *three, elsewhere)
    assert answer.status_code == 200, answer.content
    told = answer.json()
    moment = told.pop("moment")
    assert told == {"moved": 1, "taken": 1, "follow_folder": 1}
    assert [one.title for one in moving.moved_together(cast.alice, here.pk, parse_datetime(moment) or now())] == [
        "Unit 3"
    ]
    again = by_program(cast.alice, here, there, three[2]).json()
    assert again["moved"] == 0, "repeated, nothing is moved twice"
    assert by_program(cast.alice, there, here, three[2]).json()["moved"] == 1


@pytest.mark.parametrize("to", ["here", "", "none", None])
def test_a_program_that_names_no_place_is_refused(
    cast: Cast, here: Corpus, three: list[Document], to: str | None
) -> None:
    assert by_program(cast.alice, here, here if to == "here" else to, *three).status_code == 400
    assert len(titles(here)) == 3


def test_a_program_names_at_most_two_hundred(cast: Cast, here: Corpus, there: Corpus) -> None:
    body = {"documents": [str(uuid4()) for _ in range(201)], "to": str(there.pk)}
    answer = with_key(cast.alice).post(f"/api/corpora/{here.pk}/documents/move/", body, content_type="application/json")
    assert answer.status_code == 400
    assert by_program(cast.alice, here, there).status_code == 400
