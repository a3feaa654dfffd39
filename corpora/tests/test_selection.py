"""What is done with several documents at once, and taken back."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import AuditEvent
from corpora.models import Corpus, Document
from corpora.pages.selection import AT_ONCE
from tests.cast import Cast, browser, make_cast
from tests.factories import CorpusFactory, DocumentFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def corpus(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice)


@pytest.fixture
def three(corpus: Corpus) -> list[Document]:
    return [DocumentFactory(corpus=corpus, title=f"Unit {n}", text=f"Text {n}. " * 9) for n in (1, 2, 3)]


def act(client: Client, corpus: Corpus, action: str, *documents: Document, script: bool = True, **said: Any) -> Any:
    headers = {"HX-Request": "true"} if script else {}
    body = {"action": action, "document": [str(one.pk) for one in documents], **said}
    return client.post(f"/corpora/{corpus.pk}/documents/selected/", body, headers=headers)


def undo(client: Client, corpus: Corpus, page: str, **headers: str) -> Any:
    moment = re.search(r'name="deleted" value="([^"]*)"', page)
    assert moment is not None, "there is no way back"
    return client.post(f"/corpora/{corpus.pk}/documents/restore/", {"deleted": moment[1]}, headers=headers)


def alive(corpus: Corpus) -> set[str]:
    return set(Document.objects.alive().filter(corpus=corpus).values_list("title", flat=True))


def test_several_are_deleted_and_all_come_back(cast: Cast, corpus: Corpus, three: list[Document]) -> None:
    client = browser(cast.alice)
    page = act(client, corpus, "delete", *three[:2]).content.decode()
    assert "2 documents are in the trash." in page
    assert alive(corpus) == {"Unit 3"}
    back = undo(client, corpus, page, **{"HX-Request": "true"}).content.decode()
    assert "2 documents are back." in back
    assert alive(corpus) == {"Unit 1", "Unit 2", "Unit 3"}
    assert Corpus.objects.with_counts().get(pk=corpus.pk).document_count == 3  # type: ignore[attr-defined]


def test_undoing_brings_back_that_deletion_and_no_earlier_one(
    cast: Cast, corpus: Corpus, three: list[Document]
) -> None:
    client = browser(cast.alice)
    act(client, corpus, "delete", three[0])
    page = act(client, corpus, "delete", three[1]).content.decode()
    undo(client, corpus, page)
    assert alive(corpus) == {"Unit 2", "Unit 3"}


def test_one_is_deleted_without_a_question_and_restored(cast: Cast, corpus: Corpus, three: list[Document]) -> None:
    client = browser(cast.alice)
    path = f"/documents/{three[0].pk}/delete/"
    toast = client.post(path, headers={"HX-Request": "true"}).content.decode()
    assert "“Unit 1” is in the trash" in toast
    assert "2 documents" in toast, "the count beside the title"
    undo(client, corpus, toast)
    assert "Unit 1" in alive(corpus)


def test_without_a_script_the_next_page_has_the_way_back(cast: Cast, corpus: Corpus, three: list[Document]) -> None:
    client = browser(cast.alice)
    page = client.get(act(client, corpus, "delete", *three, script=False)["Location"]).content.decode()
    assert "3 documents are in the trash." in page
    assert client.get(undo(client, corpus, page)["Location"]).status_code == 200
    assert len(alive(corpus)) == 3


def test_without_a_trash_it_is_asked_before_and_there_is_no_way_back(
    cast: Cast, corpus: Corpus, three: list[Document], settings: Any
) -> None:
    settings.TRASH_DAYS = 0
    client = browser(cast.alice)
    page = client.get(f"/corpora/{corpus.pk}/").content.decode()
    assert page.count(f'data-confirm="/documents/{three[0].pk}/delete/"') == 1
    assert 'hx-confirm="They are erased for good' in page
    said = act(client, corpus, "delete", *three).content.decode()
    assert "3 documents are being erased." in said
    assert 'name="deleted"' not in said


def test_a_colleague_cannot_undo_what_another_has_deleted(cast: Cast) -> None:
    shared = CorpusFactory(shared_in=cast.alice.organization)
    document = DocumentFactory(corpus=shared)
    page = act(browser(cast.admin), shared, "delete", document).content.decode()
    assert undo(browser(cast.alice), shared, page).status_code == 404
    assert not alive(shared)


@pytest.mark.parametrize("moment", ["", "yesterday", "2026-01-01", "2026-11-23T12:00:00", "9999-12-31T23:59:59+00:00"])
def test_a_moment_of_no_deletion_restores_nothing(cast: Cast, corpus: Corpus, moment: str) -> None:
    client = browser(cast.alice)
    address = f"/corpora/{corpus.pk}/documents/restore/"
    said = client.post(address, {"deleted": moment}, headers={"HX-Request": "true"}).content.decode()
    assert "There is nothing to restore any more." in said
    assert client.get(f"/corpora/{corpus.pk}/", {"deleted": moment}).status_code == 200


def test_what_stands_in_its_place_is_told(cast: Cast, corpus: Corpus) -> None:
    client = browser(cast.alice)
    fact = DocumentFactory(corpus=corpus, fact_key="boiling", title="Old")
    page = act(client, corpus, "delete", fact).content.decode()
    DocumentFactory(corpus=corpus, fact_key="boiling", title="New", text="another")
    said = undo(client, corpus, page, **{"HX-Request": "true"}).content.decode()
    assert "another document in its place" in said
    assert alive(corpus) == {"New"}


def test_details_are_set_in_bulk_and_empty_ones_leave_what_is_there(
    cast: Cast, corpus: Corpus, three: list[Document]
) -> None:
    Document.objects.filter(pk=three[0].pk).update(topic="kept", unit="9")
    said = {"unit": "2", "tags": "a, b", "topic": "", "content_type": ""}
    page = act(browser(cast.alice), corpus, "describe", *three[:2], **said).content.decode()
    assert "The details of 2 documents are saved." in page
    rows = [Document.objects.get(pk=one.pk) for one in three]
    assert [(row.unit, row.topic, row.tags) for row in rows] == [
        ("2", "kept", ["a", "b"]), ("2", "", ["a", "b"]), ("", "", [])
    ]  # fmt: skip
    assert [row.metadata_changed_at is not None for row in rows] == [True, True, False], "the index follows"
    assert AuditEvent.objects.filter(action="changed", object_id=str(three[0].pk)).exists()


@pytest.mark.parametrize(
    ("said", "told"),
    [({"language": "Spanish"}, "Language: "), ({}, "all fields were empty"), ({"unit": "x" * 101}, "Unit")],
)
def test_what_cannot_be_set_is_told_and_changes_nothing(
    cast: Cast, corpus: Corpus, three: list[Document], said: dict[str, str], told: str
) -> None:
    page = act(browser(cast.alice), corpus, "describe", *three, topic="" if not said else "x", **said).content.decode()
    assert told in page
    assert set(Document.objects.values_list("topic", "language")) == {("", "")}


def test_only_what_has_failed_is_tried_again(cast: Cast, corpus: Corpus, three: list[Document]) -> None:
    failed = DocumentFactory(corpus=corpus, status="failed")
    page = act(browser(cast.alice), corpus, "retry", failed, three[0]).content.decode()
    assert "1 document is in the queue again." in page
    assert [Document.objects.get(pk=one.pk).status for one in (failed, three[0])] == ["pending", "indexed"]


def test_the_list_stays_as_it_was_asked_for(cast: Cast, corpus: Corpus, three: list[Document]) -> None:
    page = act(browser(cast.alice), corpus, "delete", three[0], sort="-name", q="unit").content.decode()
    assert page.index("Unit 3") < page.index("Unit 2")
    assert '<option value="-name" selected' in page


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
@pytest.mark.parametrize("action", ["delete", "describe", "retry"])
def test_for_others_there_is_no_such_corpus(
    cast: Cast, corpus: Corpus, three: list[Document], who: str, action: str
) -> None:
    before = list(Document.objects.order_by("pk").values())
    assert act(browser(getattr(cast, who)), corpus, action, *three, unit="2").status_code == 404
    assert list(Document.objects.order_by("pk").values()) == before


@pytest.mark.parametrize("action", ["delete", "describe", "retry"])
def test_ids_of_other_corpora_are_as_if_they_were_not_named(cast: Cast, corpus: Corpus, action: str) -> None:
    other = DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice), status="failed")
    foreign = DocumentFactory(corpus=CorpusFactory(personal_of=cast.bob), status="failed")
    before = list(Document.objects.order_by("pk").values())
    said = act(browser(cast.alice), corpus, action, other, foreign, unit="2").content.decode()
    assert "Choose documents first." in said
    assert list(Document.objects.order_by("pk").values()) == before


@pytest.mark.parametrize("action", ["", "erase", "__class__"])
def test_what_is_no_action_does_nothing(cast: Cast, corpus: Corpus, three: list[Document], action: str) -> None:
    assert act(browser(cast.alice), corpus, action, *three, script=False).status_code == 302
    assert len(alive(corpus)) == 3


def test_more_than_a_page_changes_at_once_are_refused_and_none_is_changed(
    cast: Cast, corpus: Corpus, three: list[Document]
) -> None:
    many = {"document": [*(str(one.pk) for one in three), *(str(uuid4()) for _ in range(AT_ONCE - 2))]}
    said = browser(cast.alice).post(
        f"/corpora/{corpus.pk}/documents/selected/", {"action": "delete", **many}, headers={"HX-Request": "true"}
    )
    assert "Choose at most 200 documents at once." in said.content.decode()
    assert len(alive(corpus)) == 3


def test_a_reader_of_a_global_corpus_is_offered_nothing_to_change(cast: Cast) -> None:
    shared = CorpusFactory(shared_in=cast.alice.organization)
    document = DocumentFactory(corpus=shared)
    page = browser(cast.alice).get(f"/corpora/{shared.pk}/").content.decode()
    assert str(document) in page
    assert 'type="checkbox"' not in page
    assert "data-retitle" not in page
