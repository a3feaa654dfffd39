"""Maps what a provider answered to our typed errors; its own words are never passed on (RELIABILITY R26)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from django.utils.translation import gettext_lazy as _

from agents.llm.base import ModelError, ModelRejected, ModelUnavailable

TRANSIENT = frozenset({408, 409, 425, 429})

REASONS = {
    401: _("The model's provider does not accept the key. An admin must check it."),
    402: _("The model's provider reports an unpaid account. An admin must check it."),
    403: _("The model's provider does not accept the key. An admin must check it."),
    404: _("The provider has no model of this name. An admin must check the agent's model."),
    413: _("The question and its context are too long for this model."),
}


def from_status(status: int, headers: Mapping[str, str]) -> ModelError:
    """The error for an HTTP status that is not 200. 429, 408 and 5xx may be tried again."""
    if status == 429:
        busy = _("The model is receiving too many requests. Try again in a minute.")
        return ModelUnavailable(busy, retry_after(headers))
    if status in TRANSIENT or status >= 500:
        return ModelUnavailable(retry_after=retry_after(headers))
    if 300 <= status < 400:
        return ModelRejected(_("The model's address redirects elsewhere, which is not followed."))
    return ModelRejected(REASONS.get(status))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header (RFC 9110 §10.2.3: seconds or a date); None without a usable one."""
    value = (headers.get("retry-after") or "").strip()
    try:
        seconds = float(value)
    except ValueError:
        return _seconds_until(value)
    return seconds if 0 <= seconds < float("inf") else None


def _seconds_until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
