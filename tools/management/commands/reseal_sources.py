"""Seal the credentials of all data sources with the first of DATA_SOURCE_KEYS: an older one can then be taken away."""

from typing import Any

from accounts.management.base import DatabaseCommand
from tools.models import DataSource
from tools.sealing import SealLost, seal_anew


class Command(DatabaseCommand):
    help = "Seal the credentials of all data sources with the first of DATA_SOURCE_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        sealed, lost = 0, 0
        for source in DataSource.objects.exclude(sealed_credentials=""):
            try:
                source.sealed_credentials = seal_anew(source.sealed_credentials)
            except SealLost:
                lost += 1
                continue
            source.save(update_fields=["sealed_credentials"])
            sealed += 1
        self.stdout.write(f"sealed anew: {sealed}; readable with no key, to be written again by an admin: {lost}")
