"""A model is recognised by its vectors, not by its name (ADR 0010)."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Membership
from retrieval.embeddings import openai
from retrieval.embeddings.base import EmbeddingError, EmbeddingUnavailable
from retrieval.models import SpaceState
from retrieval.search import retrieve
from retrieval.spaces import guard, opened, registry
from retrieval.spaces.probe import EmbeddingSpaceMismatch, compare, cosine, round_vector
from retrieval.tests.endpoint import DIMENSIONS, Endpoint, serving
from retrieval.tests.shelf import scope_of, shelve
from retrieval.tests.spaces import model, name_model, restart
from tests.factories import CorpusFactory, MembershipFactory
from tests.fakes.fixtures import ModelServer
from tests.live import eventually

pytestmark = pytest.mark.django_db
TEXT = "The loan of a book lasts twenty-one days."


__all__ = ["model"]


@pytest.fixture
def small(model: ModelServer, settings: Any) -> ModelServer:
    """`text-embedding-3-small` in four dimensions, as the fake model server has it."""
    name_model(settings)
    return model


@pytest.fixture
def impostor(small: ModelServer, settings: Any) -> Iterator[Endpoint]:
    """The same model's name, from now on answered with another model's vectors."""
    opened.current_provider().embed_documents([TEXT])
    with serving() as endpoint:
        settings.OPENAI_BASE_URL = endpoint.url
        restart()  # after the settings: until then any thread that is late may open the former model again
        yield endpoint


def probe_of_the_active() -> list[float]:
    return list(SpaceState.objects.values_list("probe", flat=True).get(state="active"))


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=8).filter(any), st.floats(0.5, 2.0))
def test_rounding_and_length_do_not_make_another_model(values: list[float], factor: float) -> None:
    vector = np.array(values, dtype=np.float32)
    if float(np.linalg.norm(vector)) < 0.01:
        return
    half = (vector * factor).astype(np.float16).astype(np.float32)
    compare("space", round_vector(vector), round_vector(half))


def test_vectors_without_direction_or_of_another_length_are_not_alike() -> None:
    assert cosine([0.0, 0.0], [1.0, 0.0]) == 0.0
    assert cosine([1.0], [1.0, 0.0]) == 0.0
    with pytest.raises(EmbeddingSpaceMismatch, match=r"EMBEDDING_MODEL"):
        compare("space", [1.0, 0.0], [0.98, 0.2])


def test_the_first_vectors_of_a_space_come_with_its_probe(small: ModelServer) -> None:
    assert registry.active_space().probe == []
    opened.current_provider().embed_documents([TEXT])
    assert len(probe_of_the_active()) == DIMENSIONS


def test_the_same_model_is_trusted_after_a_restart(small: ModelServer) -> None:
    opened.current_provider().embed_documents([TEXT])
    restart()
    opened.current_provider().embed_documents([f"{TEXT} Again."])


def test_a_process_that_only_searches_learns_the_probe_that_another_one_asked_for(
    small: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching = opened.current_provider()
    searching.embed_query("How long is a loan?")
    other = [1.0, *[0.0] * (DIMENSIONS - 1)]
    SpaceState.objects.filter(state="active").update(probe=other)
    monkeypatch.setattr(registry, "REMEMBERED_SECONDS", 0.0)

    def refused() -> bool:
        try:
            opened.current_provider().embed_query("How long is a loan?")
        except EmbeddingSpaceMismatch:
            return True
        return False

    eventually(refused)


def test_another_model_under_the_old_name_writes_nothing(impostor: Endpoint) -> None:
    before = probe_of_the_active()
    for _ in range(2):
        with pytest.raises(EmbeddingSpaceMismatch):
            opened.current_provider().embed_documents(["Something new."])
    assert impostor.items == 1, "the probe, once"
    assert probe_of_the_active() == before


@pytest.mark.django_db(transaction=True)  # a thread that is late would wait for rows that it cannot see, and all for it
def test_questions_are_searched_by_words_once_the_model_was_found_to_be_another(
    small: ModelServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "REFUSED_SECONDS", 0.0)  # a probe without an answer is asked for with the next question
    monkeypatch.setattr(openai, "SECONDS", 60.0)  # a crowded machine is late, and three late answers are a rest
    alice: Membership = MembershipFactory()
    library = CorpusFactory(shared_in=alice.organization)
    shelve(library, TEXT)
    scope = scope_of(alice, library)
    assert retrieve("How long is a loan?", scope).degraded is None
    with serving() as endpoint:
        settings.OPENAI_BASE_URL = endpoint.url
        restart()
        retrieve("How long is a loan?", scope)  # not kept waiting for the probe
        eventually(is_refused_after_its_probe, 30)  # what is shown is that it comes, not how soon
        found = retrieve("How long is a loan?", scope)
        assert found.degraded == "embedding_unavailable"
        assert found.chunks[0].dense is None


def is_refused_after_its_probe() -> bool:
    """Whether the probe that a question has started disagrees; it may also have ended without an answer in time."""
    for thread in threading.enumerate():
        if thread.name == "probe":
            thread.join()
    try:
        opened.current_provider().embed_query("How long is a loan?")
    except EmbeddingError as error:
        return isinstance(error, EmbeddingSpaceMismatch)
    return False


def test_a_model_that_is_put_right_is_trusted_again(
    impostor: Endpoint, small: ModelServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "REFUSED_SECONDS", 0.0)
    with pytest.raises(EmbeddingSpaceMismatch):
        opened.current_provider().embed_documents([TEXT])
    settings.OPENAI_BASE_URL = small.openai_url
    opened.current_provider().embed_documents([f"{TEXT} At last."])


def test_a_space_whose_model_has_no_endpoint_any_more_is_sent_nothing(small: ModelServer, settings: Any) -> None:
    opened.current_provider().embed_documents([TEXT])
    alice: Membership = MembershipFactory()
    shelve(CorpusFactory(shared_in=alice.organization), TEXT)
    settings.OPENAI_BASE_URL = settings.OPENAI_API_KEY = settings.EMBEDDING_MODEL = ""
    asked = small.stats()["requests"]
    for ask in (
        opened.current_provider().embed_query,
        lambda text: opened.current_provider().embed_documents([text]),
    ):
        with pytest.raises(EmbeddingUnavailable):
            ask("a question")
    assert small.stats()["requests"] == asked
