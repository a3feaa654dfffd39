"""How often an agent's data is asked in a minute, whoever asks: what one agent does must not take a database away."""

from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.limits.amounts import are_counted
from accounts.limits.declared import Per, Window
from accounts.limits.refusing import written
from accounts.limits.uses import Addition, add_up
from accounts.limits.windows import seconds_left
from accounts.models import Membership
from accounts.problems import QuotaExceeded
from agents.models import Agent
from config.metrics.limiting import REFUSED

LIMIT, PER = "searches", "agent"


def count_call(agent: Agent, by: Membership) -> None:
    """Raises QuotaExceeded beyond the agent's own limit, else the installation's; what is refused is not counted. The
    counter is a row of its own, of the limit whose calls these are."""
    allowed = agent.calls_per_minute or settings.AGENT_CALLS_PER_MINUTE
    if not allowed or not are_counted(by):
        return
    with transaction.atomic():
        used = add_up(agent.organization_id, agent.pk, [Addition(LIMIT, Per.USER, 1)])
        if used[LIMIT, Per.USER] > allowed:
            raise _refusal(agent, allowed)


def _refusal(agent: Agent, allowed: int) -> QuotaExceeded:
    REFUSED.labels(LIMIT, PER).inc()
    seconds = seconds_left(Window.MINUTE)
    said = _(
        "The limit of the agent %(name)s is reached: %(amount)s questions to its data a minute. "
        "Try again in %(seconds)s seconds."
    )
    told = said % {"name": agent.name, "amount": written(Decimal(allowed)), "seconds": seconds}
    return QuotaExceeded(told, headers={"Retry-After": str(seconds)}, limit=LIMIT, per=PER)
