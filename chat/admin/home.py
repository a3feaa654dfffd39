"""The admin's front page: how the last days went, in figures that each lead to the rows behind them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.admin.scope import admin_membership, is_operator
from accounts.limits.declared import Per
from accounts.limits.uses import present_uses
from accounts.models import Membership
from accounts.tenancy.scope import system_scope
from chat.admin.filters import SLOW
from chat.admin.usage import DAYS, Bar, bars, per_day, sum_or_none
from chat.answering.state import State
from chat.models import Trace
from chat.usage.counting import CountedUsage, first_moment, usage_since
from corpora.admin.slow import waiting_long
from corpora.models import Corpus, Document

TIMED = 500  # of the latest searches: enough for a percentile, and no more however many there are
SHARE = 95


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its name, what it is of, and the list that shows its rows. `is_bad`: somebody should look."""

    label: str
    value: str
    hint: str
    link: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class HomeReport:
    questions: int
    per_day: tuple[Bar, ...]
    figures: tuple[Figure, ...]


def home_figures(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's setting DASHBOARD_CALLBACK calls this. Of one's own organization; for operators, of all of them."""
    membership = None if is_operator(request) else admin_membership(request)
    organization = membership.organization if membership else None
    report = home_report(organization.pk if organization else None, membership)
    return {**context, "title": _("Home"), "report": report, "days": DAYS, "organization": organization}


def home_report(organization_id: UUID | None, by: Membership | None = None) -> HomeReport:
    """As many queries however many rows there are."""
    today = timezone.localdate()
    since = today - timedelta(days=DAYS - 1)
    counted = counted_since(organization_id, since)
    counts: Counter[str] = Counter()
    for one in counted.rows:
        counts[one.measure] += one.count
    asked = [one for one in counted.rows if one.measure == "question"]
    return HomeReport(
        questions=counts["question"],
        per_day=bars(per_day(asked, [since + timedelta(days=n) for n in range(DAYS)])),
        figures=(
            unknown_figure(counts),
            disliked_figure(counts),
            spent_figure(counted, by),
            time_figure(latest_times(organization_id, since)),
            *document_figures(organization_id),
        ),
    )


@system_scope()  # members' questions, to be counted only
def counted_since(organization_id: UUID | None, since: date) -> CountedUsage:
    return usage_since(organization_id, since, since)


def listed(name: str, **asked: Any) -> str:
    return f"{reverse(f'admin:{name}')}{'?' + urlencode(asked) if asked else ''}"


def share_shown(part: int, whole: int) -> str:
    return f"{round(100 * part / whole)} %" if whole else "–"


def unknown_figure(counts: Counter[str]) -> Figure:
    said = _("%(part)s of %(whole)s answers") % {"part": counts["unknown"], "whole": counts["answers"]}
    link = listed("chat_trace_changelist", state=State.NOT_IN_DOCUMENTS.value)
    return Figure(_("Not in your documents"), share_shown(counts["unknown"], counts["answers"]), said, link)


def disliked_figure(counts: Counter[str]) -> Figure:
    disliked = counts["rated"] - counts["liked"]
    said = _("of %(whole)s answers that were rated") % {"whole": counts["rated"]}
    return Figure(_("Thumbs down"), str(disliked), said, listed("chat_trace_changelist", rating="down"))


def spent_figure(counted: CountedUsage, by: Membership | None) -> Figure:
    """In dollars where a model has a price; else in tokens of this month, which are counted in any case."""
    cost = sum_or_none(one.cost for one in counted.rows)
    if cost is not None or by is None:
        shown = "–" if cost is None else f"$ {localize(round(cost, 2))}"
        return Figure(_("Cost"), shown, _("US dollars, of models with a price"), listed("chat_usage"))
    used = present_uses(by, ("tokens_month",)).get(("tokens_month", Per.ORGANIZATION), 0)
    link = reverse("admin:accounts_limits", args=[by.organization_id])
    return Figure(_("Tokens"), compact(used), _("this month, of language models"), link)


def compact(number: int) -> str:
    """`950`, `12 k`, `3.4 M`."""
    for size, name in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{localize(round(number / size, 1))} {name}"
    return str(number)


def latest_times(organization_id: UUID | None, since: date) -> list[float]:
    """Milliseconds of the latest TIMED searches, sorted."""
    traces = Trace.objects.filter(created_at__gte=first_moment(since))
    if organization_id:
        traces = traces.filter(agent__organization_id=organization_id)
    found = traces.order_by("-created_at").values_list("timings__total", flat=True)[:TIMED]
    return sorted(float(one) for one in found if isinstance(one, int | float))


def time_figure(times: Sequence[float]) -> Figure:
    slowest = times[min(len(times) - 1, len(times) * SHARE // 100)] if times else None
    said = _("%(share)s of 100 searches took at most this") % {"share": SHARE}
    least = max((one for one in SLOW if slowest is not None and slowest >= one), default=None)
    link = listed("chat_trace_changelist", **({"slow": least} if least else {}))
    return Figure(_("Search time"), "–" if slowest is None else duration(slowest), said, link)


def duration(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{localize(round(milliseconds / 1000, 1))} s"


def document_figures(organization_id: UUID | None) -> tuple[Figure, Figure]:
    """Of global corpora: what is personal is its owner's to know."""
    documents = Document.objects.alive().filter(corpus__corpus_type=Corpus.Type.GLOBAL, corpus__deleted_at=None)
    if organization_id:
        documents = documents.filter(corpus__organization_id=organization_id)
    failed, slow = documents.filter(status=Document.Status.FAILED).count(), waiting_long(documents).count()
    unread = ngettext("document could not be read", "documents could not be read", failed)
    late = ngettext("document has waited for long", "documents have waited for long", slow)
    place = "corpora_document_changelist"
    return (
        Figure(_("Failed documents"), str(failed), unread, listed(place, status__exact="failed"), failed > 0),
        Figure(_("Slow documents"), str(slow), late, listed(place, slow=1), slow > 0),
    )
