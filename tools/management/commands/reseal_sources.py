"""Seal what is kept sealed with the first of DATA_SOURCE_KEYS: an older one can then be taken away."""

from typing import Any

from django.db.models import Model

from accounts.management.base import DatabaseCommand
from tools.sealing import SEALED_COLUMNS, SealLost, seal_anew


class Command(DatabaseCommand):
    help = "Seal credentials of data sources and secrets of webhooks with the first of DATA_SOURCE_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        outcomes = [
            self.reseal(row, column)
            for model, column in SEALED_COLUMNS
            for row in model._base_manager.exclude(**{column: ""})
        ]
        lost = outcomes.count(False)
        sealed = len(outcomes) - lost
        self.stdout.write(f"sealed anew: {sealed}; readable with no key, to be written again by an admin: {lost}")

    def reseal(self, row: Model, column: str) -> bool:
        """False for what no key opens: it stays as it is."""
        try:
            setattr(row, column, seal_anew(getattr(row, column)))
        except SealLost:
            return False
        row.save(update_fields=[column])
        return True
