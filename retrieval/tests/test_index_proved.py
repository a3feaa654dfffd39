"""A shorter filter is asked only where it was counted to have the same points, until one comes to its corpora."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.filters import SearchFilter, search_filter
from retrieval.index import compaction, edge_shard, proved
from retrieval.index.base import Candidates
from retrieval.index.edge import EdgeIndex
from retrieval.tests.library import DIMENSIONS, Library, furnished, named, sparse
from retrieval.tests.test_index_contract import WHERES, assert_ranked, scope

MANUAL = search_filter(scope("manual"), 800)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EdgeIndex]:
    opened = EdgeIndex(tmp_path / "space", DIMENSIONS)
    opened.ensure()
    yield opened
    opened.close()


def conditions(allowed: Any) -> int:
    return len(allowed.must) + len(allowed.should or ())


@pytest.fixture
def asked(index: EdgeIndex, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many conditions each search asked, in order."""
    numbers: list[int] = []
    search = index._search

    def counted(dense: Any, words: Any, limit: int, allowed: Any) -> Candidates:
        numbers.append(conditions(allowed))
        return search(dense, words, limit, allowed)

    monkeypatch.setattr(index, "_search", counted)
    return numbers


@pytest.fixture
def counted(index: EdgeIndex, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the engine was asked to count, in order."""
    conditions_counted: list[Any] = []
    count = index._proved._count

    def counting(condition: Any) -> int:
        conditions_counted.append(condition)
        return count(condition)

    monkeypatch.setattr(index._proved, "_count", counting)
    return conditions_counted


def write(index: EdgeIndex, library: Library, corpus: str, **payload: Any) -> None:
    index.upsert(library.add(corpus, f"{corpus} document", amount=2, **payload))


def search(index: EdgeIndex, where: SearchFilter = MANUAL) -> Candidates:
    return index.search(np.ones(DIMENSIONS, dtype=np.float32), sparse(1, 2, 3), where, 50)


def test_a_filter_that_is_asked_again_is_asked_with_one_condition(index: EdgeIndex, asked: list[int]) -> None:
    write(index, Library(), "manual")
    found = [search(index) for _ in range(3)]
    assert asked == [4, 1, 1]
    assert found[0] == found[1] == found[2]
    assert len(found[0].dense) == 2


def test_counting_is_paid_once(index: EdgeIndex, counted: list[Any]) -> None:
    write(index, Library(), "manual")
    for _ in range(5):
        search(index)
    assert len(counted) == 2


def test_another_granularity_in_the_corpus_leaves_the_filter_its_granularity(
    index: EdgeIndex, asked: list[int]
) -> None:
    library = Library()
    write(index, library, "manual")
    write(index, library, "manual", granularity="256")
    assert [len(search(index).dense) for _ in range(3)] == [2, 2, 2]
    assert asked == [4, 2, 2]


@pytest.mark.parametrize("stray", [{"organization_id": "another's"}, {"corpus_type": "personal"}])
def test_one_stray_point_in_the_corpus_and_the_filter_is_asked_whole(
    index: EdgeIndex, asked: list[int], stray: dict[str, str]
) -> None:
    library = Library()
    write(index, library, "manual")
    write(index, library, "manual", **stray)
    assert [len(search(index).dense) for _ in range(3)] == [2, 2, 2]
    assert asked == [4, 4, 4]


def test_what_is_written_after_the_counting_ends_it(index: EdgeIndex, asked: list[int]) -> None:
    library = Library()
    write(index, library, "manual")
    before = [search(index) for _ in range(2)]
    write(index, library, "manual", organization="rival")
    assert [search(index) for _ in range(3)] == [before[0]] * 3
    assert asked == [4, 1, 4, 4, 4]


def test_a_stray_point_written_between_the_counting_and_the_search_is_not_found(
    index: EdgeIndex, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library()
    write(index, library, "manual")
    before = [search(index) for _ in range(2)]
    first, plain = [True], index._proved._shorter

    def overtaken(*asked_for: Any) -> Any:
        shorter = plain(*asked_for)
        if first.pop():
            write(index, library, "manual", organization="rival")
        return shorter

    monkeypatch.setattr(index._proved, "_shorter", overtaken)
    assert search(index) == before[0]
    assert asked == [4, 1, 1, 4]  # what the shorter one found was thrown away


def test_what_is_written_elsewhere_deleted_or_said_of_a_document_ends_nothing(
    index: EdgeIndex, asked: list[int], counted: list[Any]
) -> None:
    library = Library()
    write(index, library, "manual")
    for _ in range(2):
        search(index)
    write(index, library, "laws", organization="rival")
    index.delete_points([library.points[0].id])
    index.delete_document(named("laws document"))
    index.set_metadata(named("manual document"), {"language": "es"})
    assert [hit.id for hit in search(index).dense] == [library.points[1].id]
    assert (asked, len(counted)) == ([4, 1, 1], 2)


def test_a_point_that_moves_in_ends_it_and_one_that_moves_away_does_not(index: EdgeIndex, asked: list[int]) -> None:
    library = Library()
    write(index, library, "manual")
    write(index, library, "laws", organization="rival")
    for _ in range(2):
        search(index)
    away, stray = library.points[0], library.points[2]
    index.upsert([replace(away, payload=away.payload | {"corpus_id": str(named("laws"))})])
    assert [hit.id for hit in search(index).dense] == [library.points[1].id]
    index.upsert([replace(stray, payload=stray.payload | {"corpus_id": str(named("manual"))})])
    assert [[hit.id for hit in search(index).dense] for _ in range(3)] == [[library.points[1].id]] * 3
    assert asked == [4, 1, 1, 4, 4, 4]


@pytest.mark.parametrize("corpora", [["manual", "laws"], []])
def test_a_point_that_says_otherwise_where_it_is_ends_everything(
    index: EdgeIndex, asked: list[int], corpora: list[str]
) -> None:
    library = Library()
    write(index, library, "manual")
    for _ in range(2):
        search(index)
    write(index, library, "laws", organization="rival", corpus_id=[str(named(one)) for one in corpora])
    search(index)
    assert asked == [4, 1, 4]


def test_nothing_is_proved_while_something_is_written(index: EdgeIndex, asked: list[int]) -> None:
    write(index, Library(), "manual")
    with index._live._changing():
        for _ in range(3):
            search(index)
    assert asked == [4, 4, 4]


def test_a_graph_is_walked_with_the_fewer_conditions_and_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (edge_shard, compaction):
        monkeypatch.setattr(module, "EXACT_BELOW", 1_000)
    index = EdgeIndex(tmp_path / "walked", DIMENSIONS)
    try:
        index.ensure()
        index.upsert(Library().add("manual", "a long document", amount=2_400))
        assert index.optimize() is True
        whole, shorter, again = (search(index) for _ in range(3))
        assert whole == shorter == again
        assert len(whole.dense) == 50
        assert index._proved.ask(MANUAL, conditions) == 1
    finally:
        index.close()


def test_what_was_counted_for_one_person_serves_the_others(index: EdgeIndex, asked: list[int]) -> None:
    library = Library()
    write(index, library, "manual")
    index.upsert(library.add("notes of alice", "a", "alice", amount=2))
    index.upsert(library.add("notes of bob", "b", "bob", amount=2))
    alice = search_filter(scope("manual", personal=("notes of alice",)), 800)
    bob = search_filter(scope("manual", personal=("notes of bob",), user="bob"), 800)
    found = [search(index, one) for one in (alice, alice, bob, bob)]
    assert asked == [4, 1, 4, 1]  # his notes are asked of for the first time
    assert [len(one.dense) for one in found] == [4, 4, 4, 4]
    assert found[0] == found[1] != found[2] == found[3]


def test_a_corpus_is_another_ones_where_it_is_asked_for_as_that(index: EdgeIndex, asked: list[int]) -> None:
    index.upsert(Library().add("notes of alice", "a", "alice", amount=2))
    mallory = search_filter(scope(personal=("notes of alice",), user="mallory"), 800)
    own = search_filter(scope(personal=("notes of alice",)), 800)
    assert [len(search(index, where).dense) for where in (own, own, mallory, mallory, mallory)] == [2, 2, 0, 0, 0]
    assert asked == [5, 1, 5, 5, 5]


@pytest.mark.parametrize("named", [("manual", "laws"), ("laws", "manual")])
def test_a_branch_that_names_corpora_twice_is_asked_whole(
    index: EdgeIndex, asked: list[int], named: tuple[str, str]
) -> None:
    """It allows what both say: here nothing, where each corpus by itself has all that is counted in it."""
    library = Library()
    write(index, library, "manual")
    write(index, library, "laws")
    both = tuple(one for corpus in named for one in search_filter(scope(corpus), 800).should[0])
    assert [search(index, SearchFilter(MANUAL.must, (both,))).dense for _ in range(3)] == [()] * 3
    assert len(set(asked)) == 1


def test_counting_ends_with_the_first_corpus_that_is_not_as_it_should_be(index: EdgeIndex, counted: list[Any]) -> None:
    library = Library()
    for corpus in ("manual", "laws"):
        write(index, library, corpus)
        write(index, library, corpus, organization="rival")
    for _ in range(3):
        search(index, search_filter(scope("manual", "laws"), 800))
    assert len(counted) == 3


def test_as_many_filters_are_known_as_are_worth_it(index: EdgeIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proved, "MOST_KNOWN", 3)
    for number in range(10):
        search(index, search_filter(scope(f"corpus {number}"), 800))
    assert len(index._proved._known) <= 3


def test_asked_again_every_filter_finds_and_ranks_as_the_plain_computation(index: EdgeIndex) -> None:
    library = furnished()
    index.upsert(library.points)
    for where in WHERES.values():
        for _ in range(3):
            dense, words = library.vector(), library.terms()
            query = sparse(*words.indices)
            found = index.search(dense, query, where, 8)
            assert_ranked(found.dense, library.expected_dense(dense, where)[:8])
            assert_ranked(found.sparse, library.expected_sparse(query, where)[:8])


TIERS = {"shared": "", "alice's": "alice", "bob's": "bob"}
writings = st.tuples(
    st.sampled_from(["manual", "laws", "notes"]),
    st.sampled_from(sorted(TIERS)),
    st.sampled_from(["acme", "rival"]),
    st.sampled_from(["256", "800"]),
)


moves = st.tuples(st.integers(0, 9), st.sampled_from(["manual", "laws", "notes"]))  # which point, and where to


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(
    st.lists(st.one_of(writings, moves, st.integers(0, 9), st.sampled_from(sorted(WHERES))), min_size=4, max_size=24)
)
def test_whatever_is_written_moved_deleted_and_asked_in_whatever_order_nothing_else_is_found(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, str] | tuple[int, str] | int | str]
) -> None:
    """Also where a corpus's points say that they are another's, of another tier or of another organization."""
    index, library = EdgeIndex(tmp_path_factory.mktemp("space") / "space", DIMENSIONS), Library()
    try:
        index.ensure()
        for step in steps:
            if isinstance(step, int):
                index.delete_points([point.id for point in library.points[step : step + 1]])
                del library.points[step : step + 1]
                continue
            if isinstance(step, tuple) and len(step) == 2:
                for place in range(*slice(step[0], step[0] + 1).indices(len(library.points))):
                    point = library.points[place]
                    library.points[place] = replace(point, payload=point.payload | {"corpus_id": str(named(step[1]))})
                    index.upsert([library.points[place]])
                continue
            if isinstance(step, tuple):
                corpus, tier, organization, granularity = step
                document, owner = f"{len(library.points)}", TIERS[tier]
                index.upsert(library.add(corpus, document, owner, organization, 1, granularity=granularity))
                continue
            for _ in range(3):
                found = search(index, WHERES[step])
                assert {hit.id for hit in found.dense} == {point.id for point in library.readable(WHERES[step])}
    finally:
        index.close()


def test_a_filter_that_names_no_corpus_in_a_branch_is_asked_whole(index: EdgeIndex, asked: list[int]) -> None:
    write(index, Library(), "manual")
    where = SearchFilter(MANUAL.must, (*MANUAL.should, (MANUAL.should[0][0],)))
    for _ in range(3):
        search(index, where)
    assert asked == [4, 4, 4]
