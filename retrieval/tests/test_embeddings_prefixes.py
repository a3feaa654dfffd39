"""What a model is told before questions and passages, and that another prefix is another space."""

from typing import Any

import pytest

from retrieval.embeddings import endpoint, get_provider, provider_for, wanted_prefixes
from retrieval.embeddings.base import NO_PREFIXES, Prefixes
from retrieval.models import SpaceState
from retrieval.spaces import opened, registry
from retrieval.spaces.builtin import prefixes_taught_to, space_for
from tests.fakes.fixtures import ModelServer


@pytest.fixture
def local(settings: Any, model_server: ModelServer) -> ModelServer:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "", ""
    settings.EMBEDDING_BASE_URL, settings.EMBEDDING_API_KEY = model_server.openai_url, ""
    settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "nomic-embed-text:v1.5", 1536
    model_server.reset()
    return model_server


def asked(server: ModelServer) -> list[str]:
    return [text for one in server.requests() for text in one["body"].get("input", [])]


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("e5-small-v2", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
        ("all-MiniLM-L6-v2", "", ""),
        ("unheard-of", "", ""),
    ],
)
def test_a_known_model_is_told_what_its_publisher_asks_for(model: str, query: str, document: str) -> None:
    assert prefixes_taught_to(model) == Prefixes(query, document)


def test_questions_and_passages_are_sent_with_their_prefix(local: ModelServer) -> None:
    provider = get_provider().source  # type: ignore[attr-defined]  # without the cache, which needs the database
    provider.embed_documents(["La marea"])
    provider.embed_queries(["¿Cuándo?"])
    assert asked(local) == ["search_document: La marea", "search_query: ¿Cuándo?"]


def test_settings_outweigh_what_is_known_and_may_say_none(settings: Any) -> None:
    settings.EMBEDDING_QUERY_PREFIX, settings.EMBEDDING_DOCUMENT_PREFIX = "frage: ", "none"
    assert wanted_prefixes("nomic-embed-text") == Prefixes("frage: ", "")
    assert wanted_prefixes("unheard-of") == Prefixes("frage: ", "")


def test_another_prefix_is_another_space_and_none_is_the_one_that_was() -> None:
    plain = space_for("m", 64)
    spaces = [plain, *(space_for("m", 64, Prefixes(*pair)) for pair in (("a", ""), ("", "a"), ("b", "")))]
    assert len({one.collection for one in spaces}) == 4
    assert plain.collection == space_for("m", 64, NO_PREFIXES).collection == "m-64"


@pytest.mark.django_db
def test_a_space_remembers_its_prefixes_when_the_settings_name_others(local: ModelServer, settings: Any) -> None:
    registry.forget_spaces()
    row = registry.active_space(fresh=True)
    assert (row.query_prefix, row.document_prefix) == ("search_query: ", "search_document: ")
    settings.EMBEDDING_QUERY_PREFIX = "none"
    kept = SpaceState.objects.get(pk=row.pk)
    assert opened.provider_of(kept).space.collection == kept.collection
    assert get_provider().space.collection != kept.collection
    registry.forget_spaces()


def test_embeddings_have_an_endpoint_of_their_own_or_the_chats(settings: Any) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "chat-key", "https://chat.example/v1"
    settings.EMBEDDING_API_KEY = settings.EMBEDDING_BASE_URL = ""
    assert endpoint() == ("chat-key", "https://chat.example/v1")
    settings.EMBEDDING_BASE_URL = "http://127.0.0.1:11434/v1"
    assert endpoint() == ("", "http://127.0.0.1:11434/v1"), "the chat's key is not sent to another server"
    settings.EMBEDDING_API_KEY = "own-key"
    assert endpoint() == ("own-key", "http://127.0.0.1:11434/v1")
    settings.EMBEDDING_BASE_URL = ""
    assert endpoint() == ("own-key", "https://chat.example/v1")


def test_a_space_without_an_endpoint_keeps_its_name(settings: Any) -> None:
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = settings.EMBEDDING_BASE_URL = settings.EMBEDDING_API_KEY = ""
    prefixes = Prefixes("a", "b")
    assert provider_for("m", 8, prefixes).space.collection == space_for("m", 8, prefixes).collection
