"""What the release before writes must fit the database that this one has migrated (docs/reliability.md, "A rolling
upgrade"): its inserts do not name the columns that came since."""

from django.db import models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddField

# The last migrations of `PREVIOUS` (tests/services/test_rolling_upgrade.py); raised with it.
RELEASED = {"accounts": 5, "agents": 2, "chat": 9, "corpora": 11, "evaluation": 3, "retrieval": 3, "workers": 4}


def needs_a_value(field: models.Field) -> bool:  # type: ignore[type-arg]
    return not (field.null or field.many_to_many or field.db_default is not models.NOT_PROVIDED)


def test_a_new_column_may_be_left_out() -> None:
    loaded = MigrationLoader(None).disk_migrations
    since = [one for (app, name), one in loaded.items() if int(name[:4]) > RELEASED.get(app, 10_000)]
    new = {op.name_lower for one in since for op in one.operations if hasattr(op, "fields")}
    added = [(one, op) for one in since for op in one.operations if isinstance(op, AddField)]
    assert len(added) > 3, "nothing is looked at"
    assert not [
        f"{one}: {op.model_name}.{op.name}"
        for one, op in added
        if op.model_name_lower not in new and needs_a_value(op.field)
    ]
