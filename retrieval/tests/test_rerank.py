"""Re-rankers: every protocol as bytes, and a server that misbehaves on a real socket."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.concurrency.loops import block_on
from retrieval.ranking.rerank import get_reranker, http
from retrieval.ranking.rerank.base import RerankUnavailable
from retrieval.ranking.rerank.http import HttpReranker
from retrieval.ranking.rerank.wire import decode_rerank_scores, encode_rerank_request
from retrieval.tests.endpoint import Endpoint, Reply, serving

PASSAGES = ["A loan lasts.", "Dogs."]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as running:
        running.url = running.url.removesuffix("/v1")
        yield running


Make = Callable[..., HttpReranker]


@pytest.fixture
def reranker(endpoint: Endpoint) -> Make:
    """Makes re-rankers at a path of the endpoint."""

    def make(path: str = "", *rest: str) -> HttpReranker:
        return HttpReranker(endpoint.url + path, *rest)

    return make


def scored(*scores: tuple[int, float], key: str = "relevance_score") -> list[dict[str, Any]]:
    return [{"index": index, key: score} for index, score in scores]


def test_with_a_model_s_name_cohere_and_jina_are_spoken_without_one_tei() -> None:
    assert json.loads(encode_rerank_request("rerank-v3.5", "q", PASSAGES)) == {
        "model": "rerank-v3.5", "query": "q", "documents": PASSAGES, "top_n": 2
    }  # fmt: skip
    assert json.loads(encode_rerank_request("", "q", PASSAGES)) == {
        "query": "q", "texts": PASSAGES, "raw_scores": False, "truncate": True
    }  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        {"id": "x", "results": scored((1, 0.2), (0, 0.9)), "meta": {}},
        {"model": "m", "results": [{**one, "document": {"text": "…"}} for one in scored((1, 0.2), (0, 0.9))]},
        {"object": "list", "data": scored((1, 0.2), (0, 0.9))},
        scored((1, 0.2), (0, 0.9), key="score"),
    ],
    ids=["cohere", "jina", "voyage", "tei"],
)
def test_scores_come_in_the_order_asked_from_every_shape(answer: Any) -> None:
    assert decode_rerank_scores(json.dumps(answer).encode(), 2) == [0.9, 0.2]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"not json", b"{}", b"[]", b'{"results": 3}', b"[1, 2]", b'[{"index": 0}]', b"null",
        json.dumps(scored((0, 0.9))).encode(),
        json.dumps(scored((0, 0.9), (0, 0.8))).encode(),
        json.dumps(scored((0, 0.9), (2, 0.8))).encode(),
        json.dumps(scored((0, 0.9), (-1, 0.8))).encode(),
        b'[{"index": 0, "score": 0.1}, {"index": 1, "score": "high"}]',
        b'[{"index": 0, "score": 0.1}, {"index": 1, "score": null}]',
    ],
)  # fmt: skip
def test_what_is_not_one_score_for_each_passage_is_refused(body: bytes) -> None:
    with pytest.raises(RerankUnavailable):
        decode_rerank_scores(body, 2)


@given(st.lists(st.floats(-50, 50, allow_nan=False), min_size=1, max_size=6))
def test_logits_become_shares_in_the_same_order(scores: list[float]) -> None:
    body = json.dumps(scored(*enumerate(scores), key="score")).encode()
    shares = decode_rerank_scores(body, len(scores))
    assert all(0.0 <= share <= 1.0 for share in shares)
    for first, second in zip(range(len(scores)), range(1, len(scores)), strict=False):
        if scores[first] < scores[second]:
            assert shares[first] <= shares[second]


def answering(*scores: float) -> Reply:
    return Reply(body=json.dumps({"results": scored(*enumerate(scores))}).encode())


def test_one_request_with_the_key_brings_the_scores(endpoint: Endpoint, reranker: Make) -> None:
    endpoint.script.append(answering(0.1, 0.7))
    assert block_on(reranker("/v2/rerank", "m", "secret").rerank("q", PASSAGES)) == [0.1, 0.7]
    assert endpoint.headers[0]["Authorization"] == "Bearer secret"
    assert endpoint.requests[0]["documents"] == PASSAGES


def test_nothing_to_score_asks_nobody(endpoint: Endpoint, reranker: Make) -> None:
    assert block_on(reranker().rerank("q", [])) == []
    assert not endpoint.requests


@pytest.mark.parametrize(
    "reply", [Reply(status=500, body=b"{}"), Reply(status=302, body=b"{}"), Reply(hang_up=True), Reply(body=b"?")]
)
def test_every_fault_is_unavailable_and_names_no_text(endpoint: Endpoint, reranker: Make, reply: Reply) -> None:
    endpoint.script.extend([reply, reply])
    with pytest.raises(RerankUnavailable) as fault:
        block_on(reranker("", "m", "secret").rerank("canary", ["canary"]))
    assert "canary" not in str(fault.value)
    assert "secret" not in str(fault.value)


def test_a_slow_server_costs_no_more_than_the_deadline(
    endpoint: Endpoint, reranker: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "SECONDS", 0.2)
    endpoint.script.append(Reply(body=b"x" * 100, trickle=0.05))
    started = time.monotonic()
    with pytest.raises(RerankUnavailable):
        block_on(reranker().rerank("q", PASSAGES))
    assert time.monotonic() - started < 1.0


def test_a_dead_server_is_left_alone_after_three_failures(endpoint: Endpoint, reranker: Make) -> None:
    failing = reranker("", "m")
    for _ in range(6):
        endpoint.script.append(Reply(status=503, body=b"{}"))
        with pytest.raises(RerankUnavailable):
            block_on(failing.rerank("q", PASSAGES))
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("reply", [Reply(status=422, body=b"{}"), Reply(status=429, body=b"{}"), Reply(body=b"?")])
def test_one_organizations_bad_request_opens_the_breaker_for_nobody(
    endpoint: Endpoint, reranker: Make, reply: Reply
) -> None:
    shared = reranker("", "m")
    endpoint.script.extend([reply] * 5)
    for _ in range(5):
        with pytest.raises(RerankUnavailable):
            block_on(shared.rerank("q", PASSAGES))
    endpoint.script.append(answering(0.1, 0.7))
    assert block_on(shared.rerank("q", PASSAGES)) == [0.1, 0.7]


@pytest.mark.parametrize(
    "url", ["http://rerank.example.org", "https://user:pass@rerank.example.org", "ftp://x", "https://x.org/?q=1"]
)
def test_an_endpoint_that_is_not_allowed_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"address|dirección"):
        HttpReranker(url)


def test_it_is_off_without_a_url_and_made_once_with_one(settings: Any) -> None:
    settings.RERANK_URL = ""
    assert get_reranker() is None
    settings.RERANK_URL, settings.RERANK_MODEL = "http://127.0.0.1:9/rerank", "m"
    assert get_reranker() is get_reranker() is not None
