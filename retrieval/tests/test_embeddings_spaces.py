"""Embedding spaces: names, weights, calibration; and which provider the settings mean."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.embeddings import get_provider
from retrieval.embeddings.base import Calibration, EmbeddingSpace
from retrieval.embeddings.cache import CachedProvider
from retrieval.embeddings.lexical import LexicalProvider
from retrieval.spaces.builtin import DEFAULT, LEXICAL, MEASURED_FROM_THE_TAIL, TEXT_EMBEDDING_3, WORDS, space_for

CALIBRATIONS = [LEXICAL, WORDS, MEASURED_FROM_THE_TAIL, TEXT_EMBEDDING_3]
unit = st.floats(0, 1)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_points_of_a_calibration_rise_from_nothing_to_certainty(calibration: Calibration) -> None:
    evidence, relevance = zip(*calibration.points, strict=True)
    assert list(evidence) == sorted(set(evidence))
    assert list(relevance) == sorted(relevance)
    assert (relevance[0], relevance[-1]) == (0.0, 1.0)


@given(st.sampled_from(CALIBRATIONS), unit, unit, unit, st.floats(-1, 1))
def test_relevance_is_a_share_and_never_falls_with_more_evidence(
    calibration: Calibration, cosine: float, coverage: float, more: float, tail: float
) -> None:
    relevance = calibration.relevance(cosine, coverage, tail)
    assert 0.0 <= relevance <= 1.0
    assert calibration.relevance(max(cosine, more), coverage, tail) >= relevance - 1e-12
    assert calibration.relevance(cosine, max(coverage, more), tail) >= relevance - 1e-12


def test_relevance_is_linear_between_points() -> None:
    calibration = Calibration(points=((0.0, 0.0), (0.5, 0.2), (1.0, 1.0)), coverage_weight=0.0)
    assert [calibration.relevance(x, 0) for x in (-1, 0, 0.25, 0.5, 0.75, 1)] == pytest.approx([0, 0, 0.1, 0.2, 0.6, 1])


def test_the_published_cosines_of_text_embedding_3_mean_relevant_and_irrelevant() -> None:
    assert TEXT_EMBEDDING_3.relevance(0.44, 0.0) >= 0.8
    assert TEXT_EMBEDDING_3.relevance(0.10, 1.0) == 0.0


def test_a_model_that_nobody_measured_is_judged_by_its_distance_from_the_tail() -> None:
    calibration = space_for("some-model", 768).calibration
    assert calibration.relevance(0.85, 0.3, tail=0.84) < 0.3
    assert calibration.relevance(0.95, 0.3, tail=0.84) > 0.8


def test_a_tail_of_one_divides_by_nothing() -> None:
    assert MEASURED_FROM_THE_TAIL.relevance(1.0, 0.0, tail=1.0) >= 0.0


@given(st.text(min_size=1, max_size=80), st.integers(1, 4096))
def test_a_collection_s_name_is_safe_everywhere(model: str, dimensions: int) -> None:
    name = space_for(model, dimensions).collection
    assert re.fullmatch(r"[a-z0-9._-]{1,90}", name)
    assert not name.startswith(".")
    assert len(name) <= 100


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80))
def test_different_models_never_share_a_collection(first: str, second: str) -> None:
    assert (space_for(first, 384).collection == space_for(second, 384).collection) == (first == second)


def test_different_dimensions_never_share_a_collection() -> None:
    assert space_for("m", 384).collection != space_for("m", 768).collection


def test_a_model_is_known_whatever_its_publisher_or_tag() -> None:
    def weights(space: EmbeddingSpace) -> tuple[float, float]:
        return space.dense_weight, space.bm25_weight

    assert space_for("openai/text-embedding-3-small", 1536).calibration is TEXT_EMBEDDING_3
    assert space_for("sentence-transformers/all-MiniLM-L6-v2:latest", 384).calibration is MEASURED_FROM_THE_TAIL
    assert weights(space_for("unheard-of", 10)) == DEFAULT[:2]


@pytest.fixture
def unset(settings: Any) -> Any:
    settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    settings.EMBEDDING_DIMENSIONS = 1536
    return settings


def test_without_key_and_endpoint_the_lexical_provider_serves(unset: Any) -> None:
    assert isinstance(get_provider(), LexicalProvider)


def test_a_key_moves_to_openai_s_default_model_behind_the_cache(unset: Any) -> None:
    unset.OPENAI_API_KEY = "sk-1"
    provider = get_provider()
    assert isinstance(provider, CachedProvider)
    assert (provider.space.model, provider.space.dimensions) == ("text-embedding-3-small", 1536)
    assert get_provider() is provider


def test_lexical_embeddings_can_be_asked_for_beside_a_model_server(unset: Any) -> None:
    unset.OPENAI_BASE_URL, unset.EMBEDDING_MODEL = "http://localhost:11434/v1", "lexical"
    assert isinstance(get_provider(), LexicalProvider)


def test_an_endpoint_that_is_not_allowed_is_refused(unset: Any) -> None:
    unset.OPENAI_BASE_URL = "http://models.example.org/v1"
    with pytest.raises(ValueError, match="https"):
        get_provider()
