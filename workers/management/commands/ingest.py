"""`manage.py ingest SOURCE`: bring a corpus in step with a folder or a file (API.md, "Commands")."""

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from accounts.management.base import DatabaseCommand
from accounts.models import Membership, Organization
from corpora.advice import failure_advice
from corpora.metadata.conditions import CONDITION_FIELDS
from corpora.metadata.free import Scalar, parse_pairs
from corpora.metadata.names import FREE_FIELD
from corpora.models import Corpus, Document
from workers import inline
from workers.folders import courses, sync
from workers.folders.watched import shared_corpus
from workers.progress import ProgressBar

DIFFICULTIES = Document.Difficulty.values
CONTENT_TYPES = Document.ContentType.values


class Command(DatabaseCommand):
    help = (
        "Take a folder (recursively) or a file into a global corpus. A second run uploads only what changed; "
        "--sync also deletes what is gone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path)
        parser.add_argument("--organization", required=True, metavar="SLUG")
        parser.add_argument(
            "--corpus", metavar="NAME", help="made when it does not exist; needed unless the folder is a course"
        )
        parser.add_argument("--type", dest="content_type", choices=CONTENT_TYPES)
        parser.add_argument("--unit")
        parser.add_argument("--topic")
        parser.add_argument("--difficulty", choices=DIFFICULTIES)
        parser.add_argument("--language", metavar="es|en|…")
        parser.add_argument(
            "--course",
            metavar="NAME",
            help="of its documents; without --corpus the folder is this course, with a page and a tutor",
        )
        parser.add_argument("--tag", dest="tags", action="append", metavar="TAG")
        parser.add_argument("--meta", action="append", metavar="NAME=VALUE", help="metadata by a name of your own")
        parser.add_argument("--date", dest="source_date", type=date.fromisoformat, metavar="YYYY-MM-DD")
        parser.add_argument("--unit-from-folder", action="store_true", help="the unit is the name of a file's folder")
        parser.add_argument("--sync", action="store_true", help="delete documents whose file is gone, last")
        parser.add_argument("--wait", action="store_true", help="return when every document is indexed or failed")

    def handle(self, *args: Any, **options: Any) -> None:
        source: Path = options["source"]
        if not source.exists():
            raise CommandError(f"{source} does not exist.")
        if options["sync"] and not source.is_dir():
            raise CommandError("--sync keeps a corpus in step with a folder; this is a file.", returncode=2)
        if not (name := options["corpus"] or options["course"]):
            raise CommandError("Say --corpus NAME, or --course NAME where the folder is a course.", returncode=2)
        admin = oldest_admin_of(options["organization"])
        corpus = shared_corpus(name, admin)
        if not options["corpus"]:
            make_course(corpus, admin)
        metadata = {name: options[name] for name in CONDITION_FIELDS if options[name]}
        if options["meta"]:
            metadata[FREE_FIELD] = meta_of(options["meta"])
        named = options["unit_from_folder"]
        outcome = self.upload(source, corpus, admin, delete=options["sync"], unit_from_folder=named, **metadata)
        failed = self.finish(outcome) if options["wait"] or inline.owns_index() else 0
        self.explain(outcome.failed)
        self.report(outcome, failed)
        if corpus.is_course:
            self.stdout.write(f"The course: /courses/{corpus.pk}/")
        if missing := len(outcome.refused) + failed + len(outcome.failed):
            raise CommandError(f"{missing} files were not taken in; see above.")

    def upload(self, source: Path, corpus: Corpus, admin: Membership, **options: Any) -> sync.Outcome:
        bar = ProgressBar(self.stderr, "upload", len(sync.files_in(source)))
        outcome = sync.synchronize_folder(source, corpus, admin, on_file=lambda path: bar.step(path.name), **options)
        bar.end()
        return outcome

    def finish(self, outcome: sync.Outcome) -> int:
        bar = ProgressBar(self.stderr, "index", len(outcome.documents))
        failed: list[Document] = []

        def done(document: Document) -> None:
            bar.step(document.filename)
            if document.status != Document.Status.INDEXED:
                failed.append(document)

        inline.finish(outcome.documents, done)
        bar.end()
        self.explain(failed)
        return len(failed)

    def explain(self, failed: list[Document]) -> None:
        for document in failed:
            self.stderr.write(f"  {document.filename}: {failure_advice(document.error_code)} ({document.error_code})")

    def report(self, outcome: sync.Outcome, failed: int) -> None:
        for relative, reason in outcome.refused.items():
            self.stderr.write(f"  {relative}: {reason}")
        described = f" ({outcome.described} described anew)" if outcome.described else ""
        taken, unchanged = len(outcome.documents) - failed, outcome.unchanged - len(outcome.failed)
        self.stdout.write(
            f"{taken} taken in, {unchanged} unchanged{described}, {outcome.removed} removed, "
            f"{len(outcome.refused) + failed + len(outcome.failed)} failed."
        )


def make_course(corpus: Corpus, admin: Membership) -> None:
    """Mark it, once, and have an agent that answers from it unless one does."""
    if not corpus.is_course:
        courses.mark_course(corpus)
        courses.ensure_agent(corpus, admin)


def meta_of(pairs: list[str]) -> dict[str, Scalar]:
    try:
        return parse_pairs(pairs)
    except ValueError as error:
        raise CommandError(f"--meta: {error}.", returncode=2) from None


def oldest_admin_of(slug: str) -> Membership:
    """The oldest admin of an organization, in whose name commands act."""
    if not Organization.objects.filter(slug=slug).exists():
        known = ", ".join(Organization.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no organization {slug!r}. Known: {known}.")
    admins = Membership.objects.active().filter(organization__slug=slug, role=Membership.Role.ADMIN)
    admin = admins.select_related("user", "organization").first()
    if admin is None:
        raise CommandError(f"The organization {slug!r} has no active admin in whose name to upload.")
    return admin
