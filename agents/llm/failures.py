"""Maps what a provider answered to our typed errors; its own words are never passed on (RELIABILITY R26)."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from agents.llm.base import ModelError, ModelNotConfigured, ModelRejected, ModelUnavailable
from config.endpoints import EndpointNotAllowed, allowed_endpoint, retry_after

TRANSIENT = frozenset({408, 409, 425, 429})
REFUSALS = frozenset({400, 422})  # of something in the request, which may be left out

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


def usable_endpoint(url: str) -> str:
    """The address without its trailing slash; `ModelNotConfigured`, saying why, if it may not be called (R20)."""
    try:
        return allowed_endpoint(url)
    except EndpointNotAllowed as error:
        raise ModelNotConfigured(error.detail) from None
