"""The retrieval playground: one question under two settings, side by side. No model is asked.

It searches in the admin's own scope and nowhere else: the global corpora of the agent and the admin's own personal ones
(SPEC §2). What another user reads is not found here, whoever is admin. The question stands in the address, as the
admin's own words: nothing of ours logs queries (docs/privacy.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from accounts.models import Membership, ToolCall
from agents.admin.forms import ConditionsField
from agents.models import Agent
from agents.policy import policy_of
from agents.searching import open_search, search_here
from retrieval.flags import effective_flags
from retrieval.results import Retrieval, RetrievalPolicy, RetrievedChunk
from retrieval.spaces.granularities import ADAPTIVE_GRANULARITIES, DEFAULT_GRANULARITY

AS_THE_AGENT = ("", _("as the agent"))
YES_NO = (AS_THE_AGENT, ("yes", _("yes")), ("no", _("no")))
SWITCHES = ("exact_terms", "neighbours", "compress", "rerank")
CONDITIONS = ("filters", "preferences")
SIDES = ("a", "b")
OF_THE_SECOND = {"legs": "bm25"}  # unless somebody says otherwise: words alone


def number(label: Any, least: float, most: float, *, whole: bool = True) -> forms.Field:
    """Empty: as the agent has it."""
    kind: Any = forms.IntegerField if whole else forms.FloatField
    widget = UnfoldAdminIntegerFieldWidget() if whole else UnfoldAdminDecimalFieldWidget(attrs={"step": "any"})
    limits = [MinValueValidator(least), MaxValueValidator(most)]
    made: forms.Field = kind(label=label, required=False, widget=widget, validators=limits)
    return made


def settings_asked(query: QueryDict) -> QueryDict:
    """A question that comes from elsewhere says nothing of the second side; it differs then, or nothing is compared."""
    if any(name.startswith(f"{SIDES[1]}-") for name in query):
        return query
    asked = query.copy()
    asked.update({f"{SIDES[1]}-{name}": value for name, value in OF_THE_SECOND.items()})
    return asked


def side_form(asked: QueryDict | None, name: str) -> "SettingsForm":
    return SettingsForm(asked, prefix=name, initial=OF_THE_SECOND if asked is None and name == SIDES[1] else None)


def choice(label: Any, choices: Sequence[tuple[str, Any]]) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, required=False, choices=choices, widget=UnfoldAdminSelectWidget())


class QuestionForm(forms.Form):
    agent = forms.ModelChoiceField(Agent.objects.none(), label=_("Agent"), widget=UnfoldAdminSelectWidget())
    q = forms.CharField(label=_("Question"), max_length=2_000, widget=UnfoldAdminTextInputWidget())

    def __init__(self, agents: QuerySet[Agent], *args: Any) -> None:
        super().__init__(*args)
        self.fields["agent"].queryset = agents  # type: ignore[attr-defined]  # a ModelChoiceField


class SettingsForm(forms.Form):
    """What differs from the agent's own settings on one side; what is left empty does not."""

    top_k = number(_("passages kept"), 1, 50)
    candidates = number(_("candidates searched"), 1, 200)
    threshold = number(_("lowest relevance"), 0, 1, whole=False)
    min_confidence = number(_("lowest confidence"), 0, 1, whole=False)
    budget_tokens = number(_("context budget (tokens)"), 100, 100_000)
    granularity = choice(
        _("size of passages (tokens)"),
        (AS_THE_AGENT, *((str(size), str(size)) for size in sorted((DEFAULT_GRANULARITY, *ADAPTIVE_GRANULARITIES)))),
    )
    legs = choice(
        _("search by"),
        (
            AS_THE_AGENT,
            ("dense,bm25", _("meaning and words")),
            ("dense", _("meaning alone")),
            ("bm25", _("words alone")),
        ),
    )
    dense_weight = number(_("weight of meaning"), 0, 100, whole=False)
    bm25_weight = number(_("weight of words"), 0, 100, whole=False)
    diversity = number(_("diversity"), 0, 1, whole=False)
    recency_half_life_days = number(_("recency half-life (days)"), 1, 36_500)
    exact_terms = choice(_("exact terms"), YES_NO)
    neighbours = choice(_("neighbouring passages"), YES_NO)
    compress = choice(_("compress passages to the budget"), YES_NO)
    rerank = choice(_("re-rank"), YES_NO)
    filters = ConditionsField(label=_("Required metadata"), help_text="")
    preferences = ConditionsField(label=_("Preferred metadata"), help_text="")

    def conditions(self) -> dict[str, Any]:
        """Beside the agent's own, as a request would bring them."""
        return {name: self.cleaned_data[name] for name in CONDITIONS}

    def changes(self) -> dict[str, Any]:
        """The fields of RetrievalPolicy that are set here."""
        set_here = {name: value for name, value in self.cleaned_data.items() if name not in CONDITIONS}
        given = {name: value for name, value in set_here.items() if value not in ("", None)}
        given |= {name: given[name] == "yes" for name in SWITCHES if name in given}
        if "granularity" in given:
            given["granularity"] = int(given["granularity"])
        if "legs" in given:
            given["legs"] = tuple(given["legs"].split(","))
        return given


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage of one side. `other`: its rank on the other side, None if it is not there."""

    rank: int
    passage: RetrievedChunk
    other: int | None

    @property
    def moved(self) -> int:
        """How many places higher it stands here than on the other side."""
        return 0 if self.other is None else self.other - self.rank


@dataclass(frozen=True, slots=True)
class Side:
    """One settings form with what it found."""

    name: str
    form: SettingsForm
    retrieval: Retrieval | None = None
    places: tuple[RankedPassage, ...] = ()

    @property
    def dropped(self) -> dict[str, int]:
        """A plain dict: templates look names up as keys first, and a Counter has every key."""
        return dict(self.retrieval.dropped) if self.retrieval else {}


def search_side(agent: Agent, membership: Membership, query: str, form: SettingsForm) -> Retrieval:
    """Recorded like any search; its request has been counted. Raises QuotaExceeded."""
    flags = effective_flags()
    own = policy_of(agent, flags, **form.conditions())
    policy: RetrievalPolicy = replace(own, **form.changes())
    policy = replace(policy, candidates=max(policy.candidates, policy.top_k))
    return search_here(open_search(membership, agent, query, policy, flags, ToolCall.Kind.PLAYGROUND))


def compare_sides(forms_by_side: Sequence[tuple[str, SettingsForm, Retrieval]]) -> tuple[Side, ...]:
    """Both sides with each passage's rank on the other; a passage is the same if its best chunk is."""
    ranks = [{one.chunk: rank for rank, one in enumerate(found.chunks, 1)} for _, _, found in forms_by_side]
    return tuple(
        Side(name, form, found, places(found, other))
        for (name, form, found), other in zip(forms_by_side, reversed(ranks), strict=True)
    )


def places(found: Retrieval, other: dict[Any, int]) -> tuple[RankedPassage, ...]:
    return tuple(RankedPassage(rank, one, other.get(one.chunk)) for rank, one in enumerate(found.chunks, 1))
