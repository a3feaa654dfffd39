"""The workers app: hears what happens to documents, notes what follows from it, and tells the lanes."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.apps import AppConfig
from django.db.models.signals import post_save, pre_save

from accounts.tenancy.scope import system_scope
from config.metrics.serving import ask_at_scrape
from workers.queue import causes, hints

if TYPE_CHECKING:
    from agents.models import Agent, Assignment
    from corpora.models import Document
    from corpora.reader.printed import PageRequest, PrintedPage


class WorkersConfig(AppConfig):
    name = "workers"

    def ready(self) -> None:
        from agents.models import Agent, Assignment
        from chat.signals import erasure_requested, export_requested
        from corpora import signals
        from corpora.reader.page_source import register_page_reader
        from evaluation.signals import runs_waiting
        from workers import checks

        for long_work in (runs_waiting, export_requested):
            long_work.connect(on_long_work)
        for came in (signals.document_ready, signals.corpus_restored, signals.documents_moved):
            came.connect(on_document_ready)
        for errand in (signals.document_removed, signals.corpus_removed, signals.metadata_changed, erasure_requested):
            errand.connect(on_errand)
        post_save.connect(on_assigned, Assignment)
        pre_save.connect(before_agent_saved, Agent)
        post_save.connect(on_agent_saved, Agent)
        checks.register_worker_checks()
        ask_at_scrape("workers.upkeep.backlog.Backlog")  # loaded then: commands have no use for it
        register_page_reader(page_from_sandbox)


def page_from_sandbox(document: "Document", request: "PageRequest") -> "PrintedPage":
    """A `PageReader`, which loads the sandbox when the first page is asked for."""
    from workers.ingestion.page_reader import read_page_of

    return read_page_of(document, request)


def on_assigned(instance: "Assignment", created: bool, **kwargs: Any) -> None:
    from workers.jobs import cut

    if created and instance.agent.adaptive:
        cut.want_sizes([instance.corpus_id])


def before_agent_saved(sender: type["Agent"], instance: "Agent", **kwargs: Any) -> None:
    """Only an agent that becomes adaptive needs sizes that its corpora may lack."""
    is_adaptive = instance.adaptive and instance.is_active
    was_adaptive = is_adaptive and sender.objects.filter(pk=instance.pk, adaptive=True, is_active=True).exists()
    instance.becomes_adaptive = is_adaptive and not was_adaptive  # type: ignore[attr-defined]


def on_agent_saved(instance: "Agent", **kwargs: Any) -> None:
    from workers.jobs import cut

    if instance.becomes_adaptive:  # type: ignore[attr-defined]
        with system_scope():  # personal ones of members too
            cut.want_sizes(list(instance.assignments.values_list("corpus_id", flat=True)))


def on_document_ready(document_id: UUID | None = None, **kwargs: Any) -> None:
    """Both lanes: a small document goes to whichever is free first."""
    if document_id is not None:  # not a corpus that came back or was moved to
        causes.note_cause(document_id)
    hints.hint(hints.INGESTION, hints.SHORT)


def on_errand(**kwargs: Any) -> None:
    hints.hint(hints.SHORT)


def on_long_work(**kwargs: Any) -> None:
    hints.hint(hints.INGESTION)
