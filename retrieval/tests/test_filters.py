"""The filter: what a scope may see, and that nothing wider can be built."""

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.metadata.names import METADATA_FIELDS
from corpora.scope import Scope
from retrieval.filters import Between, Condition, EmptyScope, SearchFilter, search_filter

ORGANIZATION, USER = uuid4(), uuid4()
IDS = st.frozensets(st.uuids(), max_size=5)


def scope(global_ids: frozenset[UUID] = frozenset(), personal_ids: frozenset[UUID] = frozenset()) -> Scope:
    return Scope(ORGANIZATION, USER, global_ids, personal_ids)


def test_an_empty_scope_never_becomes_a_filter() -> None:
    with pytest.raises(EmptyScope):
        search_filter(scope(), 800)


def test_a_filter_without_a_branch_cannot_be_built() -> None:
    tenant = (Condition("organization_id", ("o",)),)
    with pytest.raises(EmptyScope):
        SearchFilter(tenant, ())
    with pytest.raises(EmptyScope):
        SearchFilter(tenant, ((),))


def test_a_filter_without_an_organization_cannot_be_built() -> None:
    with pytest.raises(EmptyScope):
        SearchFilter((), ((Condition("corpus_id", ("c",)),),))


@pytest.mark.parametrize("values", [(), ("",), ("a", "")])
def test_a_condition_without_a_value_cannot_be_built(values: tuple[str, ...]) -> None:
    with pytest.raises(EmptyScope):
        Condition("corpus_id", values)


@given(global_ids=IDS, personal_ids=IDS)
def test_each_tier_has_its_branch_only_if_it_has_corpora(
    global_ids: frozenset[UUID], personal_ids: frozenset[UUID]
) -> None:
    if not global_ids | personal_ids:
        return
    built = search_filter(scope(global_ids, personal_ids), 512)
    assert built.must == (
        Condition("organization_id", (str(ORGANIZATION),)),
        Condition("granularity", ("512",)),
    )
    branches = {branch[0].any_of[0]: branch for branch in built.should}
    assert ("global" in branches, "personal" in branches) == (bool(global_ids), bool(personal_ids))
    for branch in built.should:
        allowed = global_ids if branch[0].any_of == ("global",) else personal_ids
        assert set(branch[1].any_of) == {str(corpus) for corpus in allowed}


def test_the_personal_branch_belongs_to_its_user() -> None:
    (branch,) = search_filter(scope(personal_ids=frozenset({uuid4()})), 800).should
    assert Condition("user_id", (str(USER),)) in branch


def test_a_requirement_narrows_and_one_without_values_requires_nothing() -> None:
    built = search_filter(scope(frozenset({uuid4()})), 800, {"tags": ["a", "b"], "unit": []})
    assert built.must[2:] == (Condition("tags", ("a", "b")),)


def test_a_requirement_given_as_one_word_is_not_taken_letter_by_letter() -> None:
    built = search_filter(scope(frozenset({uuid4()})), 800, {"course": "REDES"})
    assert built.must[2:] == (Condition("course", ("REDES",)),)


def test_dates_are_spans_of_numbers_and_conditions_all_hold() -> None:
    wanted = [("source_date", ["2019", "..2018-02"]), ("source_date", ["2019-05-02.."])]
    built = search_filter(scope(frozenset({uuid4()})), 800, wanted)
    assert built.must[2:] == (
        Between("source_date", ((20190101, 20191231), (None, 20180228))),
        Between("source_date", ((20190502, None),)),
    )
    with pytest.raises(ValueError, match="date"):
        search_filter(scope(frozenset({uuid4()})), 800, {"source_date": ["soon"]})


@pytest.mark.parametrize("spans", [(), ((None, None),)])
def test_a_span_without_an_end_cannot_be_built(spans: tuple[tuple[int | None, int | None], ...]) -> None:
    with pytest.raises(EmptyScope):
        Between("source_date", spans)


@pytest.mark.parametrize("key", ["organization_id", "corpus_id", "user_id", "version", "nope"])
def test_only_metadata_can_be_required(key: str) -> None:
    assert key not in METADATA_FIELDS
    with pytest.raises(ValueError, match="metadata"):
        search_filter(scope(frozenset({uuid4()})), 800, {key: ["x"]})


def test_documents_are_required_by_their_ids() -> None:
    document = str(uuid4())
    built = search_filter(scope(frozenset({uuid4()})), 800, {"document": [document]})
    assert built.must[2:] == (Condition("document_id", (document,)),)
