"""What somebody beyond a limit is told: which one it is, when it ends, what to do about it and whom to ask."""

from datetime import UTC, datetime
from decimal import Decimal

from django.template.defaultfilters import date
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from accounts.limits.declared import Limit, Per, Window
from accounts.limits.windows import end_of, seconds_left
from accounts.models import Membership
from accounts.problems import QuotaExceeded
from config.metrics.limiting import REFUSED


def quota_exceeded(by: Membership, limit: Limit, per: Per, allowed: int) -> QuotaExceeded:
    """`allowed` as it is counted. With Retry-After where time alone heals it. Made to be raised: each is a refusal."""
    REFUSED.labels(limit.name, per.value).inc()
    headers = {} if limit.window is Window.HELD else {"Retry-After": str(seconds_left(limit.window))}
    return QuotaExceeded(
        f"{reached_sentence(by, limit, per, allowed)} {what_to_do(limit)} {whom_to_ask(by, per)}",
        headers=headers,
        limit=limit.name,
        per=per.value,
    )


def reached_sentence(by: Membership, limit: Limit, per: Per, allowed: int) -> str:
    said = {"amount": shown_amount(limit, allowed), "what": limit.what, "name": by.organization.name}
    if per is Per.USER:
        return _("Your limit of %(amount)s %(what)s is reached.") % said
    return _("The limit of %(name)s is reached: %(amount)s %(what)s.") % said


def shown_amount(limit: Limit, counted: int) -> str:
    """In its own unit."""
    return written(round(Decimal(counted) / limit.factor, 2))


def written(amount: Decimal) -> str:
    """As people write numbers."""
    return str(number_format(f"{amount.normalize():f}", use_l10n=True, force_grouping=True))


def what_to_do(limit: Limit) -> str:
    if limit.name == "streams":
        return _("Stop one, or wait until it ends.")
    if limit.name in ("documents", "megabytes", "corpora"):
        return _("Delete what is no longer needed, and empty the trash.")
    if limit.window is Window.HELD:
        return _("Delete what is no longer needed.")
    if limit.window is Window.MINUTE:
        return _("Try again in %(seconds)s seconds.") % {"seconds": seconds_left(limit.window)}
    ends = datetime.fromtimestamp(end_of(limit.window), UTC)
    return _("It ends on %(moment)s UTC.") % {"moment": date(ends, "DATETIME_FORMAT")}


def whom_to_ask(by: Membership, per: Per) -> str:
    if per is Per.USER and not by.is_admin:
        return _("If that is not enough, ask an administrator of %(name)s.") % {"name": by.organization.name}
    return _("If that is not enough, ask whoever runs this installation.")
