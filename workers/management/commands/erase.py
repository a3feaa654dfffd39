"""`manage.py erase`: finish deletions now and print their receipts."""

from typing import Any

from django.core.management.base import BaseCommand

from corpora.models import Document, ErasureReceipt
from workers import inline
from workers.jobs import erase


class Command(BaseCommand):
    help = "Remove every trace of deleted documents now, instead of waiting for the workers."

    def handle(self, *args: Any, **options: Any) -> None:
        inline.require_index()
        deleted = list(Document.objects.exclude(deleted_at=None).values_list("pk", flat=True))
        erased = [document_id for document_id in deleted if erase.erase(document_id)]
        erase.erase_deleted_corpora()
        for document_id in erased:
            for receipt in ErasureReceipt.objects.filter(document_id=document_id):
                self.stdout.write(f"{receipt.document_id}: {receipt.removed}")
        self.stdout.write(f"{len(erased)} documents erased, {len(deleted) - len(erased)} still held by a worker.")
