"""`manage.py reconcile`: make the index agree with the database."""

from typing import Any

from django.core.management.base import CommandError

from retrieval.management.base import IndexCommand
from workers.upkeep import reconcile as reconciler

FILES_UNREAD = (
    "The files could not be compared ({}); the rest was. Look at the file store, at AWS_STORAGE_BUCKET_NAME and the "
    "settings beside it, or at DATA_DIR/files; then run this again."
)


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
        if report.files_unread:
            raise CommandError(FILES_UNREAD.format(report.files_unread))
