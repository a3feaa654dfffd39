"""Rows that the database itself takes along, because a process of the release before knows nothing of their table."""

from typing import Any

from django.db.migrations.operations.base import Operation
from django.db.models import CASCADE, SET_NULL

ACTIONS = {CASCADE: "ON DELETE CASCADE", SET_NULL: "ON DELETE SET NULL"}


class FollowInDatabase(Operation):
    """What Django does with rows of a new table when what they point to is deleted, PostgreSQL does too.

    During a rolling upgrade old processes delete documents, agents and organizations, and not what this release keeps
    of them: the foreign key would refuse that. With SQLite there is one process, and nothing to do.
    """

    reversible = True

    def __init__(self, model_name: str, *field_names: str) -> None:
        self.model_name, self.field_names = model_name, field_names

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Models stay as they are."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._point(schema_editor, to_state.apps.get_model(app_label, self.model_name), ACTIONS)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._point(schema_editor, from_state.apps.get_model(app_label, self.model_name), {})

    def describe(self) -> str:
        return f"Let the database follow deletions of {', '.join(self.field_names)} in {self.model_name}"

    def _point(self, schema_editor: Any, model: Any, actions: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            return
        quote = schema_editor.quote_name
        for field in map(model._meta.get_field, self.field_names):
            (name,) = schema_editor._constraint_names(model, [field.column], foreign_key=True)
            target, key = field.related_model._meta.db_table, field.target_field.column
            schema_editor.execute(
                f"ALTER TABLE {quote(model._meta.db_table)} DROP CONSTRAINT {quote(name)}, "
                f"ADD CONSTRAINT {quote(name)} FOREIGN KEY ({quote(field.column)}) REFERENCES {quote(target)} "
                f"({quote(key)}) {actions.get(field.remote_field.on_delete, '')} DEFERRABLE INITIALLY DEFERRED"
            )
