"""Models that come, go and are exchanged, for tests of embedding spaces."""

from collections.abc import Iterator
from typing import Any

import pytest

from retrieval import embeddings
from retrieval.spaces import opened
from retrieval.tests.endpoint import DIMENSIONS
from tests.fakes.fixtures import ModelServer


def restart() -> None:
    """As far as spaces know: no provider, no verdict, no open index, nothing remembered."""
    opened.close()
    embeddings._provider.cache_clear()


@pytest.fixture
def model(model_server: ModelServer, settings: Any) -> Iterator[ModelServer]:
    """The fake model server is there; settings name no model of it yet (`name_model`)."""
    embeddings._provider.cache_clear()
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = model_server.openai_url, "sk-test-key"
    settings.EMBEDDING_MODEL = "lexical"
    yield model_server
    restart()


def name_model(settings: Any, model: str = "text-embedding-3-small", dimensions: int = DIMENSIONS) -> None:
    """As after a restart with other settings."""
    settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = model, dimensions
    restart()
