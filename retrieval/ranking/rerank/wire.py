"""The three protocols of re-rankers as bytes: Cohere's, Jina's, and that of Text Embeddings Inference. Pure.

    Cohere, Jina, vLLM   {model, query, documents, top_n}   → {results: [{index, relevance_score}]}
    Voyage               the same                           → {data: [{index, relevance_score}]}
    TEI                  {query, texts, raw_scores}         → [{index, score}]

With a model's name the first is spoken, without one TEI's, which serves a single model. All answers are understood.
"""

import math
from collections.abc import Sequence
from typing import Any

from retrieval.ranking.rerank.base import RerankUnavailable


def encode_rerank_request(model: str, question: str, passages: Sequence[str]) -> bytes:
    """The JSON body. Cut to what the model reads is the server's business: `truncate` is TEI's word for it."""
    import orjson

    if model:
        return orjson.dumps({"model": model, "query": question, "documents": passages, "top_n": len(passages)})
    return orjson.dumps({"query": question, "texts": passages, "raw_scores": False, "truncate": True})


def decode_rerank_scores(body: bytes, count: int) -> list[float]:
    """`count` scores (0..1) in the order asked. Raises RerankUnavailable for anything else.

    Scores that are not probabilities are logits: then all go through the logistic function, which keeps their order.
    """
    scores: dict[int, float] = {}
    for item in _items(body):
        index, score = _scored(item)
        if not 0 <= index < count or index in scores or not math.isfinite(score):
            raise RerankUnavailable("the answer numbers its passages wrongly, or a score is not finite")
        scores[index] = score
    if len(scores) != count:
        raise RerankUnavailable(f"expected {count} scores, got {len(scores)}")
    ordered = [scores[index] for index in range(count)]
    return ordered if all(0.0 <= score <= 1.0 for score in ordered) else [_logistic(score) for score in ordered]


def _items(body: bytes) -> list[Any]:
    import orjson

    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise RerankUnavailable("the answer is not JSON") from None
    items = answer.get("results", answer.get("data")) if isinstance(answer, dict) else answer
    if not isinstance(items, list):
        raise RerankUnavailable("the answer is not a list of scores")
    return items


def _scored(item: Any) -> tuple[int, float]:
    try:
        return int(item["index"]), float(item["relevance_score"] if "relevance_score" in item else item["score"])
    except (KeyError, TypeError, ValueError):
        raise RerankUnavailable("an item of the answer is not a score") from None


def _logistic(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, score))))
