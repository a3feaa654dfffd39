"""What the release before writes must fit the database that this one has migrated (docs/reliability.md, "A rolling
upgrade"): its inserts do not name the columns that came since, its deletions not the tables."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddField, CreateModel

from accounts.tenancy.postgresql.following import FollowInDatabase
from corpora.models import Document, UnitReading
from tests import factories

# The last migrations of `PREVIOUS` (tests/services/test_rolling_upgrade.py); raised with it.
RELEASED = {
    "accounts": 5,
    "agents": 2,
    "chat": 9,
    "corpora": 11,
    "evaluation": 3,
    "provisioning": 0,
    "retrieval": 3,
    "tools": 0,
    "webhooks": 0,
    "sign_on": 0,
    "foreign": 0,
    "workers": 4,
}


def needs_a_value(field: models.Field) -> bool:  # type: ignore[type-arg]
    return not (field.null or field.many_to_many or field.db_default is not models.NOT_PROVIDED)


def migrations_since() -> list[Any]:
    loaded = MigrationLoader(None).disk_migrations
    return [one for (app, name), one in loaded.items() if int(name[:4]) > RELEASED.get(app, 10_000)]


def test_a_new_column_may_be_left_out() -> None:
    since = migrations_since()
    new = {op.name_lower for one in since for op in one.operations if hasattr(op, "fields")}
    added = [(one, op) for one in since for op in one.operations if isinstance(op, AddField)]
    assert len(added) > 3, "nothing is looked at"
    assert not [
        f"{one}: {op.model_name}.{op.name}"
        for one, op in added
        if op.model_name_lower not in new and needs_a_value(op.field)
    ]


def old_rows_pointed_to() -> Iterator[tuple[str, str, str]]:
    """App, model and field of each foreign key of a new table to one that the release before has, or to another new
    one, whose rows go along with those of the old."""
    made = [(one.app_label, op) for one in migrations_since() for op in one.operations if isinstance(op, CreateModel)]
    for app, op in made:
        for name, field in op.fields:
            if field.many_to_many:
                table = apps.get_model(app, op.name)._meta.get_field(name).remote_field.through
                yield from ((app, table._meta.model_name, one.name) for one in table._meta.fields if one.is_relation)
            elif field.remote_field and field.db_constraint:
                yield app, op.name_lower, name


def test_what_an_older_process_deletes_takes_new_rows_along() -> None:
    told = [(one.app_label, op) for one in migrations_since() for op in one.operations]
    followed = {
        (app, op.model_name.lower(), name)
        for app, op in told
        if isinstance(op, FollowInDatabase)
        for name in op.field_names
    }
    assert followed == set(old_rows_pointed_to())
    assert len(followed) > 5, "nothing is looked at"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="with SQLite there is one process")
class TestOnPostgreSQL:
    @pytest.mark.django_db
    def test_every_such_key_follows(self) -> None:
        for app, model, name in old_rows_pointed_to():
            table, column = apps.get_model(app, model)._meta.db_table, f"{name}_id"
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT confdeltype FROM pg_constraint JOIN pg_attribute "
                    "ON attrelid = conrelid AND attnum = conkey[1] "
                    "WHERE contype = 'f' AND conrelid = %s::regclass AND attname = %s",
                    [table, column],
                )
                assert [row[0] for row in cursor.fetchall()] in (["c"], ["n"]), (table, column)

    @pytest.mark.django_db
    def test_a_document_takes_its_readings_along(self) -> None:
        alice = factories.MembershipFactory()
        document = factories.DocumentFactory(corpus=factories.CorpusFactory(personal_of=alice))
        document.texts.all().delete()
        document.chunks.all().delete()
        UnitReading.objects.create(membership=alice, document=document)
        Document.objects.filter(pk=document.pk)._raw_delete("default")  # as by who does not know of readings
        connection.check_constraints()
        assert not UnitReading.objects.exists()
