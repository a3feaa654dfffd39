"""The workers app: hears what happens to documents and tells the workers."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_save

if TYPE_CHECKING:
    from agents.models import Agent, Assignment


class WorkersConfig(AppConfig):
    name = "workers"

    def ready(self) -> None:
        from agents.models import Agent, Assignment
        from corpora import signals
        from evaluation.signals import runs_waiting
        from workers import checks

        runs_waiting.connect(on_runs_waiting)
        signals.document_ready.connect(on_document_ready)
        signals.document_removed.connect(on_document_removed)
        signals.metadata_changed.connect(on_metadata_changed)
        post_save.connect(on_assigned, Assignment)
        post_save.connect(on_agent_saved, Agent)
        checks.register()


def on_assigned(instance: "Assignment", **kwargs: Any) -> None:
    if instance.agent.adaptive:
        cut_when_committed([instance.corpus_id])


def on_agent_saved(instance: "Agent", **kwargs: Any) -> None:
    if instance.adaptive and instance.is_active:
        cut_when_committed(instance.assignments.values_list("corpus_id", flat=True))


def cut_when_committed(corpus_ids: Iterable[UUID]) -> None:
    """Have the sizes made that adaptive retrieval needs (`workers.jobs.cut`)."""
    from workers import tasks

    for corpus_id in corpus_ids:
        transaction.on_commit(partial(tasks.hint, tasks.cut_anew, corpus_id))


def on_document_ready(document_id: UUID, **kwargs: Any) -> None:
    from workers import tasks

    tasks.hint(tasks.ingest, document_id)


def on_document_removed(document_id: UUID, **kwargs: Any) -> None:
    from workers import tasks

    tasks.hint(tasks.erase, document_id)


def on_metadata_changed(document_id: UUID, **kwargs: Any) -> None:
    from workers import tasks

    tasks.hint(tasks.update_metadata, document_id)


def on_runs_waiting(question_set_id: UUID, **kwargs: Any) -> None:
    from workers import tasks

    tasks.hint(tasks.evaluate, question_set_id)
