"""What the codes of traces and searches are called: of confidence, gates, stages, decisions, drops and faults."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

CONFIDENCES: dict[str, Any] = {
    "high": _("high"),
    "medium": _("medium"),
    "low": _("low"),
    "none": pgettext_lazy("confidence", "none"),
}
GATES: dict[str, Any] = {
    "sufficient": _("sufficient"),
    "low_confidence": _("too little confidence"),
    "empty": _("nothing found"),
    "disabled": _("without a search"),
    "degraded": _("the index was down"),
}
WITHOUT: dict[str, Any] = {
    "embedding_unavailable": _("without the search by meaning"),
    "index_unavailable": _("without the index"),
    "rerank_unavailable": _("without re-ranking"),
}
CODES: dict[str, Any] = {
    **CONFIDENCES,
    **GATES,
    **WITHOUT,
    # stages of a search
    "places": _("names and places"),
    "embed": _("embedding"),
    "search": _("searching"),
    "confirm": _("reading back"),
    "rank": _("ranking"),
    "fit": _("fitting to the budget"),
    # what became of a passage
    "kept": _("kept"),
    "compressed": _("kept, shortened"),
    "merged_into": _("kept within its neighbour"),
    "threshold": _("too little relevance"),
    "duplicate": _("says the same as another"),
    "diversity": _("too similar to others"),
    "budget": _("no room left"),
    "dropped_rank": _("ranked too low"),
    "stale": _("of an older version"),
    "gone": _("no longer there"),
    # decisions of adaptive retrieval, and what kept it from them
    "accepted": _("good enough"),
    "low_recall": _("something was missing"),
    "low_precision": _("too much beside the point"),
    "low_faithfulness": _("said more than its passages"),
    "attempts_used": _("no attempt left"),
    "evaluator_failed": _("could not be judged"),
    "search_failed": _("the search failed"),
    "nothing_found": _("nothing found"),
    # why a model gave no answer
    "model_error": _("the model failed"),
    "model_interrupted": _("the model broke off"),
    "model_not_configured": _("no model is set up"),
    "model_rejected": _("the model refused the request"),
    "model_timeout": _("the model was silent"),
    "model_unavailable": _("the model was out of reach"),
    "model_context_window_exceeded": _("too much for the model's window"),
    # what tokens were used for, and measures
    "answer": _("answer"),
    "evaluation": _("evaluation"),
    "rewriting": _("rewriting of the question"),
    "faithfulness": _("faithfulness"),
    "context_precision": _("context precision"),
    "context_recall": _("context recall"),
}


def code_spoken(code: object) -> str:
    """A code of a later release, or of a provider, with spaces for its underscores."""
    text = str(code or "")
    return str(CODES.get(text.lower(), text.replace("_", " ")))


def code_text(field: str, description: Any) -> Callable[[Any, Any], str]:
    """A method that shows what a column's code means."""

    @admin.display(description=description, ordering=field)
    def shown(_admin: Any, obj: Any) -> str:
        return code_spoken(getattr(obj, field)) or "–"

    return shown
