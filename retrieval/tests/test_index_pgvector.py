"""What of the engine on PostgreSQL needs no PostgreSQL; the rest: the contract, and tests/services/test_pgvector.py."""

import math
import re
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from psycopg import OperationalError, sql

from corpora.scope import Scope
from retrieval.filters import Condition, SearchFilter, search_filter
from retrieval.index import IndexOutdated, IndexUnavailable, Point, make_index
from retrieval.index.pgvector.conditions import clauses_of, label, labels_of
from retrieval.index.pgvector.connections import ConnectionPool
from retrieval.index.pgvector.rows import batches_of_postings, signed_terms, unit_halves
from retrieval.index.pgvector.scope import Spread
from retrieval.index.pgvector.tables import LONGEST_NAME, CollectionTables, schema_name
from retrieval.index.pgvector.version import LOWEST_EXTENSION, DatabaseVersions, require_pgvector
from retrieval.index.pgvector.words import telling_words
from retrieval.index.silence import opening_breaker
from retrieval.tests.library import DIMENSIONS, named, sparse

NOWHERE = "postgresql://acervo_index:secret-word@127.0.0.1:9/acervo_index"
HOSTILE = "'; DROP SCHEMA public CASCADE; -- %s {} \" \\ \0"


@pytest.fixture(autouse=True)
def unknown_servers() -> None:
    opening_breaker.cache_clear()


def clauses(*requirements: tuple[str, list[str]], **fields: Any) -> Any:
    scope = Scope(named("acme"), named("alice"), frozenset({named("manual")}), frozenset({named("notes")}))
    return clauses_of(search_filter(scope, 800, requirements, **fields))


# ── filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_who_may_read_is_asked_of_slices_with_the_organization_first() -> None:
    made = clauses()
    text = made.slices.as_string(None)
    assert text.startswith('(s."organization_id" = ANY(%(value_')
    assert text.count('"user_id"') == 1, "only a personal corpus asks whose it is"
    assert " OR " in text
    assert made.chunks is None
    assert made.organization == str(named("acme"))


def test_no_value_stands_in_the_statement() -> None:
    made = clauses(("tags", [HOSTILE]), ("course", ["NET"]), ("source_date", ["2019..2020"]), documents=[uuid4()])
    text = (made.slices + made.chunks).as_string(None)
    assert not re.search(r"DROP|NET|2019|" + str(named("acme")), text)
    placeholders = re.findall(r"%\((\w+)\)s", text)
    assert sorted(placeholders) == sorted(made.values)
    assert [f"tags={HOSTILE}".replace("\0", "\ufffd")] in made.values.values()


def test_a_condition_on_something_else_is_no_filter() -> None:
    where = search_filter(Scope(named("acme"), named("alice"), frozenset({named("manual")}), frozenset()), 800)
    with pytest.raises(ValueError, match="version"):
        clauses_of(SearchFilter((*where.must, Condition("version", ("1",))), where.should))
    with pytest.raises(ValueError, match="tags"):
        clauses_of(SearchFilter(where.must, ((Condition("tags", ("a",)),),)))


def test_labels_of_a_payload_are_what_a_filter_asks_for() -> None:
    found = labels_of({"tags": ["a", "b"], "course": "NET", "unit": None, "topic": "", "source_date": 20190101})
    assert sorted(found) == ["course=NET", "tags=a", "tags=b"]
    assert label("topic", "\ud800\0") == "topic=?\ufffd", "what PostgreSQL's text cannot hold"


# ── names, rows ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("collection", ["lexical-1-1536", "a/b:c-8", "x" * 200, "ñ" * 60, HOSTILE, 'a".b'])
def test_a_collection_s_schema_is_an_identifier_of_its_own(collection: str) -> None:
    name = schema_name(collection)
    assert len(name.encode()) <= LONGEST_NAME
    assert "\0" not in name
    assert schema_name(collection + "y") != name
    quoted = CollectionTables(collection).vectors.as_string(None)
    assert quoted == f'"{name.replace(chr(34), chr(34) * 2)}"."vectors"'
    assert isinstance(CollectionTables(collection).statement("SELECT {slices}"), sql.Composed)


def test_terms_keep_their_bits_and_vectors_become_directions() -> None:
    assert signed_terms((0, 1, 2**31, 2**32 - 1)).tolist() == [0, 1, -(2**31), -1]
    assert np.linalg.norm(unit_halves(np.full(8, 1e6, dtype=np.float32)).astype(float)) == pytest.approx(1, abs=1e-3)
    assert not unit_halves(np.zeros(8, dtype=np.float32)).any()


def test_batches_are_in_order_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.index.pgvector.rows.BATCH_POSTINGS", 12)
    points = [Point(uuid4(), np.ones(DIMENSIONS, dtype=np.float32), sparse(*range(5)), {}) for _ in range(7)]
    batches = list(batches_of_postings(points))
    assert [len(one) for one in batches] == [3, 3, 1]
    assert [point for batch in batches for point in batch] == points


# ── words ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_word_that_most_have_is_not_summed_where_rare_ones_decide() -> None:
    rare, common = Spread(1, 60, 1.0, 2.0), Spread(2, 9_000, 0.5, 2.0)
    idf = {1: 4.0, 2: 0.1}
    telling, spare, certain = telling_words([common, rare], idf, 50)
    assert certain == 4.0
    assert telling == [1]
    assert spare == pytest.approx(0.2, abs=1e-4), "what the common word adds at most"
    assert spare > 0.2


@pytest.mark.parametrize(
    ("rare", "common", "why"),
    [
        (Spread(1, 49, 1.0, 2.0), Spread(2, 9_000, 0.5, 2.0), "fewer than the list has places"),
        (Spread(1, 60, 1.0, 2.0), Spread(2, 900, 0.5, 2.0), "there is little to be saved"),
        (Spread(1, 60, 1.0, 2.0), Spread(2, 9_000, 0.5, 50.0), "it may outweigh the rare one"),
        (Spread(1, 60, -1.0, 2.0), Spread(2, 9_000, 0.5, 2.0), "the rare one may take away"),
        (Spread(1, 60, 1.0, 2.0), Spread(2, 9_000, -0.5, 2.0), "the common one may take away"),
    ],
)
def test_where_nothing_is_certain_every_word_is_summed(rare: Spread, common: Spread, why: str) -> None:
    assert sorted(telling_words([common, rare], {1: 4.0, 2: 0.1}, 50).telling) == [1, 2], why


def test_where_a_word_takes_away_every_word_is_summed() -> None:
    spread = [Spread(1, 60, 1.0, 2.0), Spread(2, 9_000, -0.5, -0.1)]
    assert telling_words(spread, {1: 4.0, 2: -1.0}, 50) == ([1, 2], 0.0, -math.inf)


def test_what_is_known_of_the_list_spares_more_words_and_what_is_not_known_none() -> None:
    rare, common = Spread(1, 60, 1.0, 2.0), Spread(2, 9_000, 0.5, 30.0)
    idf = {1: 4.0, 2: 0.1}
    assert telling_words([common, rare], idf, 50)[0] == [2, 1], "it may add 3, and the list is sure of 4"
    assert telling_words([common, rare], idf, 50, 3.0)[0] == [2, 1], "less than what one word is sure of"
    telling, spare, _certain = telling_words([common, rare], idf, 50, 6.5)
    assert telling == [1]
    assert spare > 3.0
    assert sorted(telling_words([common, rare._replace(points=49)], idf, 50, 6.5)[0]) == [1, 2]


# ── versions, faults, settings ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("extension", ["0.8.0", "0.8.5", "0.10.1", "1.0"])
def test_versions_with_iterative_scans_are_taken(extension: str) -> None:
    require_pgvector(DatabaseVersions("16.4", extension, extension))


@pytest.mark.parametrize(
    ("extension", "installable", "advice"),
    [
        ("", "", "install its package"),
        ("", "0.8.5", "CREATE EXTENSION vector"),
        ("0.7.4", "0.8.5", "ALTER EXTENSION vector UPDATE"),
        ("0.6.2", "0.6.2", "newer package"),
    ],
)
def test_others_are_refused_with_what_to_do(extension: str, installable: str, advice: str) -> None:
    with pytest.raises(IndexOutdated, match=rf"^index_outdated: .*{advice}.*{LOWEST_EXTENSION} or newer"):
        require_pgvector(DatabaseVersions("16.4", extension, installable))


def test_a_database_that_is_not_there_makes_the_index_unavailable_and_its_password_is_not_told(tmp_path: Any) -> None:
    index = make_index("away", DIMENSIONS, url=NOWHERE, folder=tmp_path)
    for _ in range(2):  # the second is spared the wait
        with pytest.raises(IndexUnavailable) as refusal:
            index.ensure()
        assert "secret-word" not in str(refusal.value)
    assert index.healthy() is False


def test_more_calls_than_connections_wait_in_line_for_their_second() -> None:
    pool = ConnectionPool(NOWHERE, 1)
    pool._places.acquire()
    with pytest.raises(OperationalError, match="in use"), pool.lent(0.01):
        pass
