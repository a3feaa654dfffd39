"""R9: what a raw SELECT shows in each person's session is exactly what that person may read, and nothing to nobody.

The session is made as a request makes it; the SQL has no condition at all.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import RequestFactory

from accounts import keys
from accounts.http.principal import principal_of
from accounts.tenancy.rules import RULES
from accounts.tenancy.scope import become_person, request_scope
from tests.people import People
from tests.tenancy.planted import NAMES, Planted

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row-level security is PostgreSQL's"),
]
KEYS_OF = {"django_session": "session_key", "corpora_corpuscounts": "corpus_id"}


@pytest.fixture
def planted(people: People) -> Planted:
    return Planted(people)


@contextmanager
def session_of(planted: Planted, name: str) -> Iterator[None]:
    """A request of the member's; with "" one that nobody has signed."""
    secret = keys.issue_key(planted.member(name))[1] if name else ""
    with request_scope():
        if name:
            principal_of(RequestFactory(headers={"Authorization": f"Bearer {secret}"}).get("/"))
        yield


@contextmanager
def refused() -> Iterator[None]:
    """PostgreSQL refuses what is written inside."""
    with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
        yield


def selected(table: str) -> set[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {KEYS_OF.get(table, 'id')} FROM {table}")
        return {row[0] for row in cursor.fetchall()}


def test_there_is_something_of_everybody_in_every_table_under_a_rule(planted: Planted) -> None:
    shown_to_nobody = {table for table, rule in RULES.items() if rule.read == "false"}  # a library's, always empty
    assert set(RULES) == set(planted.readers) | shown_to_nobody
    assert all(selected(table) >= set(planted.readers[table]) for table in planted.readers)


@pytest.mark.parametrize("name", NAMES)
def test_a_raw_select_shows_exactly_what_its_session_may_read(name: str, planted: Planted) -> None:
    made_here = {"accounts_apikey", "accounts_auditevent"}  # the key that signs the session, and its event
    with session_of(planted, name):
        for table in RULES:
            shown = selected(table)
            known = shown & set(planted.readers[table]) if table in made_here else shown
            assert known == planted.read_by(name, table), table


def test_without_a_session_nothing_is_shown(planted: Planted) -> None:
    with session_of(planted, ""):
        assert {table: len(selected(table)) for table in RULES} == dict.fromkeys(RULES, 0)


def test_who_belongs_to_no_organization_sees_themselves_alone(planted: Planted) -> None:
    user = planted.people.bob.user
    with request_scope():
        become_person(user.pk)
        shown = {table: rows for table in RULES if (rows := selected(table))}
    people = {"accounts_user", "accounts_membership", "account_emailaddress"}
    of_person = {"account_emailconfirmation", "django_admin_log", "accounts_user_groups"}
    of_person |= {"accounts_user_user_permissions", "accounts_signin", "mfa_authenticator", "corpora_erasurereceipt"}
    assert set(shown) == people | of_person
    assert shown["accounts_user"] == {user.pk}


def changed(table: str, assignment: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {assignment}")
        return int(cursor.rowcount)


def removed(table: str, key: Any) -> int | None:
    """How many rows a DELETE takes, undone; None where only other rows that point at it keep it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table} WHERE id = '{key}'")
            transaction.set_rollback(True)
            return int(cursor.rowcount)
    except IntegrityError:
        return None


@pytest.mark.parametrize("name", ["alice", "charlie", ""])
def test_no_statement_deletes_what_its_session_cannot_read(name: str, planted: Planted) -> None:
    """Each by itself and undone: of what is read some is not to be deleted, and nothing else ever is."""
    with session_of(planted, name), connection.cursor() as cursor:
        for table in RULES:
            readable = len(selected(table))
            with suppress(IntegrityError), transaction.atomic():
                cursor.execute(f"DELETE FROM {table}")
                assert cursor.rowcount <= readable, table
                transaction.set_rollback(True)


OWN = [("corpora_corpus", "owner_id"), ("chat_project", "owner_id"), ("chat_conversation", "owner_id")]
TENANT = [(table, "organization_id") for table, _column in OWN]


@pytest.mark.parametrize(("table", "column"), OWN + TENANT)
def test_a_row_is_not_given_to_somebody_else(table: str, column: str, planted: Planted) -> None:
    mine = planted.first[table, "alice"].pk
    other = planted.people.bob.user_id if column == "owner_id" else planted.people.charlie.organization_id
    with session_of(planted, "alice"), refused():
        changed(table, f"{column} = '{other}' WHERE id = '{mine}'")


@pytest.mark.parametrize(
    ("table", "column", "to"),
    [
        ("corpora_document", "corpus_id", "corpora_corpus"),
        ("corpora_chunk", "document_id", "corpora_document"),
        ("chat_message", "conversation_id", "chat_conversation"),
        ("chat_citation", "message_id", "chat_message"),
        ("agents_assignment", "corpus_id", "corpora_corpus"),
    ],
)
@pytest.mark.parametrize("somebody", ["bob", "charlie", "alice_elsewhere"])
def test_a_row_is_not_put_under_somebody_elses(
    table: str, column: str, to: str, somebody: str, planted: Planted
) -> None:
    mine, theirs = planted.first[table, "alice"].pk, planted.first[to, somebody].pk
    with session_of(planted, "alice"), refused():
        changed(table, f"{column} = '{theirs}' WHERE id = '{mine}'")


SHARED = (
    "corpora_corpus",
    "corpora_document",
    "corpora_documenttext",
    "corpora_section",
    "corpora_documentname",
    "corpora_metadatavalue",
    "corpora_chunk",
    "agents_agent",
)
SHARED += ("agents_assignment", "accounts_limitsetting", "accounts_organization")


@pytest.mark.parametrize("table", SHARED)
def test_a_member_changes_and_deletes_nothing_that_the_organization_shares(table: str, planted: Planted) -> None:
    shared = planted.first[table, "here"].pk
    with session_of(planted, "alice"):
        assert shared in selected(table)
        with refused():
            changed(table, f"id = id WHERE id = '{shared}'")
        assert removed(table, shared) == 0
    with session_of(planted, "ada"):
        assert changed(table, f"id = id WHERE id = '{shared}'") == 1
        assert removed(table, shared) in (1, None)


def test_a_member_may_lock_what_it_may_not_write(planted: Planted) -> None:
    """Limits lock the organization, assignments the agent: whoever did not find the row would pass beside the lock."""
    for table in ("accounts_organization", "agents_agent"):
        shared = planted.first[table, "here"].pk
        with session_of(planted, "alice"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT id FROM {table} WHERE id = '{shared}' FOR UPDATE")
            assert cursor.fetchall() == [(shared,)]


def test_nobody_changes_the_audit_log(planted: Planted) -> None:
    with session_of(planted, "ada"):
        assert selected("accounts_auditevent")
        assert changed("accounts_auditevent", "action = 'nothing'") == 0
