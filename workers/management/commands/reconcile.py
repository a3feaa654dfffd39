"""`manage.py reconcile`: make the index agree with the database."""

from typing import Any

from accounts.management.base import DatabaseCommand
from workers import inline
from workers.upkeep import reconcile as reconciler


class Command(DatabaseCommand):
    help = "Remove points that no chunk stands behind, and queue documents of which points are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        inline.require_index()
        report = reconciler.reconcile()
        self.stdout.write(
            f"{report.points} points looked at, {report.orphans_removed} orphans removed, "
            f"{report.documents_requeued} documents queued again."
        )
