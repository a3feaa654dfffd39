"""PostgreSQL with pgvector as the index: real faults, a real pooler, graphs, copies, and Acervo on it (ADR 0018)."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest

from corpora.scope import Scope
from retrieval.filters import SearchFilter, search_filter
from retrieval.index import IndexOutdated, IndexUnavailable, Point, SparseVector, make_index
from retrieval.index.pgvector import PgvectorIndex, graphs, kept, rows, words
from retrieval.index.pgvector import scope as searched
from retrieval.index.pgvector.scope import Spread
from retrieval.index.pgvector.tables import CollectionTables
from retrieval.index.silence import opening_breaker
from retrieval.tests.library import DIMENSIONS, Library, furnished, named, sparse
from tests.live import patience
from tests.services.installation import Background, Installation, Web, indexed, new_corpus, uploaded
from tests.services.servers import NotInstalled, PgBouncer, PgvectorPostgres, wait_until

WHERE = search_filter(Scope(named("acme"), named("alice"), frozenset({named("manual")}), frozenset()), 800)
QUERY = np.ones(DIMENSIONS, dtype=np.float32)
AGENT = "investigador-tecnico"


@pytest.fixture(scope="module")
def server(wanted: None, folder: Path) -> Iterator[PgvectorPostgres]:
    try:
        made = PgvectorPostgres(folder)
    except NotInstalled as missing:
        pytest.skip(f"WITHOUT PGVECTOR: {missing}")
    yield made.start()
    made.stop()


@pytest.fixture(scope="module")
def url(server: PgvectorPostgres) -> str:
    return server.create_index_database()


@pytest.fixture(autouse=True)
def tended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.index.pgvector.engine.TENDED_EVERY", 0.0)


@pytest.fixture
def make(url: str) -> Iterator[Callable[..., PgvectorIndex]]:
    """Indexes of collections that end with the test."""
    made: list[PgvectorIndex] = []

    def index(collection: str = "", address: str = url, **options: int) -> PgvectorIndex:
        made.append(PgvectorIndex(address, collection or f"test-{uuid4().hex}", DIMENSIONS, **options))
        return made[-1]

    opening_breaker.cache_clear()
    yield index
    for one in made:
        one.drop()
        one.close()


@pytest.fixture
def index(make: Callable[..., PgvectorIndex]) -> PgvectorIndex:
    filled = make()
    filled.ensure()
    filled.upsert(furnished().points)
    return filled


def found(index: PgvectorIndex, where: SearchFilter = WHERE) -> list[UUID]:
    return [hit.id for hit in index.search(QUERY, sparse(*range(12)), where, 50).dense]


# ── faults ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_frozen_server_costs_a_question_a_second_and_the_third_one_nothing(
    index: PgvectorIndex, server: PgvectorPostgres
) -> None:
    before = found(index)
    with frozen(server):
        for limit in (1.5, 2.5, 0.2):  # the second has no kept connection, and waits for a new one
            began = time.monotonic()
            with pytest.raises(IndexUnavailable):
                found(index)
            assert time.monotonic() - began < patience(limit)
    wait_until(lambda: answers(index) == before, 30, "it is searched again")


@contextmanager
def frozen(server: PgvectorPostgres) -> Iterator[None]:
    """The server and the processes that serve its connections."""
    assert server.process is not None
    first = server.process.pid
    processes = [first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def test_a_restart_costs_no_search(index: PgvectorIndex, server: PgvectorPostgres) -> None:
    before = found(index)
    server.stop()
    server.start()
    assert found(index) == before
    index.delete_document(named("annex"))
    assert index.count(named("annex")) == 0


def test_a_child_opens_connections_of_its_own_and_leaves_the_parent_s_alone(index: PgvectorIndex) -> None:
    before = found(index)
    (kept,) = index._calls._pool._free
    index._calls._pool._pid -= 1  # as a fork leaves it
    assert found(index) == before
    assert kept not in index._calls._pool._free
    assert not kept.closed
    kept.close()


def answers(index: PgvectorIndex) -> list[UUID]:
    try:
        return found(index)
    except IndexUnavailable:
        return []


# ── many at once ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_processes_that_start_together_find_one_collection(make: Callable[..., PgvectorIndex]) -> None:
    collection = f"race-{uuid4().hex}"
    racing = [make(collection) for _ in range(6)]
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda one: one.ensure(), racing))
    racing[0].upsert(furnished().points)
    assert racing[-1].count() == len(furnished().points)


def test_two_writers_of_the_same_points_leave_each_once(make: Callable[..., PgvectorIndex]) -> None:
    collection, points = f"same-{uuid4().hex}", furnished().points
    writers = [make(collection) for _ in range(4)]
    writers[0].ensure()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda one: [one.upsert(points) for _ in range(3)], writers))
    assert writers[0].count() == len(points) == len(set(writers[1].point_ids()))
    with psycopg.connect(writers[0]._calls._pool._url) as link:
        rows = link.execute(f'SELECT count(*) FROM "acervo_{collection}".postings').fetchone()
    assert rows == (sum(len(point.sparse.indices) for point in points),), "no posting of a replaced point is left"


def test_a_pooler_that_lends_connections_by_transaction_changes_nothing(
    folder: Path, server: PgvectorPostgres, index: PgvectorIndex
) -> None:
    try:
        pooler = PgBouncer(folder, server, connections=2).serving("acervo_index")
    except NotInstalled as missing:
        pytest.skip(f"WITHOUT A POOLER: {missing}")
    through = f"postgresql://acervo_index@127.0.0.1:{pooler.port}/acervo_index"
    pooled = PgvectorIndex(through, f"pooled-{uuid4().hex}", DIMENSIONS, connections=6)
    try:
        pooled.ensure()
        batches = [furnished().points[at::6] for at in range(6)]
        with ThreadPoolExecutor(6) as threads:
            list(threads.map(pooled.upsert, batches))
            answered = list(threads.map(lambda _: found(pooled), range(30)))
        assert all(one == found(index) for one in answered)
        with psycopg.connect(through) as link:
            assert link.execute("SHOW statement_timeout").fetchone() == ("0",), "nothing is left set on a connection"
        pooled.drop()
    finally:
        pooled.close()
        pooler.stop()


# ── words ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("is_kept", [False, True])
def test_words_that_are_common_are_left_out_of_the_sum_and_change_no_list(
    make: Callable[..., PgvectorIndex], monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    for name, value in {"COMMON_FROM": 1, "MOST_LEFT_OUT": 1.0, "SOUGHT_FROM": 60}.items():
        monkeypatch.setattr(words, name, value)
    monkeypatch.setattr(kept, "KEPT_FROM", 1)
    common: list[int] = []
    certain: list[float] = []

    def told(spread: list[Spread], idf: dict[int, float], limit: int, known: float = 0.0) -> words.ChosenWords:
        chosen = telling_words(spread, idf, limit, known)
        common.append(len(spread) - len(chosen.telling))
        certain.append(known)
        return chosen

    telling_words = words.telling_words
    monkeypatch.setattr(words, "telling_words", told)
    library = worded(500)
    index = make()
    index.ensure()
    index.upsert(library.points)
    assert index.optimize() is True
    if not is_kept:
        with psycopg.connect(index._calls._pool._url) as link:
            link.execute(index._tables.statement("UPDATE {slices} SET points = NULL"))
    random = np.random.default_rng(4)
    scope = Scope(named("acme"), named("alice"), frozenset({named("manual")}), frozenset())
    for where in (WHERE, *(search_filter(scope, 800, {"tags": [tag]}) for tag in ("a", "b"))):
        for _ in range(20):
            query = sparse(*sorted(random.choice(30, size=6, replace=False).tolist()))
            hits = index.search(None, query, where, 10).sparse
            expected = library.expected_sparse(query, where)[:10]
            assert [hit.id for hit in hits] == [hit.id for hit in expected]
            assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=1e-4)
    assert sum(map(bool, common)) > 10
    assert 5 < sum(map(bool, certain)) < len(certain)


def worded(amount: int) -> Library:
    """Points of one corpus with words of which some stand in most of them and some in few."""
    library, random = Library(), np.random.default_rng(3)
    library.add("manual", "guide", amount=amount, tags=["a"])
    for place, point in enumerate(library.points):
        terms = [term for term in range(30) if random.random() < 1 / (1 + term / 2)] or [0]
        weights = tuple(random.uniform(0.5, 2, size=len(terms)).tolist())
        payload = point.payload if place % 3 else point.payload | {"tags": ["b"]}
        library.points[place] = Point(point.id, point.dense, SparseVector(tuple(terms), weights), payload)
    return library


# ── what is kept ────────────────────────────────────────────────────────────────────────────────────────────────────

_KEPT = "SELECT no, points FROM {slices} WHERE points IS NOT NULL ORDER BY no"
_COUNTED = "SELECT slice, count(*) FROM {chunks} WHERE slice = ANY(%s) GROUP BY slice ORDER BY slice"
_KEPT_WORDS = "SELECT slice, term, points FROM {words} WHERE points <> 0 ORDER BY slice, term"
_COUNTED_WORDS = """
SELECT slice, term, count(*), min(weight), max(weight) FROM {postings} WHERE slice = ANY(%s)
GROUP BY slice, term ORDER BY slice, term
"""
_BOUNDS = "SELECT lowest, highest FROM {words} WHERE points <> 0 ORDER BY slice, term"


def assert_kept_are_counted(index: PgvectorIndex) -> list[int]:
    """What is kept of each slice, held against what is there; the numbers of those that are kept."""
    tell = index._tables.statement
    with psycopg.connect(index._calls._pool._url) as link:
        points = link.execute(tell(_KEPT)).fetchall()
        slices = [no for no, _points in points]
        assert [one for one in points if one[1]] == link.execute(tell(_COUNTED), (slices,)).fetchall()
        counted = link.execute(tell(_COUNTED_WORDS), (slices,)).fetchall()
        assert link.execute(tell(_KEPT_WORDS)).fetchall() == [one[:3] for one in counted]
        for (lowest, highest), one in zip(link.execute(tell(_BOUNDS)).fetchall(), counted, strict=True):
            assert lowest <= one[3]
            assert highest >= one[4]
    return slices


def test_what_is_kept_of_a_large_slice_follows_what_is_written_replaced_moved_and_deleted(
    make: Callable[..., PgvectorIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "KEPT_FROM", 50)
    library = worded(60)
    library.add("laws", "act", amount=20)
    index = make()
    index.ensure()
    assert index.optimize() is False
    index.upsert(library.points[:40])
    assert index.optimize() is False, "a small one is counted"
    index.upsert(library.points)
    assert index.optimize() is True
    assert len(assert_kept_are_counted(index)) == 1
    assert index.optimize() is False
    replaced = [Point(one.id, one.dense, sparse(5, 77), one.payload) for one in library.points[:10]]
    index.upsert([*replaced, Point(uuid4(), QUERY, sparse(), library.points[0].payload)])
    assert len(assert_kept_are_counted(index)) == 1
    corpus = library.points[-1].payload
    index.upsert([Point(one.id, one.dense, one.sparse, corpus) for one in library.points[10:15]])
    index.delete_points([one.id for one in library.points[20:25]])
    assert len(assert_kept_are_counted(index)) == 1
    index.delete_corpus(named("manual"))
    assert len(assert_kept_are_counted(index)) == 1, "an empty one stays until upkeep"
    index.optimize()
    with psycopg.connect(index._calls._pool._url) as link:
        assert link.execute(index._tables.statement("SELECT count(*) FROM {words}")).fetchone() == (0,)


@pytest.mark.parametrize(
    "change",
    [
        lambda link, tables, points: rows.delete_chunks(link, tables, "id = ANY(%s)", [one.id for one in points[:3]]),
        lambda link, tables, points: rows.write_points(link, tables, [replace(one, id=uuid4()) for one in points[:3]]),
        lambda link, tables, points: rows.write_points(link, tables, points[:3]),
        lambda link, tables, points: rows.write_points(link, tables, [moved(one, "laws") for one in points[:3]]),
    ],
    ids=["delete", "write", "replace", "move"],
)
def test_nothing_is_begun_with_while_somebody_writes_there(
    make: Callable[..., PgvectorIndex],
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[psycopg.Connection, CollectionTables, list[Point]], None],
) -> None:
    monkeypatch.setattr(kept, "KEPT_FROM", 10)
    monkeypatch.setattr(kept, "TRIES", 1)
    index, points = make(), worded(20).points
    index.ensure()
    index.upsert(points)
    url, tables = index._calls._pool._url, index._tables
    with psycopg.connect(url, autocommit=True) as writer, psycopg.connect(url, autocommit=True) as upkeep:
        with writer.transaction():
            change(writer, tables, points)
            assert kept.begin_keeping(upkeep, tables) is False
        assert kept.begin_keeping(upkeep, tables) is True
        (no,) = assert_kept_are_counted(index)
        assert kept.begin_slice(upkeep, tables, no) is False, "it is kept already"
        upkeep.execute(tables.statement("UPDATE {slices} SET points = NULL"))
        assert kept.begin_slice(upkeep, tables, no) is True, "it is counted anew"
    assert_kept_are_counted(index)


def test_one_that_is_written_to_for_a_moment_is_begun_with_after_it(
    make: Callable[..., PgvectorIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "KEPT_FROM", 10)
    index, points = make(), worded(20).points
    index.ensure()
    index.upsert(points)
    url, tables = index._calls._pool._url, index._tables
    with (
        psycopg.connect(url, autocommit=True) as writer,
        psycopg.connect(url, autocommit=True) as upkeep,
        ThreadPoolExecutor(1) as thread,
    ):
        with writer.transaction():
            rows.write_points(writer, tables, points[:3])
            begun = thread.submit(kept.begin_keeping, upkeep, tables)
            time.sleep(0.3)
            assert not begun.done()
        assert begun.result(patience(10)) is True
    assert len(assert_kept_are_counted(index)) == 1


def moved(point: Point, corpus: str) -> Point:
    return replace(point, payload={**point.payload, "corpus_id": str(named(corpus))})


def test_one_that_is_too_large_to_be_counted_while_its_writers_wait_is_left(
    make: Callable[..., PgvectorIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "KEPT_FROM", 5)
    monkeypatch.setattr(kept, "MOST_BEGUN", 10)
    index = make()
    index.ensure()
    index.upsert(worded(11).points)
    assert index.optimize() is False


def test_what_is_kept_is_right_though_many_write_move_and_delete_while_it_begins_and_nobody_waits_in_a_circle(
    make: Callable[..., PgvectorIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "KEPT_FROM", 10)
    collection = f"kept-{uuid4().hex}"
    # Each writer has its own document, and all of them write to the same two corpora, in batches of both.
    documents = [[replace(one, id=uuid4()) for one in worded(30).points] for _ in range(5)]
    for number, points in enumerate(documents):
        for place, one in enumerate(points):
            points[place] = replace(one, payload={**one.payload, "document_id": str(named(f"document {number}"))})
    writers = [make(collection) for _ in documents]
    writers[0].ensure()
    writers[0].upsert([*worded(10).points, *(moved(replace(one, id=uuid4()), "laws") for one in worded(10).points)])
    assert writers[0].optimize() is True
    url, tables = writers[0]._calls._pool._url, writers[0]._tables

    def work(number: int) -> None:
        own, random, corpora = writers[number], np.random.default_rng(number), ["manual", "laws"]
        for turn in range(25):
            chosen = [documents[number][at] for at in random.permutation(30)[: 15 if turn % 5 == 0 else None].tolist()]
            if turn % 5 == 1:
                own.delete_points([one.id for one in chosen[:20]])
            both = turn % 5 == 2
            own.upsert([moved(one, corpora[(turn + number + both * place) % 2]) for place, one in enumerate(chosen)])
            if number == 0 and turn > 10:
                with psycopg.connect(url) as link:
                    link.execute(tables.statement("UPDATE {slices} SET points = NULL WHERE no = 1"))
                own.optimize()

    with ThreadPoolExecutor(5) as threads:
        list(threads.map(work, range(5)))
    writers[0].optimize()
    assert len(assert_kept_are_counted(writers[0])) == 2
    with psycopg.connect(url) as link:
        asked = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        assert link.execute(asked).fetchone() == (0,)


# ── graphs ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_large_organization_gets_a_graph_which_is_walked_and_a_small_one_none(
    index: PgvectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = found(index)
    monkeypatch.setattr(graphs, "GRAPH_FROM", 12)
    monkeypatch.setattr(graphs, "GRAPH_UNTIL", 8)
    monkeypatch.setattr(searched, "EXACT_BELOW_IN_SQL", 5)
    graph = graphs.graph_name(str(named("acme")))
    assert index.optimize() is True
    assert index.optimize() is False
    with psycopg.connect(index._calls._pool._url, autocommit=True) as link:
        assert [name for name, _ in link.execute(graphs._GRAPHS, (index._tables.vectors.as_string(link),))] == [graph]
        assert found(index) == exact
        wait_until(lambda: walks(link, graph) > 0, 10, "PostgreSQL says that the graph was walked")
    tagged = search_filter(
        Scope(named("acme"), named("alice"), frozenset({named("manual")}), frozenset()), 800, {"tags": ["a"]}
    )
    assert len(found(index, tagged)) == 6, "a walk goes on until it has met enough that the filter lets through"
    index.delete_corpus(named("manual"))
    index.delete_corpus(named("laws"))
    monkeypatch.setattr(graphs, "GRAPH_UNTIL", 12)
    assert index.optimize() is True, "it has shrunk"
    assert index.optimize() is False


def walks(link: psycopg.Connection, graph: str) -> int:
    row = link.execute("SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname = %s", (graph,)).fetchone()
    return int(row[0] or 0) if row else 0


def test_what_a_broken_build_has_left_is_built_anew(index: PgvectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "GRAPH_FROM", 12)
    monkeypatch.setattr(graphs, "GRAPH_UNTIL", 8)
    monkeypatch.setattr(searched, "EXACT_BELOW_IN_SQL", 5)
    assert index.optimize() is True
    graph = graphs.graph_name(str(named("acme")))
    superuser = index._calls._pool._url.replace("//acervo_index@", "//postgres@")
    with psycopg.connect(superuser, autocommit=True) as link:
        link.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)",
            (index._tables.named(graph).as_string(link),),
        )
    assert found(index), "all are compared meanwhile"
    assert index.optimize() is True
    assert index.optimize() is False


# ── rights, versions, copies ────────────────────────────────────────────────────────────────────────────────────────


def test_a_database_without_the_extension_is_refused_with_advice(server: PgvectorPostgres, folder: Path) -> None:
    superuser = f"postgresql://postgres@127.0.0.1:{server.port}/"
    with psycopg.connect(superuser + "postgres", autocommit=True) as link:
        link.execute("CREATE DATABASE bare OWNER acervo_index")
    bare = make_index("bare", 8, url=f"postgresql://acervo_index@127.0.0.1:{server.port}/bare", folder=folder)
    with pytest.raises(IndexOutdated, match="as a superuser: CREATE EXTENSION vector"):
        bare.ensure()
    with pytest.raises(IndexOutdated, match=r"pgvector 0\.8 or newer"):
        bare.version()
    assert not bare.healthy()
    with psycopg.connect(superuser + "bare", autocommit=True) as link:
        link.execute("CREATE EXTENSION vector")
    bare.ensure()
    assert bare.healthy()
    assert "pgvector" in bare.version()
    other = make_index("bare", 9, url=f"postgresql://acervo_index@127.0.0.1:{server.port}/bare", folder=folder)
    with pytest.raises(ValueError, match="8 dimensions, not 9"):
        other.ensure()
    for one in (bare, other):
        one.close()


def test_a_copy_by_postgresql_s_own_means_brings_a_collection_back(
    index: PgvectorIndex, server: PgvectorPostgres, folder: Path
) -> None:
    before, count = found(index), index.count()
    copy, schema = folder / "index.dump", index._tables.schema
    where = ["--host", "127.0.0.1", "--port", str(server.port), "--username", "acervo_index"]
    run = partial(subprocess.run, check=True, capture_output=True)
    run(
        [server.binaries / "pg_dump", *where, "--format", "custom", "--schema", schema, "--file", copy, "acervo_index"],
    )
    index.delete_corpus(named("manual"))
    assert found(index) == []
    index.drop()
    run([server.binaries / "pg_restore", *where, "--dbname", "acervo_index", copy])
    assert (found(index), index.count()) == (before, count)
    index.upsert([Point(uuid4(), QUERY, sparse(1), furnished().points[0].payload)])
    assert index.count() == count + 1, "its numbers go on where they were"


# ── Acervo on it ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def settings_wanted(url: str) -> dict[str, str]:
    return {"QDRANT_URL": "", "QDRANT_API_KEY": "", "PGVECTOR_URL": url}


def test_a_document_is_found_in_postgresql_and_gone_when_it_is_erased(
    installation: Installation, web: Web, worker: Background, beat: Background
) -> None:
    admin = installation.caller(web)
    corpus = new_corpus(admin, AGENT)
    text = "# Taller\n\nLa relojera guarda en su taller el reloj de péndulo del faro.\n"
    document = uploaded(admin, corpus, "taller.md", text.encode())
    indexed(admin, document)
    events = admin.answers(AGENT, "¿Qué guarda la relojera en su taller?")
    assert events[0].data["sources"][0]["document"] == document
    assert "pgvector" in admin.call("GET", "/readyz").body["versions"]["index"]
    admin.call("DELETE", f"/api/documents/{document}/")
    again = admin.answers(AGENT, "¿Qué guarda la relojera en el taller?")[0].data["sources"]
    assert document not in {one["document"] for one in again}
