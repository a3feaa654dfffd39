"""`manage.py index …`: the collections of a server: how they are, copied to files, put back (docs/deploy.md)."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from accounts.management.base import DatabaseCommand
from corpora.models import Document
from retrieval.embeddings.base import EmbeddingError
from retrieval.index import IndexUnavailable
from retrieval.index.server.snapshots import Snapshot, SnapshotBroken, SnapshotStore, checksum_of
from retrieval.models import SpaceState
from retrieval.spaces import opened, registry
from retrieval.spaces.progress import space_progress
from workers.progress import PacedReport
from workers.queue import hints
from workers.upkeep import space_filling

MEGABYTE = 1_000_000
EMBEDDED = (
    "The index is embedded: it is a folder of DATA_DIR, and is backed up with it (docs/deploy.md, part 1). This "
    "command is for QDRANT_URL and PGVECTOR_URL."
)
IN_POSTGRESQL = (
    "The index is in PostgreSQL: pg_dump and pg_restore copy it and put it back; then run `manage.py index catch-up` "
    "(docs/deploy.md, pgvector)."
)
RUN_AGAIN = "What was transferred stays; run this again."
LOOK = "Look whether the server runs, and at QDRANT_URL and QDRANT_API_KEY, or PGVECTOR_URL."
CLUSTER = (
    "The server is one of {} nodes, and a snapshot is of one node's shards alone. Do this once for each node, with "
    "--node and its address, each time into a folder of its own."
)


class Command(DatabaseCommand):
    help = "Show the collections on the server; copy one of Qdrant to a file, or put one back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="action", required=True)
        what.add_parser("status", help="the server's version, and how full each collection is")
        snapshot = what.add_parser("snapshot", help="have a snapshot made and fetch it; again goes on where it stopped")
        snapshot.add_argument("folder", type=Path)
        snapshot.add_argument("--space", help="its collection; by default the one in use")
        snapshot.add_argument("--keep-on-server", action="store_true", help="do not remove it there afterwards")
        restore = what.add_parser("restore", help="replace a collection by its snapshot, then embed what came since")
        restore.add_argument("folder", type=Path, help="as `snapshot` left it")
        restore.add_argument("--no-fill", action="store_true", help="put back, and leave the rest to `space fill`")
        catch_up = what.add_parser("catch-up", help="after a restore by PostgreSQL's own means: embed what came since")
        catch_up.add_argument("--space", help="its collection; by default the one in use")
        for transfer in (snapshot, restore):
            transfer.add_argument(
                "--rate", type=megabytes, default=0.0, metavar="MB", help="at most so many MB a second"
            )
            transfer.add_argument("--node", metavar="URL", help="a node of a cluster, instead of QDRANT_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.EMBEDDED:
            raise CommandError(EMBEDDED)
        if settings.PGVECTOR_URL and options["action"] in ("snapshot", "restore"):
            raise CommandError(IN_POSTGRESQL)
        try:
            getattr(self, options["action"].replace("-", "_"))(options)
        except (registry.UnknownSpace, SnapshotBroken, EmbeddingError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{options['folder']} cannot be written or read: {error.strerror}.") from error
        except IndexUnavailable as error:
            transfers = options["action"] in ("snapshot", "restore")
            raise CommandError(f"{error}. {RUN_AGAIN if transfers else LOOK}") from error

    def status(self, options: dict[str, Any]) -> None:
        self.stdout.write(opened.current_index().version())
        for space in registry.spaces(fresh=True):
            found = space_progress(space)
            self.stdout.write(f"{space.collection:<40} {space.state:<8} {found.points} points of {found.chunks} chunks")

    def snapshot(self, options: dict[str, Any]) -> None:
        space = registry.space_named(options["space"]) if options["space"] else registry.active_space(fresh=True)
        folder: Path = options["folder"]
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        store = self.store(options)
        try:
            snapshot = begun(folder, space, store) or self.make(folder, space, store)
            report = PacedReport(self.stderr, "fetched", MEGABYTE, "MB")
            path = folder / snapshot.name
            store.fetch(space.collection, snapshot, path, report, options["rate"])
            report.end()
            if not options["keep_on_server"]:
                store.remove(space.collection, snapshot.name)
        finally:
            store.close()
        self.stdout.write(f"{path} holds {space.collection}, {snapshot.size / MEGABYTE:.1f} MB.")

    def make(self, folder: Path, space: SpaceState, store: SnapshotStore) -> Snapshot:
        """A new one, noted in the folder before anything is fetched: who runs this again goes on with it."""
        self.stderr.write(f"{space.collection}: the server makes a snapshot …")
        snapshot = store.make(space.collection)
        note = {"collection": space.collection, "made_at": timezone.now().isoformat(), **asdict(snapshot)}
        manifest(folder).write_text(json.dumps(note, indent=1), encoding="utf-8")
        return snapshot

    def restore(self, options: dict[str, Any]) -> None:
        collection, snapshot = noted(options["folder"])
        space, path = registry.space_named(collection), options["folder"] / snapshot.name
        if not path.is_file():
            raise CommandError(f"{path} is not there; was it fetched to its end?")
        if snapshot.checksum and checksum_of(path) != snapshot.checksum:
            raise CommandError(f"{path} is not as the server made it: its checksum is another.")
        opened.index_of(space)  # its version, and a collection to put it into
        store = self.store(options)
        try:
            report = PacedReport(self.stderr, "sent", MEGABYTE, "MB")
            store.give_back(collection, path, snapshot.checksum, report, options["rate"])
            report.end()
        finally:
            store.close()
        self.copy_metadata(collection)
        if not options["no_fill"]:
            self.fill(space)

    def catch_up(self, options: dict[str, Any]) -> None:
        space = registry.space_named(options["space"]) if options["space"] else registry.active_space(fresh=True)
        self.copy_metadata(space.collection)
        self.fill(space)

    def copy_metadata(self, collection: str) -> None:
        """An edit of metadata is a change of the same points: nobody could tell those of the snapshot from today's."""
        Document.objects.alive().filter(version__gt=0).update(metadata_changed_at=timezone.now())
        hints.hint(hints.SHORT)
        self.stdout.write(f"{collection} is as it was when the snapshot was made; metadata is copied into it again.")

    def fill(self, space: SpaceState) -> None:
        """Points of what was erased since go, and what was written since is embedded, from the cache where it is."""
        report = PacedReport(self.stderr, "filled", 1, "chunks")
        missing = space_filling.fill(space, report)
        report.end()
        if missing.total:
            raise CommandError(
                f"{space.collection} still lacks {missing.total} chunks; `manage.py space fill` goes on."
            )
        self.stdout.write(f"{space.collection} holds all {space_progress(space).points} chunks that readers are shown.")

    def store(self, options: dict[str, Any]) -> SnapshotStore:
        store = SnapshotStore(options["node"] or settings.QDRANT_URL, settings.QDRANT_API_KEY)
        if options["node"] is None and (peers := store.peers()) > 1:
            store.close()
            raise CommandError(CLUSTER.format(peers))
        return store


def megabytes(text: str) -> float:
    """Bytes a second."""
    rate = float(text)
    if not 0 < rate < 1e6:
        raise ArgumentTypeError("not a rate")
    return rate * MEGABYTE


def manifest(folder: Path) -> Path:
    return folder / "snapshot.json"


def noted(folder: Path) -> tuple[str, Snapshot]:
    """The collection and the snapshot that a folder holds."""
    try:
        note = json.loads(manifest(folder).read_text(encoding="utf-8"))
        return note["collection"], Snapshot(note["name"], note["size"], note["checksum"])
    except (OSError, ValueError, KeyError) as error:
        raise CommandError(f"{folder} holds no snapshot of `manage.py index snapshot`.") from error


def begun(folder: Path, space: SpaceState, store: SnapshotStore) -> Snapshot | None:
    """What an earlier run has left to fetch, if the server still has it. CommandError if it is all there already."""
    if not manifest(folder).exists():
        return None
    collection, snapshot = noted(folder)
    if collection != space.collection or (folder / snapshot.name).exists():
        raise CommandError(f"{folder} holds a snapshot of {collection} already. Name another folder.")
    return snapshot if snapshot in store.listed(collection) else None
