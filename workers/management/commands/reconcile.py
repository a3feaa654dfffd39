"""`manage.py reconcile`: make the index agree with the database."""

from typing import Any

from retrieval.management.base import IndexCommand
from workers.upkeep import reconcile as reconciler


class Command(IndexCommand):
    help = "Remove points that no chunk stands behind, and queue documents of which points are missing."

    def work(self, options: dict[str, Any]) -> None:
        report = reconciler.reconcile()
        self.stdout.write(
            f"{report.points} points looked at, {report.orphans_removed} orphans removed, "
            f"{report.documents_requeued} documents queued again."
        )
