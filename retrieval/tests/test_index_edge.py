"""What only the embedded engine must hold: its folder, kill -9, one process, compaction beside its users."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from retrieval.filters import search_filter
from retrieval.index import IndexLocked, IndexUnavailable, compaction, edge_shard, open_index
from retrieval.index.base import DENSE, HNSW_M, INTEGER_KEYS, KEYWORD_KEYS, SPARSE, TENANT_KEY, IndexDiskFault
from retrieval.index.edge import EdgeIndex
from retrieval.index.folder import EdgeFolder, allocated
from retrieval.tests.library import DIMENSIONS, Library, furnished, named, sparse
from retrieval.tests.test_index_contract import WHERES, scope
from tests.small_disk import Mounting, fill_disk, read_only, small_disk

__all__ = ["small_disk"]

REPOSITORY = Path(__file__).resolve().parents[2]

# Opens the index, writes, says so, and waits to be killed. No flush, no close.
WRITER = """
import sys, time
from pathlib import Path
from retrieval.index.edge import EdgeIndex
from retrieval.tests.library import DIMENSIONS, furnished, named
index = EdgeIndex(Path(sys.argv[1]), DIMENSIONS)
index.ensure()
index.upsert(furnished().points)
index.delete_document(named("annex"))
print("written", flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "space"


@pytest.fixture
def index(folder: Path) -> Iterator[EdgeIndex]:
    opened = EdgeIndex(folder, DIMENSIONS)
    opened.ensure()
    yield opened
    opened.close()


@pytest.fixture
def library(index: EdgeIndex) -> Library:
    filled = furnished()
    index.upsert(filled.points)
    return filled


@pytest.fixture
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_MIN_DELETED", 1)
    monkeypatch.setattr(compaction, "_MIN_DELETED_SHARE", 0.0)


def writer(folder: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    return process


def killed(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_everything_written_survives_kill_9(folder: Path) -> None:
    killed(writer(folder))
    index = EdgeIndex(folder, DIMENSIONS)
    try:
        index.ensure()
        kept = [point for point in furnished().points if point.payload["document_id"] != str(named("annex"))]
        assert {point for point, _ in index.point_ids()} == {point.id for point in kept}
        dense = kept[0].dense
        assert index.search(dense, None, WHERES["one global corpus"], 1).dense[0].id == kept[0].id
    finally:
        index.close()


def test_a_second_process_is_told_what_to_do_until_the_first_is_gone(folder: Path) -> None:
    process = writer(folder)
    try:
        with pytest.raises(IndexLocked, match="QDRANT_URL"):
            EdgeIndex(folder, DIMENSIONS)
    finally:
        killed(process)
    EdgeIndex(folder, DIMENSIONS).close()


def test_a_forked_child_may_not_use_the_index(index: EdgeIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(IndexLocked, match="QDRANT_URL"):
        index.count()
    assert not index.healthy()


def test_what_is_closed_can_be_opened_again(index: EdgeIndex, library: Library, folder: Path) -> None:
    before = index.search(library.points[0].dense, sparse(1, 2, 3), WHERES["both tiers"], 10)
    index.close()
    index.close()
    again = EdgeIndex(folder, DIMENSIONS)
    try:
        assert again.search(library.points[0].dense, sparse(1, 2, 3), WHERES["both tiers"], 10) == before
    finally:
        again.close()


def test_a_closed_index_is_unavailable(index: EdgeIndex) -> None:
    index.close()
    with pytest.raises(IndexUnavailable):
        index.count()
    assert not index.healthy()


def test_a_folder_of_other_dimensions_is_refused_and_let_go(index: EdgeIndex, library: Library, folder: Path) -> None:
    index.close()
    with pytest.raises(ValueError, match="dimensions"):
        EdgeIndex(folder, DIMENSIONS * 2)
    EdgeIndex(folder, DIMENSIONS).close()


def test_a_damaged_shard_is_unavailable_and_let_go(index: EdgeIndex, library: Library, folder: Path) -> None:
    index.close()
    for segment in (folder / "first" / "segments").iterdir():
        (segment / "segment.json").write_text("{")
    with pytest.raises(IndexUnavailable):
        EdgeIndex(folder, DIMENSIONS)
    EdgeFolder(folder).release()


def test_without_deletions_a_small_index_is_left_alone(index: EdgeIndex, library: Library, folder: Path) -> None:
    assert index.optimize() is False
    assert (folder / "first").is_dir()


@pytest.mark.usefixtures("always_worth_it")
def test_compacting_keeps_every_answer_and_survives_a_restart(index: EdgeIndex, library: Library, folder: Path) -> None:
    index.delete_document(named("annex"))
    query = (library.points[0].dense, sparse(1, 2, 3), WHERES["both tiers"], 20)
    before, listed = index.search(*query), set(index.point_ids())
    assert index.optimize() is True
    assert index.optimize() is False
    assert not (folder / "first").exists()
    assert (index.search(*query), set(index.point_ids())) == (before, listed)
    index.close()
    again = EdgeIndex(folder, DIMENSIONS)
    try:
        assert (again.search(*query), set(again.point_ids())) == (before, listed)
    finally:
        again.close()


@pytest.mark.usefixtures("always_worth_it")
def test_readers_and_writers_go_on_while_the_index_is_compacted(index: EdgeIndex, library: Library) -> None:
    index.delete_document(named("annex"))
    expected = {point.id for point in library.points} - {point.id for point in library.points[6:11]}
    where = search_filter(scope("laws"), 800)
    statute = {hit.id for hit in index.search(library.vector(), None, where, 100).dense}
    compacted: list[bool] = []
    thread = threading.Thread(target=lambda: compacted.append(index.optimize()))
    thread.start()
    searches = 0
    while thread.is_alive():
        if searches < compaction.MAX_JOURNAL / 2:  # on a busy machine it lasts, and more would be too much for it
            fresh = library.add("manual", f"fresh {uuid4()}", amount=1)
            index.upsert(fresh)
            expected.add(fresh[0].id)
        assert {hit.id for hit in index.search(library.vector(), None, where, 100).dense} == statute
        searches += 1
        thread.join(0.02)
    index.delete_document(named("diary"))
    expected -= {point.id for point in library.points if point.payload["document_id"] == str(named("diary"))}
    assert compacted == [True]
    assert searches > 3
    assert {point for point, _ in index.point_ids()} == expected


@pytest.mark.usefixtures("always_worth_it")
@pytest.mark.parametrize(
    "fault",
    [
        lambda patch: patch.setattr(compaction, "_PROGRAM", Path(os.devnull) / "none"),
        lambda patch: patch.setattr(compaction, "MAX_JOURNAL", -1),
        lambda patch: patch.setattr(EdgeFolder, "switch", _disk_full),
    ],
    ids=["the child dies", "too much was written", "no pointer could be written"],
)
def test_a_compaction_that_fails_changes_nothing(
    index: EdgeIndex,
    library: Library,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[pytest.MonkeyPatch], None],
) -> None:
    index.delete_document(named("annex"))
    before = set(index.point_ids())
    fault(monkeypatch)
    assert index.optimize() is False
    monkeypatch.undo()
    assert set(index.point_ids()) == before
    fresh = library.add("manual", "later", amount=1)
    index.upsert(fresh)
    assert index.count() == len(before) + 1


def _disk_full(*_arguments: object) -> None:
    raise OSError(28, "No space left on device")


def test_what_a_crashed_compaction_left_is_removed_at_the_next_start(
    index: EdgeIndex, library: Library, folder: Path
) -> None:
    index.close()
    (folder / "0123abcd").mkdir()
    (folder / "0123abcd" / "half").write_text("x")
    again = EdgeIndex(folder, DIMENSIONS)
    try:
        assert not (folder / "0123abcd").exists()
        assert again.count() == len(library.points)
    finally:
        again.close()


def test_closing_while_compacting_lets_go_of_the_folder(
    index: EdgeIndex, library: Library, folder: Path, always_worth_it: None
) -> None:
    index.delete_document(named("annex"))
    thread = threading.Thread(target=index.optimize)
    thread.start()
    index.close()
    thread.join(30)
    assert not thread.is_alive()
    again = EdgeIndex(folder, DIMENSIONS)
    try:
        assert again.count() == len(library.points) - 5
    finally:
        again.close()


def test_many_threads_search_and_write_at_once(index: EdgeIndex, library: Library) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        points = Library(np.random.default_rng(100 + number)).add("manual", f"thread {number}", amount=20)
        own = [type(point)(uuid4(), point.dense, point.sparse, point.payload) for point in points]
        try:
            for point in own:
                index.upsert([point])
                assert index.search(point.dense, None, WHERES["one global corpus"], 1).dense[0].id == point.id
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert index.count() == len(library.points) + 160


def test_importing_the_package_loads_no_engine() -> None:
    program = (
        "import sys, retrieval.index, retrieval.filters, retrieval.index.bm25; "
        "print({'qdrant_client', 'qdrant_edge', 'numpy'} & set(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert answer.stdout == "set()\n"


def test_an_installations_index_is_opened_with_its_indexes_on_payload() -> None:
    index = open_index("opened", DIMENSIONS)
    assert isinstance(index, EdgeIndex)
    schema = index._live.read(lambda shard: shard.info().payload_schema)
    index.close()
    assert set(schema) == {*KEYWORD_KEYS, *INTEGER_KEYS}


def test_only_organizations_get_graphs_also_in_an_index_that_was_made_before_that_was_so(tmp_path: Path) -> None:
    import qdrant_edge as edge

    before = edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(DIMENSIONS, edge.Distance.Cosine, datatype=edge.VectorStorageDatatype.Float16)
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        hnsw_config=edge.HnswIndexConfig(16, 100, 20_000),
    )
    (tmp_path / "made" / "first").mkdir(parents=True)
    shard = edge.EdgeShard.create(str(tmp_path / "made" / "first"), before)
    for key in KEYWORD_KEYS:
        tenant = edge.KeywordIndexParams(is_tenant=key == TENANT_KEY or None)
        shard.update(edge.UpdateOperation.create_field_index(key, tenant))
    shard.close()
    library = Library(np.random.default_rng(5))
    library.add("manual", "variables", amount=3)
    for _opened in range(2):
        index = EdgeIndex(tmp_path / "made", DIMENSIONS)
        index.ensure()
        index.upsert(library.points)
        schema = index._live.read(lambda shard: shard.info().payload_schema)
        with_graphs = {key for key, one in schema.items() if one.params.enable_hnsw is not False}
        assert (with_graphs, schema[TENANT_KEY].params.is_tenant) == ({TENANT_KEY}, True)
        assert set(schema) == {*KEYWORD_KEYS, *INTEGER_KEYS}
        assert schema["document_id"].points == 3
        index.close()
    kept = json.loads((tmp_path / "made" / "first" / "edge_config.json").read_text())
    assert (kept["hnsw_config"]["m"], kept["hnsw_config"]["payload_m"]) == (0, HNSW_M)


def test_an_index_from_before_vectors_had_codes_gets_them_once_and_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import qdrant_edge as edge

    config = edge_shard._config(DIMENSIONS, 1)
    before = edge.EdgeConfig(
        vectors=config.vectors,
        sparse_vectors=config.sparse_vectors,
        hnsw_config=config.hnsw_config,
        optimizers=config.optimizers,
    )
    (tmp_path / "made" / "first").mkdir(parents=True)
    edge.EdgeShard.create(str(tmp_path / "made" / "first"), before).close()
    monkeypatch.setattr(compaction, "_WORTH_CODES", 300)
    library = Library(np.random.default_rng(7))
    library.add("manual", "variables", amount=299)
    index = EdgeIndex(tmp_path / "made", DIMENSIONS)
    index.ensure()
    index.upsert(library.points)
    assert not edge_shard.has_codes(index._folder.current)
    assert index.optimize() is False, "so few are compared soon enough as they are"
    library.add("manual", "loops", amount=1)
    index.upsert(library.points[299:])
    where, question = search_filter(scope("manual"), 800), library.vector()
    exact = index.search(question, None, where, 20)
    assert index.optimize() is True
    assert edge_shard.has_codes(index._folder.current)
    assert index.search(question, None, where, 20) == exact
    assert index.optimize() is False
    index.close()
    again = EdgeIndex(tmp_path / "made", DIMENSIONS)
    assert again.optimize() is False
    again.close()


def test_what_is_written_after_an_optimisation_is_coded_by_itself(tmp_path: Path) -> None:
    """Codes are fitted when a segment is optimised: here to near-duplicates, of which nothing else is one."""
    dimensions, numbers = 384, np.random.default_rng(22)
    alike = numbers.normal(size=dimensions)

    def unit(vectors: np.ndarray) -> np.ndarray:
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    near = unit(alike + 0.02 * numbers.normal(size=(2_500, dimensions)))
    others = unit(numbers.normal(size=(600, dimensions)))
    library = Library(numbers)
    library.add("rows", "invoices", organization="first", amount=len(near))
    library.add("notes", "anything", organization="second", amount=len(others))
    points = [replace(one, dense=dense) for one, dense in zip(library.points, [*near, *others], strict=True)]
    index = EdgeIndex(tmp_path / "fitted", dimensions)
    try:
        index.ensure()
        index.upsert(points[:2_500])
        index.delete_points([one.id for one in points[:1_200]])
        assert index.optimize() is True
        index.upsert(points[2_500:])
        where = search_filter(scope("notes", organization="second"), 800)
        shares = []
        for question in unit(numbers.normal(size=(20, dimensions))):
            nearest = sorted(range(600), key=lambda n: -float(others[n] @ question))[:50]
            found = {hit.id for hit in index.search(question, None, where, 50).dense}
            shares.append(len(found & {points[2_500 + n].id for n in nearest}) / 50)
        assert np.mean(shares) > 0.98
    finally:
        index.close()


def test_without_room_nothing_is_copied_and_it_is_tried_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compaction, "_MIN_DELETED", 10)
    monkeypatch.setattr(compaction, "ROOM_TO_COMPACT", 2**60)
    library = Library(np.random.default_rng(23))
    library.add("manual", "variables", amount=40)
    index = EdgeIndex(tmp_path / "full", DIMENSIONS)
    try:
        index.ensure()
        index.upsert(library.points)
        index.delete_points([one.id for one in library.points[:20]])
        assert index.optimize() is False
        assert "is full" in caplog.text
        assert sorted(one.name for one in (tmp_path / "full").iterdir()) == ["first", "lock"]
        monkeypatch.setattr(compaction, "ROOM_TO_COMPACT", 0)
        assert index.optimize() is False, "within the hour"
        monkeypatch.setattr(index._compaction, "_not_before", 0.0)
        assert index.optimize() is True
    finally:
        index.close()


def test_what_a_folder_takes_is_counted_also_while_a_file_of_it_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").write_bytes(b"1" * 10_000)
    taken = allocated(tmp_path)
    assert taken >= 10_000
    there = list(tmp_path.rglob("*"))
    monkeypatch.setattr(Path, "rglob", lambda *_: [*there, tmp_path / "tmp-renamed"])
    assert allocated(tmp_path) == taken


def test_a_copy_has_the_holes_of_what_it_is_of(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path / "made", DIMENSIONS)
    try:
        index.ensure()
        library = Library(np.random.default_rng(24))
        library.add("manual", "variables", amount=40)
        index.upsert(library.points)
        copy = index._folder.copy()
        files = {one.relative_to(index._folder.current): one for one in index._folder.current.rglob("*")}
        assert {one.relative_to(copy) for one in copy.rglob("*")} == set(files)
        for name, one in files.items():
            if one.is_file():
                assert (copy / name).read_bytes() == one.read_bytes(), name
        assert allocated(copy) < 1.5 * allocated(index._folder.current) + 2**20
        index._folder.discard(copy)
    finally:
        index.close()


def test_what_is_compared_by_codes_is_found_and_scored_as_by_the_vectors_themselves(tmp_path: Path) -> None:
    dimensions = 1536  # of random ones, the worst that there are for codes
    numbers = np.random.default_rng(21)
    vectors = numbers.normal(size=(1_500, dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    library = Library(numbers)
    library.add("manual", "variables", amount=len(vectors))
    points = [replace(point, dense=vector) for point, vector in zip(library.points, vectors, strict=True)]
    index = EdgeIndex(tmp_path / "codes", dimensions)
    try:
        index.ensure()
        index.upsert(points)
        assert edge_shard.has_codes(index._folder.current)
        where = search_filter(scope("manual"), 800)
        shares = []
        for question in vectors[:20] + numbers.normal(size=(20, dimensions)).astype(np.float32) / 30:
            unit = (question / np.linalg.norm(question)).astype(np.float32)
            cosines = {str(point.id): float(vector @ unit) for point, vector in zip(points, vectors, strict=True)}
            found = index.search(unit, None, where, 50).dense
            assert [hit.score for hit in found] == pytest.approx([cosines[str(hit.id)] for hit in found], abs=1e-3)
            nearest = sorted(cosines, key=cosines.__getitem__, reverse=True)[:50]
            shares.append(len({str(hit.id) for hit in found} & set(nearest)) / 50)
        assert np.mean(shares) > 0.98
    finally:
        index.close()


def test_one_segment_is_searched_by_one_thread_whoever_made_it(
    index: EdgeIndex, library: Library, folder: Path
) -> None:
    config = folder / "first" / "edge_config.json"
    index.close()
    config.write_text(json.dumps({**json.loads(config.read_text()), "max_search_threads": 8}))
    again = EdgeIndex(folder, DIMENSIONS)
    assert again.count() == len(library.points)
    again.close()
    assert json.loads(config.read_text())["max_search_threads"] == 1


def test_an_optimised_index_is_searched_by_as_many_threads_as_it_has_segments_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (edge_shard, compaction):
        monkeypatch.setattr(module, "EXACT_BELOW", 1_000)
    library = Library(np.random.default_rng(13))
    library.add("theirs", "of the others", organization="large", amount=1_190)
    index = EdgeIndex(tmp_path / "grown", DIMENSIONS)
    index.ensure()
    index.upsert(library.points)
    try:
        assert index.optimize() is True
        (config,) = (tmp_path / "grown").glob("*/edge_config.json")
        segments = len(list((config.parent / "segments").iterdir()))
        assert segments > 1
        assert json.loads(config.read_text())["max_search_threads"] == min(segments, os.cpu_count() or 1)
    finally:
        index.close()


def test_organizations_of_every_size_find_what_is_nearest_when_graphs_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (edge_shard, compaction):
        monkeypatch.setattr(module, "EXACT_BELOW", 1_000)
    library = Library(np.random.default_rng(11))
    # The engine counts in whole KB, here from 960 on. Of exactly so many it neither makes a graph nor compares all.
    sizes = {"large": 2_400, "just above": 1_040, "just below": 940, "small": 100}
    for organization, size in sizes.items():
        for corpus in ("first", "second"):
            library.add(f"{organization} {corpus}", f"of {organization}", organization=organization, amount=size // 2)
    index = EdgeIndex(tmp_path / "sizes", DIMENSIONS)
    index.ensure()
    index.upsert(library.points)
    assert index.optimize() is True
    try:
        for organization in sizes:
            for corpora in (("first", "second"), ("second",)):
                where = search_filter(
                    scope(*(f"{organization} {one}" for one in corpora), organization=organization), 800
                )
                shares = []
                for _question in range(5):
                    question = library.vector()
                    nearest = {hit.id for hit in library.expected_dense(question, where)[:10]}
                    shares.append(len(nearest & {hit.id for hit in index.search(question, None, where, 10).dense}) / 10)
                assert np.mean(shares) >= 0.97, (organization, corpora)
    finally:
        index.close()


def test_words_of_an_organization_that_is_small_beside_the_others_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (edge_shard, compaction):
        monkeypatch.setattr(module, "EXACT_BELOW", 1_000)
    monkeypatch.setattr(compaction, "_WORDS_COMPARED", 10)
    library = Library(np.random.default_rng(12))
    library.add("theirs", "of the others", organization="large", amount=1_190)
    library.add("ours", "of us", organization="small", amount=10)
    index = EdgeIndex(tmp_path / "words", DIMENSIONS)
    index.ensure()
    index.upsert(library.points)
    try:
        where, query = search_filter(scope("ours", organization="small"), 800), sparse(1, 2, 3)
        before = index.search(None, query, where, 10)
        assert index.optimize() is True
        kept = (tmp_path / "words").glob("*/segments/*/vector_index-bm25/sparse_index_config.json")
        assert [json.loads(one.read_text())["full_scan_threshold"] for one in kept] == [200]
        assert index.search(None, query, where, 10) == before
        assert before.sparse
        monkeypatch.setattr(compaction, "_GROWTH", 1.0)
        index.upsert(library.add("theirs", "more of the others", organization="large", amount=1_200))
        assert index.optimize() is True
        kept = (tmp_path / "words").glob("*/segments/*/vector_index-bm25/sparse_index_config.json")
        assert [json.loads(one.read_text())["full_scan_threshold"] for one in kept] == [400]
    finally:
        index.close()


def test_without_room_an_index_is_refused_with_a_sentence_and_nobody_is_killed(small_disk: Mounting) -> None:
    folder = small_disk(8) / "space"
    with pytest.raises(
        IndexDiskFault, match=rf"the disk of {folder}\S* is full: \d\.\d MB are free, 192 MB are needed"
    ):
        EdgeIndex(folder, DIMENSIONS)
    fill_disk(folder.parent)
    with pytest.raises(IndexDiskFault, match="is full"):
        EdgeIndex(folder.parent / "another", DIMENSIONS)


def test_a_disk_that_is_full_under_an_open_index_is_told_by_whoever_writes_and_not_by_whoever_asks(
    small_disk: Mounting,
) -> None:
    library, disk = furnished(), small_disk(200)
    index = EdgeIndex(disk / "space", DIMENSIONS)
    index.ensure()
    index.upsert(library.points)
    filling = fill_disk(disk)
    try:
        for write in (lambda: index.upsert(library.points), lambda: index.delete_document(named("annex"))):
            with pytest.raises(IndexDiskFault, match="is full"):
                write()
        assert index.healthy()
        assert index.count() == len(library.points)
        filling.unlink()
        index.delete_document(named("annex"))
        assert index.count() < len(library.points)
    finally:
        index.close()


def test_a_disk_that_is_read_only_is_told(small_disk: Mounting) -> None:
    folder = small_disk(200)
    read_only(folder)
    with pytest.raises(IndexDiskFault, match="is read-only"):
        EdgeIndex(folder / "space", DIMENSIONS)
