"""A secret is planted wherever a person and an organization may leave text; after their erasure nothing has it."""

import json
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts import keys
from accounts.models import IdempotentReply, Invitation, Membership, Organization, User
from agents.models import Agent
from chat.answering.questions import ChatQuestion
from chat.leaving.erasing import request_organization_erasure, request_user_erasure
from chat.leaving.exports import request_export
from chat.models import Export, Message, Project, Trace
from corpora import removal
from corpora.models import Corpus, Document, ErasureReceipt
from corpora.uploads import facts
from evaluation.models import Question, QuestionSet
from tests import factories
from tests.asking import search_for
from tests.library import Library, upload
from tests.people import signed_in
from tests.secrets import files_with, tables_with
from workers.erasure import parties
from workers.erasure.commanded import finish_erasures
from workers.ingestion import pipeline
from workers.jobs import erase, export
from workers.queue import claims

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "zyxquplanted7741"
ABOUT = f"¿Qué se sabe de {SECRET}?"


@pytest.fixture
def planted(library: Library, worker: Callable[[], int]) -> Library:
    """The secret in Alicia's documents and wherever they lead; and, of the organization, in a global corpus."""
    Agent.objects.update(min_relevance=0.0)
    alicia, admin = library.alicia, library.admin
    Corpus.objects.filter(pk__in=[library.notes.pk, library.loans.pk]).update(description=SECRET)
    upload(library.notes, alicia, f"{SECRET}.md", f"# Nota\n\nSe sabe que {SECRET} es la clave.\n", title=SECRET)
    facts.upsert_fact(library.notes, alicia, f"{SECRET} hierve a 100 grados.", title=f"fact {SECRET}")
    upload(library.loans, admin, "norma.md", f"# Norma\n\nLa norma {SECRET} rige.\n", summary=SECRET)
    assert worker() == 3
    removal.remove_document(upload(library.notes, alicia, "trash.md", f"# T\n\n{SECRET} entre lo borrado.\n"), alicia)
    for member in (alicia, admin):
        talk(library, member)
    make_export(alicia)
    return library


def talk(library: Library, member: Membership) -> None:
    """A question, its answer with a comment, its trace, a case made of it, a reply that is kept, a project, a key."""
    found = search_for(member, "writer", ChatQuestion(ABOUT))
    answer = Message.objects.get(pk=found.message)
    Message.objects.filter(pk=answer.pk).update(
        content=f"Es {SECRET} [1].", status="complete", rating=1, comment=SECRET
    )
    Trace.objects.filter(message=answer).update(is_personal=False, condensed_query=f"Y {SECRET}?")
    questions, _ = QuestionSet.objects.get_or_create(organization=member.organization, name=f"set {SECRET}")
    cited = [str(one) for one in answer.citations.values_list("document_id", flat=True)]
    Question.objects.create(question_set=questions, text=ABOUT, relevant=cited, message=answer, note=SECRET)
    body = {"content": SECRET, "sources": [{"document": one} for one in cited]}
    IdempotentReply.objects.create(membership=member, key=str(answer.pk), request_hash="x", status=200, body=body)
    factories.ProjectFactory(of=member, name=SECRET).narrow_to([library.notes] if member == library.alicia else [])
    keys.issue_key(member, SECRET)
    for row in (*Document.objects.filter(corpus__organization=member.organization), member.user):
        LogEntry.objects.create(
            user=library.admin.user, action_flag=ADDITION, object_id=str(row.pk), object_repr=SECRET,
            content_type=ContentType.objects.get_for_model(row),
        )  # fmt: skip


def make_export(member: Membership) -> Export:
    made = request_export(member)
    assert export.export_next() is True
    made.refresh_from_db()
    return made


def places() -> list[str]:
    """Where the secret stands now: tables, originals and exports, the index's folder, the cache."""
    folder = Path(settings.DATA_DIR)
    inside = [path.name for path in folder.rglob("*.zip") if SECRET.encode() in unzipped(path)]
    return [*tables_with(SECRET), *files_with(SECRET, folder), *inside, *remembered()]


def unzipped(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def remembered() -> list[str]:
    return [key for key, value in held_by_the_cache() if SECRET in f"{key}{value!r}"]


def held_by_the_cache() -> list[tuple[str, Any]]:
    held = cache._cache  # type: ignore[attr-defined]  # this process's memory, or the client of Redis
    if isinstance(held, dict):
        return [(str(key), value) for key, value in held.items()]
    redis = held.get_client()
    return [(key.decode(), redis.get(key)) for key in redis.scan_iter()]


def test_the_search_finds_what_is_planted(planted: Library) -> None:
    found = set(places())
    wanted = {
        "accounts_apikey.name", "accounts_idempotentreply.body", "chat_citation.snippet", "chat_conversation.title",
        "chat_message.content", "chat_message.comment", "chat_project.name", "chat_trace.query",
        "chat_trace.condensed_query", "corpora_chunk.text", "corpora_corpus.description", "corpora_document.filename",
        "corpora_document.fact_key", "corpora_documenttext.text", "django_admin_log.object_repr",
        "evaluation_question.text", "evaluation_questionset.name", "acervo.zip",
    }  # fmt: skip
    assert wanted <= found
    assert any(place.startswith("files/") for place in found)


def test_an_erased_person_leaves_nothing_of_what_was_theirs(planted: Library) -> None:
    alicia = planted.alicia
    before = counts_of(alicia)
    receipt = request_user_erasure(alicia.user, alicia.user, alicia.organization)
    assert not User.objects.get(pk=alicia.user_id).is_active
    done = finish_erasures()
    assert [one.pk for one in done.receipts] == [receipt.pk], "one receipt"
    receipt.refresh_from_db()
    assert (receipt.verified, receipt.requested_by) == (True, alicia.user_id)
    assert {name: receipt.removed[name] for name in before} == before
    assert SECRET not in json.dumps(receipt.removed)
    assert not User.objects.filter(pk=alicia.user_id).exists()
    assert not Document.objects.filter(corpus__owner=alicia.user_id).exists()
    assert Corpus.objects.get().pk == planted.loans.pk, "what belongs to the organization stays"
    assert not Message.objects.exclude(conversation__owner=planted.admin.user).exists()


def counts_of(member: Membership) -> dict[str, int]:
    """What the receipt must count, counted before."""
    documents = Document.objects.filter(corpus__owner=member.user)
    return {
        "corpora": 1,
        "documents": documents.count(),
        "files": documents.count(),
        "chunks": sum(one.chunks.count() for one in documents),
        "texts": sum(one.texts.count() for one in documents),
        "conversations": member.user.conversations.count(),
        "messages": Message.objects.filter(conversation__owner=member.user).count(),
        "projects": Project.objects.filter(owner=member.user).count(),
        "memberships": 1,
        "API keys": member.api_keys.count(),
        "users": 1,
    }


def test_an_erased_organization_leaves_nothing_at_all(planted: Library) -> None:
    """Of metadata in freed blocks of the embedded index see ADR 0014; texts and titles never get there."""
    organization = planted.alicia.organization
    Invitation.objects.create(
        organization=organization, email=f"{SECRET}@example.org", token_hash=SECRET, expires_at="2030-01-01T00:00Z"
    )
    people = User.objects.filter(memberships__organization=organization).count()
    receipt = request_organization_erasure(organization, None)
    finish_erasures()
    receipt.refresh_from_db()
    assert receipt.verified
    assert places() == []
    assert receipt.removed["users"] == people == 3
    assert receipt.removed["corpora"] == 2
    assert not Organization.objects.filter(pk=organization.pk).exists()
    assert ErasureReceipt.objects.count() == 1
    assert planted.carla.organization.memberships.exists(), "another organization's people stay"


def test_an_erased_document_leaves_nothing_but_what_people_said(planted: Library) -> None:
    document = planted.notes.documents.get(title=SECRET)
    removal.remove_document(document, planted.alicia, at_once=True)
    assert erase.erase(document.pk) is True
    receipt = ErasureReceipt.objects.get()
    assert receipt.removed["snippets"] >= 1
    assert receipt.removed["exports"] == 1
    assert receipt.removed["replies"] >= 1
    assert not Export.objects.exclude(file="").exists()
    assert not any(SECRET.encode() in unzipped(path) for path in Path(settings.DATA_DIR).rglob("*.zip"))
    for model, where in ((Trace, {"condensed_query__contains": SECRET, "message__citations__document": None}),):
        assert not model.objects.filter(**where).exists()
    assert not IdempotentReply.objects.filter(body__icontains=str(document.pk)).exists()
    assert not Question.objects.filter(relevant__icontains=str(document.pk)).exists()
    assert not LogEntry.objects.filter(object_id=str(document.pk)).exists()


def test_an_erased_global_document_leaves_nothing_in_anybodys_export(planted: Library) -> None:
    """Its title and snippet stand there among the sources of answers, also of conversations that are gone since."""
    alicia, admin, bob = planted.alicia, planted.admin, planted.bob
    for member in (admin, bob):
        talk(planted, member)
        make_export(member)
    bob.user.conversations.all().delete()
    document = planted.loans.documents.get(summary=SECRET)
    removal.remove_document(document, admin, at_once=True)
    made = factories.ExportFactory(of=planted.carla)
    assert erase.erase(document.pk) is True
    assert ErasureReceipt.objects.get(subject_id=document.pk).removed["exports"] == 3
    assert list(Export.objects.exclude(file="")) == [made], "another organization's"
    assert [path.parent.name for path in Path(settings.DATA_DIR).rglob("*.zip")] == [str(made.pk)]
    page = signed_in(alicia).get("/account/data/", headers={"Accept-Language": "en"}).content.decode()
    assert "is gone" in page
    assert "Make a new export" in page
    again = make_export(alicia)
    with again.file.open("rb") as file, zipfile.ZipFile(BytesIO(file.read())) as archive:
        assert not any(b"rige" in archive.read(name) for name in archive.namelist())


def test_an_export_that_was_made_since_the_deletion_stays(planted: Library) -> None:
    document = planted.notes.documents.get(title=SECRET)
    removal.remove_document(document, planted.alicia)
    Document.objects.filter(pk=document.pk).update(deleted_at=timezone.now() - timedelta(days=29), kept_until=None)
    assert erase.erase(document.pk) is True
    assert ErasureReceipt.objects.get().removed["exports"] == 0
    assert Export.objects.exclude(file="").count() == 1


def test_an_export_that_is_being_made_begins_anew(planted: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    document = planted.notes.documents.get(title=SECRET)
    real, erased = export.write_archive, []

    def erased_meanwhile(*args: Any) -> None:
        real(*args)
        if not erased:
            removal.remove_document(document, planted.alicia, at_once=True)
            erased.append(erase.erase(document.pk))

    monkeypatch.setattr(export, "write_archive", erased_meanwhile)
    request_export(planted.alicia)
    export.export_next()
    assert erased == [True]
    assert Export.objects.get().status == Export.Status.WAITING
    assert not list(Path(settings.DATA_DIR).rglob("*.zip"))
    assert export.export_next() is False, "until whoever made it has surely stopped"
    Export.objects.update(lease_expires_at=None)
    assert export.export_next() is True
    (path,) = Path(settings.DATA_DIR).rglob("*.zip")
    assert f"{SECRET} es la clave".encode() not in unzipped(path)


def test_an_erased_corpus_leaves_its_name_in_no_export(planted: Library) -> None:
    corpus = factories.CorpusFactory(personal_of=planted.alicia, name="Empty")
    made = make_export(planted.alicia)
    removal.remove_corpus(corpus, planted.alicia, at_once=True)
    finish_erasures()
    assert ErasureReceipt.objects.get().removed["exports"] == 1
    assert not made.file.storage.exists(str(made.file.name))


def test_an_erased_corpus_takes_the_history_of_its_question_sets_along(planted: Library) -> None:
    about = QuestionSet.objects.create(organization=planted.alicia.organization, corpus=planted.loans, name=SECRET)
    LogEntry.objects.create(
        user=planted.admin.user, action_flag=ADDITION, object_id=str(about.pk), object_repr=SECRET,
        content_type=ContentType.objects.get_for_model(about),
    )  # fmt: skip
    removal.remove_corpus(planted.loans, planted.admin, at_once=True)
    finish_erasures()
    assert not LogEntry.objects.filter(object_id=str(about.pk)).exists()


def test_who_is_in_two_organizations_stays_when_one_is_erased(planted: Library) -> None:
    elsewhere = factories.MembershipFactory(user=planted.alicia.user)
    kept = factories.CorpusFactory(personal_of=elsewhere)
    request_organization_erasure(planted.alicia.organization, None)
    assert User.objects.get(pk=planted.alicia.user_id).is_active
    finish_erasures()
    assert list(planted.alicia.user.memberships.all()) == [elsewhere]
    assert Corpus.objects.get() == kept


class Killed(BaseException):
    """What a SIGKILL looks like from inside: nothing catches it."""


@pytest.mark.parametrize("step", ["erase_rows_of", "erase_account", "refuse_leftovers"])
def test_a_worker_that_is_killed_in_between_leaves_the_rest_to_the_next(planted: Library, step: str) -> None:
    before = counts_of(planted.alicia)
    receipt = request_user_erasure(planted.alicia.user, None)
    real, calls = getattr(parties, step), []

    def killed(*args: Any) -> Any:
        calls.append(step)
        if len(calls) == 2 or step != "erase_rows_of":
            raise Killed
        return real(*args)

    with mock.patch.object(parties, step, killed), pytest.raises(Killed):
        finish_erasures()
    assert ErasureReceipt.objects.get(pk=receipt.pk).finished_at is None
    finish_erasures()
    receipt.refresh_from_db()
    assert receipt.verified
    assert {name: receipt.removed[name] for name in before} == before, "nothing is counted twice, nothing missed"
    assert not User.objects.filter(pk=planted.alicia.user_id).exists()


def test_what_a_restored_backup_brings_back_is_erased_again(planted: Library) -> None:
    """A backup in miniature: the rows of a person come back under their ids; the store's tombstones know them."""
    user, corpus = planted.alicia.user, planted.notes
    first = planted.notes.documents.get(title=SECRET)
    removal.remove_document(first, planted.alicia, at_once=True)
    erase.erase(first.pk)
    request_user_erasure(user, None)
    finish_erasures()
    ErasureReceipt.objects.all().delete()  # the backup is older than they are
    restored = User.objects.create_user("back@example.org", pk=user.pk)
    member = factories.MembershipFactory(user=restored, organization=planted.admin.organization, role="admin")
    again = factories.CorpusFactory(personal_of=member, pk=corpus.pk)
    factories.DocumentFactory(corpus=again, pk=first.pk, text=SECRET)
    call_command("erase", "--replay")
    assert not User.objects.filter(pk=user.pk).exists()
    assert not Document.objects.filter(pk=first.pk).exists()
    assert ErasureReceipt.objects.filter(verified=True).exists()


def test_receipts_that_were_kept_elsewhere_are_replayed_too(library: Library, tmp_path: Path) -> None:
    document = library.notes.documents.get()
    lines = tmp_path / "receipts.jsonl"
    lines.write_text(json.dumps({"kind": "document", "id": str(document.pk)}) + "\n")
    call_command("erase", "--replay", str(lines))
    assert not Document.objects.filter(pk=document.pk).exists()


def test_the_export_has_what_is_ones_own_and_nothing_else(planted: Library) -> None:
    made = Export.objects.get()
    assert (made.status, made.progress) == ("done", 1.0)
    with made.file.open("rb") as file, zipfile.ZipFile(BytesIO(file.read())) as archive:
        names = archive.namelist()
        everything = b"".join(archive.read(name) for name in names).decode(errors="replace")
        corpora = json.loads(archive.read("corpora.json"))
    assert [one["name"] for one in corpora] == ["Mis notas"]
    assert len([name for name in names if name.startswith("documents/")]) == 9, "three documents, with text and JSON"
    assert len([name for name in names if name.startswith("conversations/")]) == 2
    assert f"Es {SECRET} [1]." in everything
    assert "rige" not in everything.replace(ABOUT, "") or "norma" not in names
    assert "entre lo borrado" not in everything


def test_the_newest_export_takes_the_place_of_the_one_before(planted: Library) -> None:
    first = Export.objects.get()
    second = make_export(planted.alicia)
    assert list(Export.objects.values_list("pk", flat=True)) == [second.pk] != [first.pk]
    folders = [path.parent.name for path in Path(settings.DATA_DIR).rglob("*.zip")]
    assert [UUID(folder) for folder in folders] == [second.pk]


def test_of_two_workers_at_once_one_finishes_it_and_counts_are_right(planted: Library) -> None:
    before = counts_of(planted.alicia)
    receipt = request_user_erasure(planted.alicia.user, None)
    with ThreadPoolExecutor(2) as pool:
        together = [pool.submit(in_a_thread, finish_erasures) for _ in range(2)]
        for one in together:
            one.result()
    finish_erasures()
    receipt.refresh_from_db()
    assert receipt.verified
    assert {name: receipt.removed[name] for name in before} == before
    assert ErasureReceipt.objects.count() == 1


def in_a_thread(work: Callable[[], Any]) -> Any:
    try:
        return work()
    finally:
        connection.close()


def test_a_document_in_work_when_its_owner_goes_does_not_rise_again(
    planted: Library, worker: Callable[[], int]
) -> None:
    document = planted.notes.documents.alive().first()
    assert document is not None
    Document.objects.filter(pk=document.pk).requeue()
    lease = claims.claim_ingestion(document.pk)
    assert lease is not None
    receipt = request_user_erasure(planted.alicia.user, None)
    finish_erasures()
    assert ErasureReceipt.objects.get(pk=receipt.pk).finished_at is None, "it waits for whoever works on it"
    with pytest.raises(claims.LeaseLost):
        lease.report(Document.Stage.EMBED, 0.5)
    pipeline.clean_up_after_loss(lease)
    assert worker() == 0
    finish_erasures()
    assert ErasureReceipt.objects.get(pk=receipt.pk).verified
    assert not Document.objects.filter(pk=document.pk).exists()
