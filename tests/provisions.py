"""Fixtures that the tests of chat and of workers share; each app's `conftest` takes what it needs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests import library as sample
from tests.fakes.fixtures import ModelServer
from tests.library import Library
from tests.live import LiveServer


@pytest.fixture
def library(transactional_db: None, worker: Callable[[], int]) -> Library:
    return sample.build(worker)


@pytest.fixture
def adaptive_library(library: Library, worker: Callable[[], int]) -> Library:
    """The writer retrieves adaptively, and what it reads is cut to every size."""
    from workers.jobs import cut

    library.writer.adaptive = True
    library.writer.save()
    assert cut.cut_anew() == worker() == 2
    return library


@pytest.fixture
def server(own_state: None, transactional_db: None) -> Iterator[LiveServer]:
    with LiveServer() as running:
        yield running


@pytest.fixture
def chat_model(model_server: ModelServer, settings: Any) -> ModelServer:
    """Answers come from the fake model server; embeddings stay local."""
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = model_server.openai_url, "sk-test-key"
    settings.EMBEDDING_MODEL, settings.CHAT_MODEL = "lexical", "fake"
    return model_server


@pytest.fixture
def all_models(
    transactional_db: None, own_state: None, chat_model: ModelServer, settings: Any
) -> Iterator[ModelServer]:
    """Embeddings come from the fake model server too, through a provider (and its breaker) of this test alone."""
    from retrieval import embeddings
    from retrieval.spaces import opened

    settings.EMBEDDING_MODEL = "text-embedding-3-small"
    embeddings._provider.cache_clear()
    opened.current_index()
    opened.current_provider().embed_documents([])
    chat_model.reset()  # what getting to know the model has cost is not the tests' to count
    yield chat_model
    opened.close()
    embeddings._provider.cache_clear()
