"""`manage.py reconcile`: make the index agree with the database."""

from typing import Any

from retrieval.management.base import IndexCommand
from workers.upkeep import reconcile as reconciler


class Command(IndexCommand):
    help = "Remove points that no chunk stands behind, and queue documents of which points are missing; tell of files."

    def work(self, options: dict[str, Any]) -> None:
        report = reconciler.reconcile()
        self.stdout.write(
            f"{report.points} points looked at, {report.orphans_removed} orphans removed, "
            f"{report.documents_requeued} documents queued again, {report.counts_mended} corpora counted again."
        )
        if report.originals_missing or report.files_unnamed:
            self.stdout.write(
                f"{report.originals_missing} documents have no original in the file store, "
                f"{report.files_unnamed} files there belong to no document."
            )
        if report.misowned:
            self.stdout.write(
                f"{report.misowned} of them were in the index under another owner, and nobody found them."
            )
