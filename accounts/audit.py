"""The entrances of the audit log (RELIABILITY R27) and of the record of tool calls."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Model

from accounts.models import AuditEvent, Membership, Organization, ToolCall, User
from accounts.tenancy.scope import system_scope

_witness: ContextVar[list[ToolCall] | None] = ContextVar("witness", default=None)
TOOL_CALLS_KEPT = timedelta(days=90)  # there are many, and what is asked of them is asked of the last weeks


def record(by: Membership, action: str, subject: Model, **changes: Any) -> None:
    """Append who did what to which row. `changes` holds flags, roles and ids, never document or message text."""
    if by.user_id is None:  # the organization's directory (`accounts.members.directory_of`)
        record_for(by.organization, None, action, subject, by_directory=True, **changes)
    else:
        record_for(by.organization, by.user, action, subject, **changes)


def record_for(organization: Organization, actor: User | None, action: str, subject: Model, **changes: Any) -> None:
    """As `record`, for acts without a membership: commands and platform operators."""
    AuditEvent.objects.create(
        organization=organization,
        actor=actor,
        action=action,
        object_type=str(subject._meta.model_name),
        object_id=str(subject.pk),
        changes=changes,
    )


@system_scope()  # the person's session shows one organization at a time
def record_everywhere(user: User, actor: User | None, action: str, **changes: Any) -> None:
    """What concerns a person as such, in the log of each organization that the person belongs to."""
    for membership in user.memberships.select_related("organization"):
        record_for(membership.organization, actor, action, user, **changes)


def record_tool_call(
    by: Membership,
    kind: ToolCall.Kind,
    began: float,
    *,
    items: int,
    tokens: int,
    is_personal: bool,
    agent: UUID | None = None,
    corpus: UUID | None = None,
    source: UUID | None = None,
    tool: UUID | None = None,
    fingerprint: str | None = None,
) -> None:
    """Append who used what; `began` by the clock of `time.monotonic`. A call that was refused used nothing."""
    call = ToolCall.objects.create(
        organization_id=by.organization_id,
        user_id=by.user_id,
        key_id=by.acting_key,
        kind=kind,
        agent_id=agent,
        corpus_id=corpus,
        source_id=source,
        tool_id=tool,
        fingerprint=fingerprint,
        items=items,
        tokens=tokens,
        milliseconds=round(1000 * (time.monotonic() - began)),
        is_personal=is_personal,
    )
    if (witnessed := _witness.get()) is not None:
        witnessed.append(call)


@contextmanager
def witnessed_calls() -> Iterator[list[ToolCall]]:
    """The records of tool calls that this block appends, for whoever makes calls in somebody's name."""
    calls: list[ToolCall] = []
    token = _witness.set(calls)
    try:
        yield calls
    finally:
        _witness.reset(token)
