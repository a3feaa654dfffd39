"""`manage.py reindex`: ingest documents again, for instance after a change of chunking."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from accounts.management.base import DatabaseCommand
from corpora.models import Document
from workers import inline
from workers.progress import ProgressBar


class Command(DatabaseCommand):
    help = "Queue every document again, or those of one corpus or organization. Readers keep the old version meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", metavar="SLUG")
        parser.add_argument("--corpus", metavar="ID")

    def handle(self, *args: Any, **options: Any) -> None:
        documents = Document.objects.alive().exclude(status=Document.Status.PROCESSING)
        if options["organization"]:
            documents = documents.filter(corpus__organization__slug=options["organization"])
        if options["corpus"]:
            documents = documents.filter(corpus_id=options["corpus"])
        chosen = list(documents.values_list("pk", flat=True))
        documents.requeue()
        if inline.owns_index():
            bar = ProgressBar(self.stderr, "reindex", len(chosen))
            ends: Counter[str] = Counter()

            def done(document: Document) -> None:
                bar.step(document.filename)
                ends[document.status] += 1

            inline.work_off(chosen, done)
            bar.end()
            indexed = ends[Document.Status.INDEXED]
            self.stdout.write(f"{indexed} documents indexed again, {ends.total() - indexed} not.")
        else:
            self.stdout.write(f"{len(chosen)} documents queued; the workers take them within seconds.")
