"""The workers app: hears what happens to documents and tells the workers."""

from typing import Any
from uuid import UUID

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WorkersConfig(AppConfig):
    name = "workers"
    verbose_name = _("Evaluation")  # of all that happens here, what the admin shows

    def ready(self) -> None:
        from corpora import signals
        from workers import checks

        signals.document_ready.connect(on_document_ready)
        signals.document_removed.connect(on_document_removed)
        signals.metadata_changed.connect(on_metadata_changed)
        checks.register()


def on_document_ready(document_id: UUID, **kwargs: Any) -> None:
    from workers import tasks

    tasks.hint(tasks.ingest, document_id)


def on_document_removed(document_id: UUID, **kwargs: Any) -> None:
    from workers import tasks

    tasks.hint(tasks.erase, document_id)


def on_metadata_changed(document_id: UUID, **kwargs: Any) -> None:
    from workers import tasks

    tasks.hint(tasks.update_metadata, document_id)
