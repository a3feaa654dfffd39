"""`manage.py index`: a collection is copied to a file and put back, over the wire of the stand-in server."""

import json
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, OutputWrapper

from corpora import removal
from corpora.models import Chunk
from retrieval.index import IndexUnavailable
from retrieval.index.server import snapshots
from retrieval.index.server.snapshots import Snapshot, SnapshotStore
from retrieval.index.silence import shown_place
from retrieval.spaces import opened, registry
from retrieval.tests.spaces import restart
from tests.fakes.index_process import index_server_process
from tests.library import upload
from workers import progress
from workers.jobs import erase
from workers.progress import PacedReport
from workers.upkeep.space_filling import fill

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def server(tmp_path: Path, settings: Any) -> Iterator[str]:
    with index_server_process(tmp_path / "server") as url:
        settings.QDRANT_URL, settings.EMBEDDED = url, False
        restart()
        yield url
        restart()


@pytest.fixture
def filled(library: Any) -> Any:
    """The library, with an index that holds it."""
    fill(registry.active_space(fresh=True))
    assert points() == served()
    return library


@pytest.fixture
def store(server: str) -> Iterator[SnapshotStore]:
    opened_store = SnapshotStore(server)
    yield opened_store
    opened_store.close()


def points() -> set[Any]:
    return {point for point, _ in opened.current_index().point_ids()}


def served() -> set[Any]:
    return set(Chunk.objects.served().values_list("pk", flat=True))


def run(*arguments: Any) -> str:
    said = StringIO()
    call_command("index", *arguments, stdout=said, stderr=StringIO())
    return said.getvalue()


def test_status_names_the_version_and_how_full_each_collection_is(filled: Any) -> None:
    said = run("status")
    assert said.startswith("Qdrant 1.19.1\n")
    assert f"active   {len(points())} points of {len(points())} chunks" in said


def test_a_server_that_is_away_is_named_by_its_address(settings: Any) -> None:
    settings.QDRANT_URL = "http://me:secret@127.0.0.1:9"
    restart()
    with pytest.raises(CommandError, match=r"^Qdrant at http://127\.0\.0\.1:9, .* QDRANT_URL") as away:
        run("status")
    assert "transferred" not in str(away.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:pa@ss@db:5432/index?sslmode=require", "postgresql://db:5432"),
        ("https://[::1]:6333", "https://[::1]:6333"),
        ("https://index.example.org", "https://index.example.org"),
        ("postgresql://me:pa/ss@db/index", "postgresql://…"),
    ],
)
def test_an_address_is_shown_without_who_asks(url: str, shown: str) -> None:
    assert shown_place(url) == shown


def test_a_collection_is_put_back_and_brought_up_to_date(filled: Any, worker: Any, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    run("snapshot", folder)
    (kept,) = folder.glob("*.snapshot")
    assert kept.stat().st_mode & 0o077 == 0
    before = points()
    gone = filled.loans.documents.get()
    removal.remove_document(gone, filled.admin, at_once=True)
    assert erase.erase(gone.pk) is True
    upload(filled.loans, filled.admin, "nuevo.md", "# Nuevo\n\nLa biblioteca presta globos terráqueos.\n")
    worker()
    since = points()
    assert since - before
    assert before - since
    opened.current_index().delete_points(sorted(since)[:2])  # the server lost some
    said = run("restore", folder)
    assert points() == since == served(), "nothing that was erased comes back, nothing that came since is missing"
    assert "holds all" in said


def test_putting_back_alone_leaves_the_rest_to_the_fill(filled: Any, tmp_path: Path) -> None:
    run("snapshot", tmp_path / "kept")
    before = points()
    opened.current_index().delete_points(sorted(before))
    run("restore", tmp_path / "kept", "--no-fill")
    assert points() == before


def test_a_transfer_goes_on_where_it_stopped(filled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    monkeypatch.setattr(snapshots, "_PIECE", 65_536)

    def broken_off(self: PacedReport, done: int, total: int) -> None:
        if done > total // 2:
            raise IndexUnavailable("the line is dead")

    with monkeypatch.context() as patched:
        patched.setattr(PacedReport, "__call__", broken_off)
        with pytest.raises(CommandError, match="run this again"):
            run("snapshot", folder)
    (part,) = folder.glob("*.part")
    had = part.stat().st_size
    assert had > 0
    seen: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(PacedReport, "__call__", lambda self, done, total: seen.append(done))
        run("snapshot", folder)
    assert min(seen) > had, "what was there is not fetched again"
    assert not list(folder.glob("*.part"))
    run("restore", folder)
    assert points() == served()


def test_what_arrives_otherwise_than_it_was_sent_is_thrown_away(
    filled: Any, store: SnapshotStore, tmp_path: Path
) -> None:
    collection = registry.active_space().collection
    snapshot = store.make(collection)
    part = tmp_path / "one.part"
    part.write_bytes(b"\0" * 512)
    with pytest.raises(snapshots.SnapshotBroken):
        store.fetch(collection, snapshot, tmp_path / "one", lambda done, total: None)
    assert not part.exists()
    store.fetch(collection, snapshot, tmp_path / "one", lambda done, total: None)
    assert (tmp_path / "one").stat().st_size == snapshot.size


def test_the_file_that_is_put_back_is_the_one_that_was_fetched(filled: Any, tmp_path: Path) -> None:
    run("snapshot", tmp_path / "kept")
    (kept,) = (tmp_path / "kept").glob("*.snapshot")
    before = points()
    with kept.open("r+b") as file:
        file.write(b"no tar")
    with pytest.raises(CommandError, match="checksum"):
        run("restore", tmp_path / "kept")
    kept.unlink()
    with pytest.raises(CommandError, match="not there"):
        run("restore", tmp_path / "kept")
    assert points() == before


def test_the_server_keeps_no_snapshot_that_nobody_asked_it_to_keep(
    filled: Any, store: SnapshotStore, tmp_path: Path
) -> None:
    collection = registry.active_space().collection
    run("snapshot", tmp_path / "one")
    assert store.listed(collection) == []
    run("snapshot", tmp_path / "two", "--keep-on-server")
    assert len(store.listed(collection)) == 1
    with pytest.raises(CommandError, match="another folder"):
        run("snapshot", tmp_path / "two")


def test_a_transfer_is_held_at_its_rate(filled: Any, store: SnapshotStore, tmp_path: Path) -> None:
    collection = registry.active_space().collection
    snapshot = store.make(collection)
    for transfer in (
        lambda rate: store.fetch(collection, snapshot, tmp_path / "one", lambda done, total: None, rate),
        lambda rate: store.give_back(collection, tmp_path / "one", snapshot.checksum, lambda done, total: None, rate),
    ):
        began = time.monotonic()
        transfer(snapshot.size / 1.5)
        assert time.monotonic() - began >= 1.4


def test_a_name_that_is_no_file_s_is_refused(store: SnapshotStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("../../etc/passwd", "a/b.snapshot", "", ".hidden", "a\n"):
        listed = [{"name": name, "size": 1, "checksum": None}]
        monkeypatch.setattr(store, "_json", lambda *arguments, listed=listed: listed)
        with pytest.raises(IndexUnavailable, match="of the name"):
            store.listed("space")


def test_one_node_of_a_cluster_is_not_taken_for_the_whole(filled: Any, tmp_path: Path, monkeypatch: Any) -> None:
    cluster = {"status": "enabled", "peers": {"1": {}, "2": {}, "3": {}}}
    asked = SnapshotStore._json
    monkeypatch.setattr(
        SnapshotStore,
        "_json",
        lambda self, *rest, **more: cluster if rest[1] == "/cluster" else asked(self, *rest, **more),
    )
    with pytest.raises(CommandError, match=r"3 nodes.*--node"):
        run("snapshot", tmp_path / "kept")


def test_the_embedded_index_is_a_folder_and_is_said_to_be(settings: Any, tmp_path: Path) -> None:
    settings.EMBEDDED = True
    with pytest.raises(CommandError, match="DATA_DIR"):
        run("snapshot", tmp_path / "kept")


def test_a_folder_without_a_snapshot_is_said_to_have_none(filled: Any, tmp_path: Path) -> None:
    for content in (None, "{}", "no json"):
        if content is not None:
            (tmp_path / "snapshot.json").write_text(content)
        with pytest.raises(CommandError, match="holds no snapshot"):
            run("restore", tmp_path)


def test_a_snapshot_of_a_space_that_the_database_does_not_know_is_not_put_back(filled: Any, tmp_path: Path) -> None:
    run("snapshot", tmp_path / "kept")
    note = tmp_path / "kept" / "snapshot.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"collection": "another-8"}))
    with pytest.raises(CommandError, match="no space another-8"):
        run("restore", tmp_path / "kept")


# ── progress and pace ───────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_long_tells_its_pace_and_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    said = StringIO()
    report = PacedReport(OutputWrapper(said), "filled", 1, "chunks")
    report(1000, 5000)  # what an earlier run had done is no pace of this one
    for done in (1200, 1400, 2000):
        now[0] += 20
        report(done, 5000)
    assert said.getvalue().splitlines() == ["filled 1400 of 5000 chunks, 10/s, 6 min left"]


def test_a_fill_is_held_at_its_rate(filled: Any) -> None:
    index = opened.current_index()
    some = sorted(points())[:3]
    index.delete_points(some)
    began = time.monotonic()
    missing = fill(registry.active_space(), rate=2)
    assert missing.total == 0
    assert time.monotonic() - began >= 1.0
    assert points() == served()


def test_a_snapshot_that_never_comes_is_not_waited_for_without_end(
    filled: Any, store: SnapshotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "listed", lambda collection: [Snapshot("old", 1, "")])
    monkeypatch.setattr(snapshots, "_POLL_SECONDS", 0.05)
    with pytest.raises(IndexUnavailable, match="made no snapshot"):
        store.make(registry.active_space().collection, within=0.2)
