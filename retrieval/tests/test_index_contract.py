"""One contract for every engine: Qdrant Edge, qdrant-client in memory, a live Qdrant server if QDRANT_URL is set, and
PostgreSQL with pgvector if PGVECTOR_URL is (`python -m tests.services index pgvector -- …` sets both)."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import pytest

from corpora.scope import Scope
from retrieval.filters import EmptyScope, SearchFilter, search_filter
from retrieval.index import Candidates, Hit, InvalidVector, SparseVector, VectorIndex, make_index
from retrieval.index.pgvector import calls as pgvector_calls
from retrieval.index.server import calls, engine
from retrieval.index.server.layout import CollectionLayout
from retrieval.index.silence import opening_breaker
from retrieval.tests.library import DIMENSIONS, Library, furnished, named, sparse

pytestmark = [
    # The in-memory client has neither payload indexes nor a graph, and says so.
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
    pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection:UserWarning"),
]


def in_memory(_folder: Path) -> VectorIndex:
    from qdrant_client import QdrantClient

    from retrieval.index.server import ServerIndex

    return ServerIndex(QdrantClient(":memory:"), "contract", DIMENSIONS)


def edge(folder: Path) -> VectorIndex:
    return make_index("contract", DIMENSIONS, url="", folder=folder)


def live(folder: Path) -> VectorIndex:
    return on_server(folder, CollectionLayout())


def live_by_tenant(folder: Path) -> VectorIndex:
    return on_server(folder, CollectionLayout(by_tenant=True))


def on_server(folder: Path, layout: CollectionLayout) -> VectorIndex:
    url = os.environ.get("QDRANT_URL", "")
    if not url:
        pytest.skip("QDRANT_URL names no live server")
    key = os.environ.get("QDRANT_API_KEY", "")
    return make_index(f"contract-{uuid4().hex}{layout.mark}", DIMENSIONS, url=url, api_key=key, folder=folder)


def pgvector(folder: Path) -> VectorIndex:
    url = os.environ.get("PGVECTOR_URL", "")
    if not url:
        pytest.skip("PGVECTOR_URL names no database")
    return make_index(f"contract-{uuid4().hex}", DIMENSIONS, url=url, folder=folder)


ENGINES = {
    "edge": edge,
    "memory": in_memory,
    "server": live,
    "server by tenant": live_by_tenant,
    "pgvector": pgvector,
}


@pytest.fixture(params=ENGINES.values(), ids=ENGINES.keys())
def index(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VectorIndex]:
    # What is right is judged here, not how soon: one server serves all the tests at once, on a machine that others use.
    monkeypatch.setattr("retrieval.index.pgvector.engine.READ_SECONDS", 30)
    for module in (calls, engine, pgvector_calls):
        monkeypatch.setattr(module, "READ_SECONDS", 30)
    opening_breaker.cache_clear()
    made: VectorIndex = request.param(tmp_path)
    made.ensure()
    yield made
    if request.param in (live, live_by_tenant, pgvector):
        made.drop()  # type: ignore[attr-defined]
    made.close()


@pytest.fixture
def library(index: VectorIndex) -> Library:
    filled = furnished()
    index.upsert(filled.points)
    return filled


def scope(*corpora: str, personal: tuple[str, ...] = (), user: str = "alice", organization: str = "acme") -> Scope:
    own = frozenset(map(named, personal))
    return Scope(named(organization), named(user), frozenset(map(named, corpora)), own)


def assert_ranked(found: tuple[Hit, ...], expected: list[Hit]) -> None:
    assert [hit.id for hit in found] == [hit.id for hit in expected]
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=2e-3)


def seen(index: VectorIndex, where: SearchFilter) -> set[UUID]:
    query = np.ones(DIMENSIONS, dtype=np.float32)
    return {hit.id for hit in index.search(query, None, where, 1000).dense}


WHERES = {
    "one global corpus": search_filter(scope("manual"), 800),
    "two global corpora": search_filter(scope("manual", "laws"), 800),
    "both tiers": search_filter(scope("manual", personal=("notes",)), 800),
    "personal only": search_filter(scope(personal=("notes",)), 800),
    "another granularity": search_filter(scope("manual", "laws"), 256),
    "another organization": search_filter(scope("manual", organization="rival"), 800),
    "a required tag": search_filter(scope("manual", "laws"), 800, {"tags": ["a"]}),
    "any of two tags": search_filter(scope("manual", "laws"), 800, {"tags": ["a", "b"]}),
    "two requirements": search_filter(scope("manual"), 800, {"tags": ["b"], "unit": ["2"]}),
    "a year": search_filter(scope("manual", "laws"), 800, {"source_date": ["2019"]}),
    "since a month": search_filter(scope("manual", "laws"), 800, {"source_date": ["2024-01.."]}),
    "one of two spans": search_filter(scope("manual"), 800, {"source_date": ["..2018", "2024-01-31"], "tags": ["b"]}),
    "a requirement over both tiers": search_filter(scope("manual", personal=("notes",)), 800, {"language": ["es"]}),
}


@pytest.mark.parametrize("where", WHERES.values(), ids=WHERES.keys())
def test_every_engine_finds_and_ranks_as_the_plain_computation(
    index: VectorIndex, library: Library, where: SearchFilter
) -> None:
    for _ in range(5):
        dense, words = library.vector(), library.terms()
        query = sparse(*words.indices)
        found = index.search(dense, query, where, 8)
        assert found.dense
        assert_ranked(found.dense, library.expected_dense(dense, where)[:8])
        assert_ranked(found.sparse, library.expected_sparse(query, where)[:8])


def test_what_one_may_read_is_all_one_finds(index: VectorIndex, library: Library) -> None:
    for where in WHERES.values():
        assert seen(index, where) == {point.id for point in library.readable(where)}


def test_a_corpus_of_another_organization_is_not_found_even_if_a_scope_named_it(
    index: VectorIndex, library: Library
) -> None:
    library.add("secret", "plan", organization="rival")
    index.upsert(library.points)
    assert seen(index, search_filter(scope("secret"), 800)) == set()


def test_a_personal_corpus_is_not_found_by_another_user_even_if_a_scope_named_it(
    index: VectorIndex, library: Library
) -> None:
    where = search_filter(scope(personal=("drafts",), user="alice"), 800)
    assert seen(index, where) == set()
    assert len(seen(index, search_filter(scope(personal=("drafts",), user="bob"), 800))) == 4


def test_a_personal_corpus_named_as_global_is_not_found(index: VectorIndex, library: Library) -> None:
    assert seen(index, search_filter(scope("notes", "drafts"), 800)) == set()


def test_an_empty_scope_never_searches(library: Library) -> None:
    with pytest.raises(EmptyScope):
        search_filter(scope(), 800)
    with pytest.raises(EmptyScope):
        replace(WHERES["both tiers"], should=())


def test_what_others_wrote_does_not_shift_a_ranking(index: VectorIndex, library: Library) -> None:
    where, query = WHERES["one global corpus"], sparse(*range(12))
    before = index.search(None, query, where, 50)
    library.add("manual", "flood", organization="rival", amount=40)
    library.add("drafts", "flood2", owner="bob", amount=40)
    index.upsert(library.points)
    assert index.search(None, query, where, 50) == before


def test_a_leg_without_a_vector_is_skipped(index: VectorIndex, library: Library) -> None:
    where, nothing = WHERES["one global corpus"], SparseVector((), ())
    dense, query = library.vector(), sparse(1, 2, 3)
    both = index.search(dense, query, where, 5)
    assert index.search(dense, nothing, where, 5) == Candidates(both.dense, ())
    assert index.search(None, query, where, 5) == Candidates((), both.sparse)
    assert index.search(None, nothing, where, 5) == Candidates()
    assert index.search(None, None, where, 5) == Candidates()


def test_terms_that_nobody_wrote_find_nothing(index: VectorIndex, library: Library) -> None:
    assert index.search(None, sparse(999_999), WHERES["both tiers"], 5) == Candidates()


def test_a_point_without_terms_is_found_by_its_meaning_only(index: VectorIndex, library: Library) -> None:
    (point,) = library.add("manual", "picture", amount=1)
    index.upsert([replace(point, sparse=SparseVector((), ()))])
    found = index.search(point.dense, sparse(*range(12)), WHERES["one global corpus"], 50)
    assert found.dense[0].id == point.id
    assert point.id not in {hit.id for hit in found.sparse}


def test_writing_a_point_again_replaces_it(index: VectorIndex, library: Library) -> None:
    total = index.count()
    index.upsert(library.points)
    assert index.count() == total == len(library.points)
    moved = replace(library.points[0], dense=-library.points[0].dense)
    index.upsert([moved])
    assert index.search(moved.dense, None, WHERES["one global corpus"], 1).dense[0].score == pytest.approx(1, abs=2e-3)
    assert index.count() == total


def test_nothing_written_changes_nothing(index: VectorIndex) -> None:
    index.upsert([])
    index.delete_points([])
    assert index.count() == 0
    assert seen(index, WHERES["both tiers"]) == set()


def test_deleting_a_document_removes_it_and_nothing_else(index: VectorIndex, library: Library) -> None:
    index.delete_document(named("guide"))
    assert index.count(named("guide")) == 0
    assert index.count() == len(library.points) - 6
    index.delete_document(named("never was"))
    assert index.count() == len(library.points) - 6


def test_deleting_old_versions_keeps_the_one_in_use(index: VectorIndex, library: Library) -> None:
    newer = library.add("manual", "guide", amount=3, version=2)
    index.upsert(newer)
    assert index.count(named("guide")) == 9
    index.delete_document(named("guide"), keep_version=2)
    assert index.count(named("guide")) == 3
    assert {point for point, document in index.point_ids() if document == named("guide")} == {p.id for p in newer}


def test_deleting_points_by_id_ignores_those_that_are_gone(index: VectorIndex, library: Library) -> None:
    ids = [point.id for point in library.points[:3]]
    index.delete_points([*ids, uuid4()])
    assert index.count() == len(library.points) - 3
    assert not set(ids) & {point for point, _ in index.point_ids()}


def test_deleting_a_corpus_removes_every_document_of_it(index: VectorIndex, library: Library) -> None:
    index.delete_corpus(named("laws"))
    assert {document for _, document in index.point_ids()} == {
        named(name) for name in ("guide", "annex", "diary", "draft", "foreign")
    }


def test_metadata_becomes_exactly_what_is_given(index: VectorIndex, library: Library) -> None:
    index.set_metadata(
        named("guide"), {"tags": ["c"], "course": "NET", "unit": None, "topic": "", "source_date": 20260228}
    )
    corpus = scope("manual")
    assert len(seen(index, search_filter(corpus, 800, {"tags": ["c"], "course": ["NET"]}))) == 6
    for gone in ({"tags": ["a"]}, {"unit": ["1"]}, {"language": ["es"]}):
        assert seen(index, search_filter(corpus, 800, gone)) == set()
    assert len(seen(index, search_filter(corpus, 800, {"tags": ["b"]}))) == 5
    assert len(seen(index, search_filter(corpus, 800, {"source_date": ["2026-02"]}))) == 6
    assert seen(index, search_filter(corpus, 800, {"source_date": ["2019"]})) == set()
    assert len(seen(index, search_filter(corpus, 800))) == 11


def test_only_metadata_can_be_changed(index: VectorIndex, library: Library) -> None:
    with pytest.raises(ValueError, match="organization_id"):
        index.set_metadata(named("guide"), {"organization_id": "other"})


def test_every_point_says_whose_it_is(index: VectorIndex, library: Library) -> None:
    expected = {
        (point.id, point.payload["organization_id"], point.payload.get("user_id") or "") for point in library.points
    }
    assert {(one.point, one.organization, one.user) for one in index.point_owners(7)} == expected
    assert len({user for _, _, user in expected}) > 1, "personal ones are among them"


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_every_point_is_listed_once_with_its_document(index: VectorIndex, library: Library, batch: int) -> None:
    listed = list(index.point_ids(batch))
    assert len(listed) == len(library.points)
    assert set(listed) == {(point.id, UUID(str(point.payload["document_id"]))) for point in library.points}


@pytest.mark.parametrize(
    "dense",
    [
        np.ones(DIMENSIONS - 1, dtype=np.float32),
        np.ones((1, DIMENSIONS), dtype=np.float32),
        np.full(DIMENSIONS, np.nan, dtype=np.float32),
        np.full(DIMENSIONS, np.inf, dtype=np.float32),
    ],
    ids=["short", "matrix", "nan", "infinite"],
)
def test_a_bad_dense_vector_is_refused_before_anything_is_written(index: VectorIndex, dense: np.ndarray) -> None:
    good, bad = Library().add("manual", "guide", amount=2)
    with pytest.raises(InvalidVector):
        index.upsert([good, replace(bad, dense=dense)])
    assert index.count() == 0
    with pytest.raises(InvalidVector):
        index.search(dense, None, WHERES["one global corpus"], 5)


@pytest.mark.parametrize(
    "terms",
    [
        SparseVector((1, 1), (1.0, 1.0)),
        SparseVector((1,), (1.0, 2.0)),
        SparseVector((-1,), (1.0,)),
        SparseVector((2**32,), (1.0,)),
        SparseVector((1,), (float("nan"),)),
    ],
    ids=["repeated", "uneven", "negative", "too large", "nan"],
)
def test_a_bad_sparse_vector_is_refused(index: VectorIndex, terms: SparseVector) -> None:
    (point,) = Library().add("manual", "guide", amount=1)
    with pytest.raises(InvalidVector):
        index.upsert([replace(point, sparse=terms)])
    with pytest.raises(InvalidVector):
        index.search(None, terms, WHERES["one global corpus"], 5)


def test_ensuring_again_keeps_everything(index: VectorIndex, library: Library) -> None:
    index.ensure()
    assert index.count() == len(library.points)
    assert index.healthy()
    assert index.optimize() is False
