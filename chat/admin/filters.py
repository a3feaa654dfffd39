"""What the list of traces is filtered by beside its own columns."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.tenancy.scope import system_scope
from chat.answering.state import LABELS
from chat.models import Trace
from chat.rendering.codes import CONFIDENCES, GATES, WITHOUT

SLOW = {1_000: _("1 second or more"), 3_000: _("3 seconds or more"), 10_000: _("10 seconds or more")}
RATINGS = {"up": (1, _("thumbs up")), "down": (-1, _("thumbs down"))}


MOST_LISTED = 2_000  # the latest


def whose_message(traces: QuerySet[Trace], **said: object) -> QuerySet[Trace]:
    """Of these traces those whose message is so. Of what members said, an organization's admins may read the traces
    alone: the message is looked at in the system's name, for traces that the list has anyway."""
    with system_scope():
        wanted = traces.filter(**{f"message__{name}": value for name, value in said.items()})
        found = list(wanted.order_by("-created_at").values_list("pk", flat=True)[:MOST_LISTED])
    return traces.filter(pk__in=found)


class ChosenFilter(admin.SimpleListFilter):
    """One of `choices_of_it`; a column of this name has it, unless `narrow` says otherwise."""

    choices_of_it: tuple[tuple[str, Any], ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(self.choices_of_it)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Trace]) -> QuerySet[Trace]:
        chosen = self.value()
        known = {value for value, _label in self.choices_of_it}
        return self.narrow(queryset, chosen) if chosen in known else queryset

    def narrow(self, traces: QuerySet[Trace], chosen: str) -> QuerySet[Trace]:
        return traces.filter(**{str(self.parameter_name): chosen})


class StateFilter(ChosenFilter):
    title = _("state")
    parameter_name = "state"
    choices_of_it = tuple((state.value, label) for state, label in LABELS.items())

    def narrow(self, traces: QuerySet[Trace], chosen: str) -> QuerySet[Trace]:
        return whose_message(traces, state=chosen)


class RatingFilter(ChosenFilter):
    """Of conversations that nobody's own documents were in: what others were rated is only counted."""

    title = _("rating")
    parameter_name = "rating"
    choices_of_it = tuple((name, label) for name, (_number, label) in RATINGS.items())

    def narrow(self, traces: QuerySet[Trace], chosen: str) -> QuerySet[Trace]:
        return whose_message(traces.filter(is_personal=False), rating=RATINGS[chosen][0])


class SlowFilter(ChosenFilter):
    title = _("search time")
    parameter_name = "slow"
    choices_of_it = tuple((str(least), label) for least, label in SLOW.items())

    def narrow(self, traces: QuerySet[Trace], chosen: str) -> QuerySet[Trace]:
        return traces.filter(timings__total__gte=int(chosen))


class ConfidenceFilter(ChosenFilter):
    title = _("confidence")
    parameter_name = "confidence"
    choices_of_it = tuple(CONFIDENCES.items())

    def narrow(self, traces: QuerySet[Trace], chosen: str) -> QuerySet[Trace]:
        return traces.filter(confidence__in=(chosen, chosen.upper()))


class GateFilter(ChosenFilter):
    title = _("gate")
    parameter_name = "gate"
    choices_of_it = tuple(GATES.items())


class WithoutFilter(ChosenFilter):
    title = _("without")
    parameter_name = "degraded"
    choices_of_it = tuple(WITHOUT.items())
