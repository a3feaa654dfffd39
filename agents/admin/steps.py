"""The agent's form in the order in which one thinks of an agent; what few ever touch is folded away."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.http.principal import membership_of_session
from agents.models import Agent

FIELDSETS: Any = (
    (
        _("1. Who it is"),
        {
            "fields": (("name", "slug"), "description", "is_active"),
            "description": _("How people find the agent and what they read about it before they ask."),
        },
    ),
    (
        _("2. What it reads"),
        {
            "fields": ("uses_rag", "allows_personal_corpus", "personal_assignments", "grounding"),
            "description": _("Its global corpora are at the end of this page. Strict agents say nothing else."),
        },
    ),
    (
        _("3. How it answers"),
        {
            "fields": ("system_prompt", "model", "adaptive"),
            "description": _(
                "The prompt says how it speaks. Adaptive retrieval lets a model judge each answer and try again with "
                "longer or shorter passages, up to three times: better answers, more slowly and at more cost."
            ),
        },
    ),
    (
        _("4. Limits"),
        {
            "fields": (("max_tokens", "top_k"), "min_confidence"),
            "description": _("How long an answer may be, from how many passages, and how sure the search must be."),
        },
    ),
    (
        _("Expert: model and passages"),
        {
            "classes": ("collapse",),
            "fields": (  # one in each line: Django opens a folded fieldset for an error in a line's only field alone
                "temperature", "evaluator_model", "instructions", "context_template", "candidates", "min_relevance",
                "context_tokens", "diversity", "recency_half_life_days", "rerank", "condense", "expand_queries",
                "compress", "calls_per_minute",
            ),
        },
    ),
    (_("Expert: metadata of documents"), {"classes": ("collapse",), "fields": ("filters", "preferences")}),
)  # fmt: skip


def may_try(request: HttpRequest, agent: Agent | None) -> bool:
    """Whether the test chat of the form can ask: as a member, in a session of the agent's organization."""
    membership = membership_of_session(request)
    return bool(agent and agent.is_active and membership and membership.organization_id == agent.organization_id)
