"""`manage.py reindex`: ingest documents again, for instance after a change of chunking."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from accounts.management.base import DatabaseCommand
from accounts.models import Organization
from config.faults import describe_error
from corpora.models import Corpus, Document, DocumentQuerySet
from corpora.uploads.inventory import missing_originals
from workers import inline
from workers.progress import ProgressBar


class Command(DatabaseCommand):
    help = "Queue every document again, or those of one corpus or organization. Readers keep the old version meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", metavar="SLUG")
        parser.add_argument("--corpus", metavar="ID", type=UUID)
        parser.add_argument(
            "--skip-missing", action="store_true", help="leave documents as they are whose originals are missing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        named = named_documents(options["organization"], options["corpus"])
        documents = self.readable(named, skip=options["skip_missing"])
        chosen = list(documents.values_list("pk", flat=True))
        documents.requeue()
        if inline.owns_index():
            self.work_off(chosen)
        else:
            self.stdout.write(f"{len(chosen)} documents queued; workers that run take them within seconds.")

    def readable(self, documents: DocumentQuerySet, *, skip: bool) -> DocumentQuerySet:
        """Those that can be read again. Without their originals documents would only be lost to their readers."""
        try:
            found = missing_originals(documents)
        except Exception as error:  # boto raises its own hierarchy
            raise CommandError(f"The file store does not answer: {describe_error(error)}") from None
        if not found.missing:
            return documents
        said = (
            f"{len(found.missing)} of {found.documents} documents have no original in the file store (original_missing)"
        )
        if not skip:
            raise CommandError(
                f"{said}, {', '.join(map(str, found.missing[:3]))} among them. Nothing was queued. Put the files back "
                "first; or add --skip-missing, which leaves those documents as they are."
            )
        self.stderr.write(f"{said} and are left as they are.")
        return documents.exclude(pk__in=found.missing)

    def work_off(self, chosen: list[UUID]) -> None:
        bar = ProgressBar(self.stderr, "reindex", len(chosen))
        ends: Counter[str] = Counter()

        def done(document: Document) -> None:
            bar.step(document.filename)
            ends[document.status] += 1

        inline.work_off(chosen, done)
        bar.end()
        indexed = ends[Document.Status.INDEXED]
        self.stdout.write(f"{indexed} documents indexed again, {ends.total() - indexed} not.")


def named_documents(slug: str | None, corpus: UUID | None) -> DocumentQuerySet:
    """Of an organization, of a corpus, or all; CommandError for a name that nothing has."""
    documents = Document.objects.alive().exclude(status=Document.Status.PROCESSING)
    if slug:
        if not Organization.objects.filter(slug=slug).exists():
            raise CommandError(f"There is no organization {slug!r}.")
        documents = documents.filter(corpus__organization__slug=slug)
    if corpus:
        if not Corpus.objects.filter(pk=corpus).exists():
            raise CommandError(f"There is no corpus {corpus}.")
        documents = documents.filter(corpus_id=corpus)
    return documents
