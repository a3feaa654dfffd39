"""The client of embedding endpoints against a server that misbehaves on a real socket."""

import base64
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from config.endpoints import EndpointNotAllowed
from retrieval.embeddings import documents
from retrieval.embeddings.base import EmbeddingRejected, EmbeddingUnavailable
from retrieval.embeddings.openai import OpenAIProvider
from retrieval.spaces.builtin import space_for
from retrieval.tests.endpoint import DIMENSIONS, Endpoint, Reply, answer, serving, vector_of
from retrieval.waiting.breaker import CircuitBreaker


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as running:
        yield running


@pytest.fixture
def provider(endpoint: Endpoint) -> OpenAIProvider:
    return OpenAIProvider(space_for("text-embedding-3-small", DIMENSIONS), "secret", endpoint.url)


def spoiled(vector: np.ndarray, value: float) -> str:
    vector = vector.copy()
    vector[1] = value
    return base64.b64encode(vector.tobytes()).decode()


def normalised(text: str) -> np.ndarray:
    vector = vector_of(text)
    return vector / np.linalg.norm(vector)


def test_a_question_becomes_a_normalised_vector(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    vector = provider.embed_query("What is a loan?")
    assert vector.dtype == np.float32
    assert vector == pytest.approx(normalised("What is a loan?"))
    assert endpoint.requests == [
        {
            "model": "text-embedding-3-small",
            "input": ["What is a loan?"],
            "encoding_format": "base64",
            "dimensions": DIMENSIONS,
        }
    ]
    assert endpoint.headers[0]["Authorization"] == "Bearer secret"


def test_documents_keep_their_order_over_many_batches(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    texts = [f"passage {n}" for n in range(1_050)]
    vectors = provider.embed_documents(texts)
    assert vectors.shape == (1_050, DIMENSIONS)
    assert vectors == pytest.approx(np.stack([normalised(text) for text in texts]))
    assert sorted(len(request["input"]) for request in endpoint.requests) == [50] + [100] * 10


def test_no_document_costs_no_request(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    assert provider.embed_documents([]).shape == (0, DIMENSIONS)
    assert endpoint.requests == []


def test_never_more_than_eight_batches_are_in_flight_whatever_many_documents(
    provider: OpenAIProvider, endpoint: Endpoint
) -> None:
    endpoint.script.extend(Reply(delay=0.03) for _ in range(40))
    with ThreadPoolExecutor(4) as workers:
        list(workers.map(provider.embed_documents, [["text"] * 1_000] * 4))
    assert endpoint.most_in_flight == documents.IN_FLIGHT


def test_connections_are_kept(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    for n in range(20):
        provider.embed_query(f"question {n}")
    assert endpoint.connections == 1


def test_a_connection_that_the_server_closed_meanwhile_is_replaced(
    provider: OpenAIProvider, endpoint: Endpoint
) -> None:
    provider.embed_query("first")
    endpoint.script.append(Reply(hang_up=True))
    assert provider.embed_query("second") == pytest.approx(normalised("second"))


def test_only_models_that_accept_it_are_asked_for_a_dimension(endpoint: Endpoint) -> None:
    provider = OpenAIProvider(space_for("all-MiniLM-L6-v2", DIMENSIONS), "", endpoint.url)
    provider.embed_query("text")
    provider.embed_documents(["text"])
    assert all("dimensions" not in request for request in endpoint.requests)
    assert all("Authorization" not in headers for headers in endpoint.headers)


def test_servers_that_know_only_floats_are_understood(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    endpoint.script.append(Reply(body=answer(["text"], lambda vector: [float(x) for x in vector])))
    assert provider.embed_query("text") == pytest.approx(normalised("text"))


def test_vectors_are_put_in_the_order_of_their_numbers(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    shuffled = json.loads(answer(["a", "b", "c"]))
    shuffled["data"].reverse()
    endpoint.script.append(Reply(body=json.dumps(shuffled).encode()))
    assert provider.embed_documents(["a", "b", "c"]) == pytest.approx(np.stack([normalised(t) for t in "abc"]))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=429, headers={"Retry-After": "0.1"}),
        Reply(status=429),
        Reply(status=500),
        Reply(status=503, body=b"<html>overloaded</html>"),
        Reply(hang_up=True),
    ],
    ids=["429-retry-after", "429", "500", "503", "hang-up"],
)
def test_a_passing_fault_is_tried_again(provider: OpenAIProvider, endpoint: Endpoint, reply: Reply) -> None:
    endpoint.script.append(reply)
    assert provider.embed_query("text") == pytest.approx(normalised("text"))
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_honoured(provider: OpenAIProvider, endpoint: Endpoint, form: str) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    endpoint.script.append(Reply(status=429, headers={"Retry-After": "1" if form == "seconds" else later}))
    started = time.monotonic()
    provider.embed_documents(["text"])
    assert time.monotonic() - started >= 0.95


def test_a_question_does_not_wait_longer_than_it_may(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    endpoint.script.append(Reply(status=429, headers={"Retry-After": "30"}))
    started = time.monotonic()
    with pytest.raises(EmbeddingUnavailable):
        provider.embed_query("text")
    assert time.monotonic() - started < 0.5


@pytest.mark.parametrize("reply", [Reply(delay=3.0), Reply(trickle=0.2)], ids=["silent for 3 s", "a byte every 0.2 s"])
def test_a_slow_server_costs_a_question_less_than_a_second_and_a_half(
    provider: OpenAIProvider, endpoint: Endpoint, reply: Reply
) -> None:
    endpoint.script.append(reply)
    started = time.monotonic()
    with pytest.raises(EmbeddingUnavailable):
        provider.embed_query("text")
    assert time.monotonic() - started < 1.5


def test_nobody_listening_is_unavailable(endpoint: Endpoint) -> None:
    dead = OpenAIProvider(space_for("m", DIMENSIONS), "", "http://127.0.0.1:9")
    with pytest.raises(EmbeddingUnavailable):
        dead.embed_query("text")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 301, 302, 307])
def test_refusals_and_redirects_are_rejected_without_another_attempt(
    provider: OpenAIProvider, endpoint: Endpoint, status: int
) -> None:
    endpoint.script.append(Reply(status=status, headers={"Location": endpoint.url}, body=b"why: secret text"))
    with pytest.raises(EmbeddingRejected, match=str(status)) as raised:
        provider.embed_query("text")
    assert "secret text" not in str(raised.value)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b'{"data": {}}',
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 5, "embedding": [1, 2, 3, 4]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3, null]}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0, 0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": "!!!"}]}',
        b'{"data": [{"index": 0, "embedding": "AACAPwAAgD8="}]}',
        answer(["one", "two"]),
        answer(["text"], lambda vector: spoiled(vector, np.nan)),
        answer(["text"], lambda vector: spoiled(vector, np.inf)),
    ],
    ids=[
        "not-json", "list", "object", "empty", "no-embedding", "wrong-number", "too-short", "null", "zero",
        "not-base64", "half-the-dimensions", "too-many", "nan", "infinite",
    ],
)  # fmt: skip
def test_vectors_that_cannot_be_right_are_rejected(provider: OpenAIProvider, endpoint: Endpoint, body: bytes) -> None:
    endpoint.script.append(Reply(body=body))
    with pytest.raises(EmbeddingRejected):
        provider.embed_query("text")


def test_one_bad_batch_spoils_the_document_and_waits_for_no_other(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    endpoint.script.append(Reply(body=b"not json"))
    endpoint.script.extend(Reply(delay=0.02) for _ in range(50))
    with pytest.raises(EmbeddingRejected):
        provider.embed_documents(["text"] * 5_000)
    time.sleep(0.2)
    assert len(endpoint.requests) <= 2 * documents.IN_FLIGHT


def test_a_dead_endpoint_costs_nothing_after_three_failures(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    endpoint.script.extend(Reply(status=500) for _ in range(6))
    for _ in range(3):
        with pytest.raises(EmbeddingUnavailable):
            provider.embed_query("text")
    asked = len(endpoint.requests)
    started = time.monotonic()
    for _ in range(100):
        with pytest.raises(EmbeddingUnavailable):
            provider.embed_query("text")
    assert len(endpoint.requests) == asked
    assert time.monotonic() - started < 0.1


@pytest.mark.parametrize("reply", [Reply(status=429), Reply(status=400), Reply(body=b"not json")])
def test_one_organizations_bad_question_opens_the_breaker_for_nobody(
    provider: OpenAIProvider, endpoint: Endpoint, reply: Reply
) -> None:
    endpoint.script.extend([reply] * 20)
    for _ in range(5):
        with pytest.raises((EmbeddingRejected, EmbeddingUnavailable)):
            provider.embed_query("text")
    endpoint.script.clear()
    assert provider.embed_query("text").shape == (DIMENSIONS,)


@pytest.mark.parametrize("documents", [False, True], ids=["question", "documents"])
def test_an_answer_that_breaks_off_in_the_middle_is_tried_again_and_never_taken_for_complete(
    provider: OpenAIProvider, endpoint: Endpoint, documents: bool
) -> None:
    endpoint.script.append(Reply(broken_off=True))
    vectors = provider.embed_documents(["text"]) if documents else provider.embed_queries(["text"])
    assert vectors[0] == pytest.approx(normalised("text"))
    assert len(endpoint.requests) == 2


def test_documents_are_not_held_back_by_the_breaker(provider: OpenAIProvider, endpoint: Endpoint) -> None:
    endpoint.script.extend(Reply(status=500) for _ in range(6))
    for _ in range(3):
        with pytest.raises(EmbeddingUnavailable):
            provider.embed_query("text")
    assert provider.embed_documents(["text"]).shape == (1, DIMENSIONS)


def test_the_breaker_lets_one_trial_through_and_closes_when_it_succeeds() -> None:
    now = [0.0]
    breaker = CircuitBreaker("embeddings", failures=2, seconds=10, clock=lambda: now[0])
    breaker.failed()
    assert breaker.allows()
    breaker.failed()
    assert not breaker.allows()
    now[0] = 11.0
    assert [breaker.allows() for _ in range(3)] == [True, False, False]
    breaker.failed()
    now[0] = 20.0
    assert not breaker.allows()
    now[0] = 22.0
    assert breaker.allows()
    breaker.succeeded()
    assert [breaker.allows() for _ in range(3)] == [True, True, True]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/v1",
        "http://127.0.0.1.example.org/v1",
        "http://10.0.0.1/v1",
        "https://user:password@example.org/v1",
        "http://localhost@example.org/v1",
        "https://example.org/v1?key=1",
        "ftp://127.0.0.1/v1",
        "file:///etc/passwd",
        "https:///v1",
        "https://example.org/v1\r\nX: y",
    ],
)
def test_endpoints_are_encrypted_or_on_this_machine_and_carry_no_user(url: str) -> None:
    with pytest.raises(EndpointNotAllowed):
        OpenAIProvider(space_for("m", DIMENSIONS), "", url)


@pytest.mark.parametrize("url", ["https://example.org/v1", "http://localhost:11434/v1/", "http://[::1]:8080/v1"])
def test_allowed_endpoints(url: str) -> None:
    OpenAIProvider(space_for("m", DIMENSIONS), "key", url)


def test_a_key_that_would_break_the_header_is_refused() -> None:
    with pytest.raises(ValueError, match="printable"):
        OpenAIProvider(space_for("m", DIMENSIONS), "key\r\nX-Other: 1", "https://example.org/v1")
