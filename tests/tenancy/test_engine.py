"""Each statement is sent with whom it runs for, whatever way Django sends it, and nothing of it outlives it."""

import contextvars
import time
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.utils import DataError

from accounts.models import Organization
from accounts.tenancy.postgresql import base
from accounts.tenancy.scope import (
    NOBODY,
    Party,
    become_member,
    current_party,
    request_scope,
    system_scope,
    tenant_scope,
)
from config.concurrency.threads import in_thread
from corpora.models import Chunk, Corpus
from tests.factories import CorpusFactory, DocumentFactory, OrganizationFactory
from tests.live import patience

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row-level security is PostgreSQL's"),
]


@pytest.fixture
def here() -> Organization:
    organization = OrganizationFactory()
    DocumentFactory(corpus=CorpusFactory(shared_in=organization))
    DocumentFactory(corpus=CorpusFactory(shared_in=OrganizationFactory()))
    return organization


def seen() -> int:
    """Corpora of the two that there are."""
    return Corpus.objects.count()


def sent_scope() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('acervo.scope', true)")
        return str(cursor.fetchone()[0] or "")


def left_over() -> str:
    """What the connection itself has, asked past the engine: what a pooler would give to the next client."""
    connection.ensure_connection()
    found = psycopg.Cursor(connection.connection).execute("SELECT current_setting('acervo.scope', true)").fetchone()
    assert found is not None
    return found[0] or ""


def test_a_statement_has_its_scope_and_leaves_nothing_on_the_connection(here: Organization) -> None:
    with tenant_scope(here.pk):
        assert seen() == 1
        assert sent_scope() == f"{here.pk}//admin"
        assert left_over() == ""
    assert seen() == 2  # the test's own eyes
    assert left_over() == ""


def test_past_the_engine_there_is_nothing_to_see(here: Organization) -> None:
    connection.ensure_connection()
    found = psycopg.Cursor(connection.connection).execute("SELECT count(*) FROM corpora_corpus").fetchone()
    assert found == (0,)


def test_copy_shows_nothing(here: Organization) -> None:
    with connection.cursor() as cursor, cursor.copy("COPY (SELECT id FROM corpora_corpus) TO STDOUT") as rows:
        assert list(rows) == []


def test_the_scope_may_change_inside_a_transaction_and_is_given_back(here: Organization) -> None:
    with transaction.atomic(), tenant_scope(here.pk):
        assert seen() == 1
        with system_scope():
            assert seen() == 2
        assert seen() == 1
        with request_scope():
            assert seen() == 0
    assert left_over() == ""


def test_a_savepoint_that_is_rolled_back_takes_no_scope_with_it(here: Organization) -> None:
    with transaction.atomic(), tenant_scope(here.pk):
        with pytest.raises(DataError), transaction.atomic(), system_scope(), connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")
        assert seen() == 1
    assert seen() == 2


def test_an_error_outside_a_transaction_leaves_a_connection_that_works(here: Organization) -> None:
    with tenant_scope(here.pk):
        with pytest.raises(DatabaseError), connection.cursor() as cursor:
            cursor.execute("SELECT no_such_column FROM corpora_corpus")
        assert seen() == 1
    assert left_over() == ""


@pytest.mark.parametrize("whole", [True, False], ids=["in a transaction", "by itself"])
def test_many_at_once_are_sent_in_scope(here: Organization, whole: bool) -> None:
    mine, theirs = (list(Corpus.objects.filter(organization=here)), list(Corpus.objects.exclude(organization=here)))
    rows = [("renamed", one.pk) for one in (*mine, *theirs)]
    with tenant_scope(here.pk), connection.cursor() as cursor:
        if whole:
            with transaction.atomic():
                cursor.executemany("UPDATE corpora_corpus SET name = %s WHERE id = %s", rows)
        else:
            cursor.executemany("UPDATE corpora_corpus SET name = %s WHERE id = %s", rows)
        assert cursor.rowcount == 1
    assert set(Corpus.objects.filter(name="renamed")) == set(mine)
    assert left_over() == ""


def test_rows_that_come_bit_by_bit_are_those_of_the_scope(here: Organization) -> None:
    with tenant_scope(here.pk):
        served = list(Chunk.objects.order_by("pk").iterator(2))
        assert {one.document.corpus.organization_id for one in served} == {here.pk}
        assert len(served) == Chunk.objects.count() > 2
    assert left_over() == ""


def test_what_an_insert_returns_and_counts_is_what_it_says(here: Organization) -> None:
    with tenant_scope(here.pk), connection.cursor() as cursor:
        cursor.execute("UPDATE corpora_corpus SET name = 'renamed' RETURNING organization_id")
        assert cursor.rowcount == 1
        assert cursor.fetchall() == [(here.pk,)]
        assert cursor.description is not None


def test_a_percent_sign_and_a_quote_in_what_is_asked_stay_what_they_are(here: Organization) -> None:
    with tenant_scope(here.pk), connection.cursor() as cursor:
        cursor.execute("SELECT '100%'")
        assert cursor.fetchone() == ("100%",)
        cursor.execute("SELECT %s || '%%'", ["it's; SET acervo.scope = '//system'; --"])
        assert cursor.fetchone() == ("it's; SET acervo.scope = '//system'; --%",)
        assert seen() == 1


def test_a_thread_of_its_own_is_nobodys(here: Organization) -> None:
    found: list[Any] = []

    def look() -> None:
        found.extend((current_party(), seen()))
        connection.close()

    thread = Thread(target=look)
    thread.start()
    thread.join()
    assert found == [NOBODY, 0]


async def test_threads_of_a_request_share_its_scope_whichever_finds_out_whose_it_is(here: Organization) -> None:
    with request_scope():
        assert await in_thread(seen) == 0
        await in_thread(become_member, here.pk, uuid4(), is_admin=False)
        assert await in_thread(seen) == 1
        assert current_party().organization == here.pk


def test_one_request_knows_nothing_of_another(here: Organization) -> None:
    with request_scope():
        become_member(here.pk, uuid4(), is_admin=True)
        with request_scope():
            assert current_party() == NOBODY
        assert current_party().role == "admin"


def test_a_party_is_told_in_ids_and_words_alone() -> None:
    organization, user = uuid4(), uuid4()
    assert str(Party(organization, user, "member")) == f"{organization}/{user}/member"
    assert str(NOBODY) == "//"


def test_a_transaction_that_is_left_alone_gives_its_locks_back(
    here: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a machine that vanishes: nobody ends its transaction, and TCP would miss it after hours."""
    monkeypatch.setattr(base, "LEFT_ALONE_SECONDS", 0.5)
    locked, changed = Event(), Event()
    told: list[Exception] = []

    def vanish() -> None:
        try:
            with transaction.atomic():
                Corpus.objects.update(description="lost")
                locked.set()
                assert changed.wait(patience(20))
                Corpus.objects.update(description="too late")
        except OperationalError as error:
            told.append(error)
        finally:
            connection.close()

    vanishing = Thread(target=contextvars.copy_context().run, args=(vanish,))
    vanishing.start()
    assert locked.wait(patience(5))
    began = time.monotonic()
    Corpus.objects.update(description="kept")
    assert time.monotonic() - began < patience(5)
    changed.set()
    vanishing.join()
    assert set(Corpus.objects.values_list("description", flat=True)) == {"kept"}
    assert len(told) == 1


def test_outside_a_transaction_a_connection_may_rest(here: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "LEFT_ALONE_SECONDS", 0.1)
    with transaction.atomic():
        seen()
    seen()
    time.sleep(0.5)
    assert seen() == 2
