"""Indexes on large tables, made and removed while everybody goes on writing (`CREATE INDEX CONCURRENTLY`)."""

from typing import Any

from django.db.migrations.operations import AddIndex


class AddIndexOnline(AddIndex):
    """As AddIndex; on PostgreSQL without locking the table, so in a migration with `atomic = False`.

    An attempt that was broken off leaves an index that is not valid: the next one removes it and begins anew.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        elif self.allow_migrate_model(schema_editor.connection.alias, self._model(app_label, to_state)):
            model = self._model(app_label, to_state)
            schema_editor.remove_index(model, self.index, concurrently=True)
            schema_editor.add_index(model, self.index, concurrently=True)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        elif self.allow_migrate_model(schema_editor.connection.alias, self._model(app_label, from_state)):
            schema_editor.remove_index(self._model(app_label, from_state), self.index, concurrently=True)

    def _model(self, app_label: str, state: Any) -> Any:
        return state.apps.get_model(app_label, self.model_name)
