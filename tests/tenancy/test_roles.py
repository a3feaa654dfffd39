"""The owner migrates and keeps the rules in step; the application can neither pass them nor take them away."""

from typing import Any

import pytest
from django.db import ProgrammingError, connection, transaction

from accounts.checks import the_application_is_under_the_rules
from accounts.tenancy import policies
from accounts.tenancy.owner import as_owner, keep_rules
from accounts.tenancy.rules import RULES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row-level security is PostgreSQL's"),
]


def one(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def forced() -> int:
    return int(one("SELECT count(*) FROM pg_class WHERE relforcerowsecurity"))


def test_a_second_migrate_touches_no_table_whose_rule_is_as_it_was() -> None:
    with as_owner():
        assert policies.apply_rules(connection) == []


def test_the_rules_can_be_taken_back_and_come_back_with_the_next_migrate() -> None:
    with as_owner():
        policies.remove_rules(connection)
        try:
            assert (one("SELECT count(*) FROM pg_policies"), forced()) == (0, 0)
        finally:
            keep_rules("default")
        assert forced() == len(RULES)


def test_the_owner_grants_what_the_application_needs_of_a_table_to_come() -> None:
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("CREATE TABLE to_come (id integer)")
    try:
        assert one("SELECT count(*) FROM to_come") == 0
    finally:
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("DROP TABLE to_come")


@pytest.mark.parametrize("way", ["DISABLE", "NO FORCE"])
def test_the_application_cannot_take_a_rule_away(way: str) -> None:
    with pytest.raises(ProgrammingError, match="must be owner"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE corpora_corpus {way} ROW LEVEL SECURITY")


def test_who_deploys_is_warned_of_a_role_that_owns_the_tables() -> None:
    assert the_application_is_under_the_rules(None) == []
    with as_owner():
        assert [found.id for found in the_application_is_under_the_rules(None)] == ["acervo.W004"]
