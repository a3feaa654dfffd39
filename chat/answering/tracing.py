"""What the trace of an answer holds: ids, numbers and the question's words, never a passage (SPEC §1; R18).

Admins read traces. So one whose words may tell of somebody's own documents is marked `is_personal` and has none
(docs/privacy.md); a judge's reasons and other phrasings of a question are nowhere kept.

`attempts`: a list, in order, of
    {"attempt", "kind" of its question (`chat.understanding.kinds`), "granularity", "breadth", "confidence", "score",
     "gate", "chunks": how many passages, "kept": bool,
     "metrics": {"faithfulness", "context_precision", "context_recall"} | null, "decision": the router's reason | "",
     "calls": of tools, in order, {"tool", "source", "fingerprint", "rows", "milliseconds", "refused": code | ""},
     "fault": "" | "evaluator_failed" | "search_failed" | "nothing_found" | a model error's code,
     "timings": milliseconds by stage of its search}
`candidates`, of the first attempt from when it is told, in the end of the one that was kept, best first:
    {"chunk", "document", "corpus", "corpus_type", "dense", "bm25", "fused", "relevance", "kept", "reason"}
`usage`: tokens by purpose, {"answer" | "evaluation" | "rewriting": {"prompt_tokens", "completion_tokens"}}
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from agents.llm import resolve
from agents.llm.base import ModelError, Usage
from agents.llm.prices import cost
from chat.answering.attempts import Answer, Attempt
from chat.understanding.kinds import question_kind
from config.observability.correlation import current_correlation
from retrieval.results import Retrieval, TracedCandidate


def words_of(question: str, condensed: str = "", *, is_personal: bool) -> dict[str, Any]:
    """The mark and the words that go with it."""
    if is_personal:
        return {"is_personal": True, "query": "", "condensed_query": ""}
    return {"is_personal": False, "query": question, "condensed_query": condensed}


def trace_found(attempt: Attempt) -> dict[str, Any]:
    """What is known when the answer begins; `trace_ended` says the rest."""
    retrieval = attempt.retrieval
    return {
        "scope_size": len(attempt.scope.corpus_ids),
        "model": model_name(attempt),
        **retrieval_entry(retrieval),
        **cause_of_it(),
        "candidates": candidate_entries(retrieval),
    }


def trace_ended(answer: Answer) -> dict[str, Any]:
    """What is known when the answer has ended; nothing of one that was never searched for. The first attempt's
    candidates are stored already."""
    if (best := answer.best) is None:
        return {}
    is_other = best is not answer.attempts[0]
    return {
        **retrieval_entry(best.retrieval),
        **words_at_the_end(answer),
        "attempts": [attempt_entry(one, kept=one is best) for one in answer.attempts],
        **({"candidates": candidate_entries(best.retrieval)} if is_other else {}),
        "usage": {purpose: counts(usage) for purpose, _, usage in usage_by_purpose(answer)},
        "cost": total_cost(answer),
    }


def words_at_the_end(answer: Answer) -> dict[str, Any]:
    """A further attempt may have searched where the first could not: then the words go that were there before."""
    return words_of("", is_personal=True) if answer.is_personal else {"condensed_query": answer.condensed}


def retrieval_entry(retrieval: Retrieval) -> dict[str, Any]:
    return {
        "granularity": retrieval.granularity,
        "confidence": retrieval.confidence.value,
        "score": retrieval.score,
        "gate": retrieval.gate.value,
        "degraded": retrieval.degraded or "",
        "dropped": dict(retrieval.dropped),
        "timings": dict(retrieval.timings),
    }


def cause_of_it() -> dict[str, str]:
    """By which the lines of its request are found in the logs."""
    return {"request_id": current_correlation().request_id}


def attempt_entry(attempt: Attempt, *, kept: bool) -> dict[str, Any]:
    retrieval, metrics = attempt.retrieval, attempt.metrics
    return {
        "attempt": attempt.number,
        "kind": question_kind(attempt.request.question).value,
        "granularity": retrieval.granularity,
        "breadth": attempt.strategy.breadth,
        "confidence": retrieval.confidence.value,
        "score": retrieval.score,
        "gate": retrieval.gate.value,
        "chunks": len(retrieval.chunks),
        "kept": kept,
        "metrics": {name: getattr(metrics, name) for name in metrics.__slots__} if metrics else None,
        "decision": attempt.decision.reason.value if attempt.decision else "",
        "fault": attempt.fault or (attempt.error.code if isinstance(attempt.error, ModelError) else ""),
        "timings": dict(retrieval.timings),
        **({"calls": [one.entry for one in attempt.steps]} if attempt.steps else {}),
    }


def candidate_entries(retrieval: Retrieval) -> list[dict[str, Any]]:
    return [candidate_entry(one) for one in retrieval.candidates]


def candidate_entry(one: TracedCandidate) -> dict[str, Any]:
    return {
        "chunk": str(one.chunk),
        "document": str(one.document) if one.document else None,
        "corpus": str(one.corpus) if one.corpus else None,
        "corpus_type": one.corpus_type,
        "dense": one.dense,
        "bm25": one.bm25,
        "fused": one.fused,
        "relevance": one.relevance,
        "kept": one.kept,
        "reason": one.reason,
    }


def model_name(attempt: Attempt) -> str:
    """Provider and model as they were resolved; "" for a refusal, which asks none."""
    return "" if attempt.refusal else ":".join(dict.fromkeys(resolve(attempt.request.model)))[:100]


def usage_by_purpose(answer: Answer) -> list[tuple[str, str, Usage]]:
    """(purpose, model, tokens) of what the answer took; purposes that took nothing are left out."""
    if not answer.attempts:
        return []
    model = answer.attempts[0].request.model
    purposes = [
        ("answer", model, total(one.usage for one in answer.attempts)),
        ("evaluation", answer.evaluator, total(one.judged for one in answer.attempts)),
        ("rewriting", model, answer.rewriting),
    ]
    return [one for one in purposes if one[2] != Usage(0, 0)]


def total(usages: Iterable[Usage]) -> Usage:
    counted = list(usages)
    return Usage(sum(one.prompt_tokens for one in counted), sum(one.completion_tokens for one in counted))


def counts(usage: Usage) -> dict[str, int]:
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}


def total_cost(answer: Answer) -> Decimal | None:
    """US dollars of all purposes; None when the price of one is not known."""
    costs = [cost(model, usage) for _, model, usage in usage_by_purpose(answer)]
    known = [one for one in costs if one is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None
