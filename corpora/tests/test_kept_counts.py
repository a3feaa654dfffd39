"""The counts that pages show are those of the documents, whatever statement has changed them."""

from collections import Counter
from threading import Thread
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from accounts.tenancy.scope import system_scope
from corpora import removal
from corpora.metadata.names import METADATA_FIELDS
from corpora.models import Corpus, CorpusCounts, Document, MetadataValue
from corpora.rows.counting import mending, triggers
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People

pytestmark = pytest.mark.django_db
Status = Document.Status


@pytest.fixture
def corpus(people: People) -> Corpus:
    return CorpusFactory(personal_of=people.alice)


def kept(corpus: Corpus) -> tuple[int, ...]:
    found = CorpusCounts.objects.filter(corpus=corpus).values_list("documents", "chunks", "busy", "failed").first()
    return found or (0, 0, 0, 0)


def counted(corpus: Corpus) -> tuple[int, ...]:
    rows = list(Document.objects.alive().filter(corpus=corpus))
    failed = sum(row.status == Status.FAILED for row in rows)
    return len(rows), sum(row.chunk_count for row in rows), sum(row.is_busy for row in rows), failed


def said(corpus: Corpus) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for row in Document.objects.alive().filter(corpus=corpus, status=Status.INDEXED):
        for name in METADATA_FIELDS:
            value = getattr(row, name)
            found.update((name, one) for one in (value if isinstance(value, list) else [value]) if one)
    return found


def offered(corpus: Corpus) -> Counter[tuple[str, str]]:
    rows = MetadataValue.objects.filter(corpus=corpus).exclude(documents=0).values_list("name", "value", "documents")
    return Counter({(name, value): count for name, value, count in rows})


def check(corpus: Corpus) -> None:
    assert kept(corpus) == counted(corpus)
    assert offered(corpus) == said(corpus)


def test_a_life_of_documents(corpus: Corpus, people: People) -> None:
    first = DocumentFactory(corpus=corpus, unit="1", tags=["exam", "exam", "basics"], language="es")
    waiting = DocumentFactory(corpus=corpus, status=Status.PENDING, unit="2")
    DocumentFactory(corpus=corpus, status=Status.FAILED, topic="ñandú")
    DocumentFactory(corpus=CorpusFactory(), unit="1")
    check(corpus)
    assert kept(corpus) == (3, first.chunk_count, 1, 1)
    assert offered(corpus)["tags", "exam"] == 2
    assert ("unit", "2") not in offered(corpus), "readers do not see it yet"

    one = Document.objects.filter(pk=waiting.pk)
    one.update(status=Status.PROCESSING, stage="extract")
    check(corpus)
    one.update(progress=0.5)
    one.update(status=Status.INDEXED, chunk_count=7, version=1)
    check(corpus)
    one.update(unit="3", tags=["exam"], topic="x" * 100)
    check(corpus)
    Document.objects.filter(corpus=corpus).requeue()
    check(corpus)
    assert kept(corpus)[2] == 3
    Document.objects.filter(corpus=corpus, chunk_count__gt=0).update(status=Status.INDEXED)
    check(corpus)


def test_the_trash_and_back(corpus: Corpus, people: People) -> None:
    documents = [DocumentFactory(corpus=corpus, unit=str(n % 2), tags=["exam"]) for n in range(4)]
    removal.remove_document(documents[0], people.alice)
    check(corpus)
    removal.remove_corpus(corpus, people.alice)
    check(corpus)
    assert kept(corpus) == (0, 0, 0, 0)
    corpus.refresh_from_db()
    removal.restore_corpus(corpus, people.alice)
    check(corpus)
    assert kept(corpus)[0] == 3
    documents[0].refresh_from_db()
    removal.restore_document(documents[0], people.alice)
    check(corpus)
    assert offered(corpus)["tags", "exam"] == 4
    documents[1].delete()
    Document.objects.filter(pk=documents[2].pk).delete()
    check(corpus)
    corpus.delete()
    assert not CorpusCounts.objects.filter(corpus=corpus.pk).exists()
    assert not MetadataValue.objects.filter(corpus=corpus.pk).exists()


def test_a_person_goes_with_their_corpora(corpus: Corpus, people: People) -> None:
    other = CorpusFactory(shared_in=people.alice.organization)
    DocumentFactory(corpus=corpus, unit="1")
    DocumentFactory(corpus=other, unit="1", uploaded_by=people.alice.user)
    people.alice.user.delete()
    assert not CorpusCounts.objects.filter(corpus=corpus.pk).exists()
    check(other)


def test_many_at_once_and_what_is_undone(corpus: Corpus) -> None:
    second = CorpusFactory()
    rows = [
        Document(corpus=one, filename=f"{n}.txt", media_type="text/plain", size=1, sha256=str(n), tags=[str(n)])
        for one in (corpus, second)
        for n in range(30)
    ]
    Document.objects.bulk_create(rows)
    Document.objects.update(status=Status.INDEXED, chunk_count=2)
    for one in (corpus, second):
        check(one)
        assert kept(one) == (30, 60, 0, 0)
    with transaction.atomic():
        Document.objects.all().delete()
        transaction.set_rollback(True)
    check(corpus)


@pytest.mark.parametrize("tags", [{}, "exam", None, 3, [1, None, ["exam"]], ["x" * 500, ""]])
def test_tags_that_are_no_words(corpus: Corpus, tags: Any) -> None:
    """Whatever stands in a document's row, the document is stored."""
    if tags is not None:
        DocumentFactory(corpus=corpus, tags=tags)
        assert offered(corpus) == Counter()
        assert mending.mend_counts() == 0


def test_what_is_said_by_nobody_any_more_goes(corpus: Corpus) -> None:
    document = DocumentFactory(corpus=corpus, unit="1", topic="graphs")
    Document.objects.filter(pk=document.pk).update(unit="2")
    assert mending.forget_unsaid() == 1
    check(corpus)


def test_wrong_counts_are_found_and_mended(corpus: Corpus) -> None:
    DocumentFactory(corpus=corpus, unit="1", tags=["exam", "basics"])
    right, untouched = CorpusFactory(), CorpusFactory()
    DocumentFactory(corpus=right, unit="1")
    assert mending.mend_counts() == 0
    CorpusCounts.objects.filter(corpus=corpus).update(documents=99, busy=-1)
    MetadataValue.objects.filter(corpus=corpus, name="unit").update(value="nobody's")
    MetadataValue.objects.create(corpus=untouched, name="unit", value="never", documents=3)
    assert mending.mend_counts() == 2
    for one in (corpus, right, untouched):
        check(one)
    assert mending.mend_counts() == 0
    CorpusCounts.objects.all().delete()
    assert mending.mend_counts() == 2
    check(corpus)


@pytest.mark.skipif(connection.vendor == "postgresql", reason="only the owner of the tables may remove triggers")
def test_what_was_there_before_the_triggers_is_counted(corpus: Corpus) -> None:
    triggers.remove_triggers(connection)
    DocumentFactory(corpus=corpus, unit="1", tags=["exam"])
    assert kept(corpus) == (0, 0, 0, 0)
    triggers.keep_triggers("default")
    check(corpus)
    assert kept(corpus)[0] == 1
    DocumentFactory(corpus=corpus, unit="1")
    check(corpus)
    triggers.keep_triggers("default")
    DocumentFactory(corpus=corpus, unit="1")
    check(corpus)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="it reads every trigger when a table is made anew")
@pytest.mark.django_db(transaction=True)
def test_a_later_migration_of_a_counted_table_is_not_stopped_by_the_triggers(people: People) -> None:
    field = CorpusCounts._meta.get_field("failed")
    with pytest.raises(OperationalError, match="trigger"), connection.schema_editor() as editor:
        editor.remove_field(CorpusCounts, field)
    triggers.lift_triggers("default")
    assert triggers.has_triggers(connection), "nothing is to be done"
    triggers.lift_triggers("default", plan=[object()])
    try:
        with connection.schema_editor() as editor:
            editor.remove_field(CorpusCounts, field)
            editor.add_field(CorpusCounts, field)
    finally:
        triggers.keep_triggers("default")
    check(CorpusFactory(personal_of=people.alice))


def test_lists_show_the_kept_counts(corpus: Corpus, people: People) -> None:
    DocumentFactory(corpus=corpus)
    DocumentFactory(corpus=corpus, status=Status.FAILED)
    empty = CorpusFactory(personal_of=people.alice)
    found = Corpus.objects.readable_by(people.alice).with_counts()
    shown = {row.pk: (row.document_count, row.busy_count, row.failed_count) for row in found}
    assert shown == {corpus.pk: (2, 0, 1), empty.pk: (0, 0, 0)}


def test_a_document_moved_between_corpora_is_counted_where_it_is(corpus: Corpus) -> None:
    document = DocumentFactory(corpus=corpus, unit="1")
    other = CorpusFactory()
    Document.objects.filter(pk=document.pk).update(corpus=other)
    check(corpus)
    check(other)


@pytest.mark.django_db(transaction=True)
def test_threads_that_change_one_corpus_lose_no_count(people: People) -> None:
    """With a recount in between, and on PostgreSQL without waiting for each other in two orders."""
    corpora = [CorpusFactory(personal_of=people.alice) for _ in range(2)]
    documents = [DocumentFactory(corpus=one, status=Status.PENDING) for one in corpora for _ in range(12)]
    faults: list[BaseException] = []

    def work(mine: list[Document]) -> None:
        try:
            with system_scope():
                for turn, document in enumerate(mine):
                    row = Document.objects.filter(pk=document.pk)
                    with transaction.atomic():
                        row.update(unit=str(turn % 3), tags=["exam", str(turn)])
                        row.update(status=Status.INDEXED, chunk_count=3, version=1)
                    mending.mend_counts()
                    if turn % 4 == 0:
                        row.delete()
        except BaseException as fault:
            faults.append(fault)
        finally:
            connection.close()

    threads = [Thread(target=work, args=(documents[n::4],)) for n in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not faults
    for corpus in corpora:
        check(corpus)
