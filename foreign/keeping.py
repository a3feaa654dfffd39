"""Tool servers are kept by admins: added, changed, read, their tools chosen, deleted. Each act is audited."""

from collections.abc import Collection
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts import audit
from accounts.limits.uses import lock_organization
from accounts.models import Membership
from accounts.problems import NotFound, Problem
from foreign.conversing import ListedTools, RpcRefused, Session, use_server
from foreign.definitions import read_tools_told
from foreign.models import ForeignTool, ToolServer
from foreign.problems import ServerNameTaken, ServersFull, ServerUnavailable

MOST_SERVERS = 20  # of an organization


class ReadServer(NamedTuple):
    """How many tools there are, and whether the server has more than are looked at, or some that have no name."""

    tools: int
    is_cut: bool


def save_server(by: Membership, server: ToolServer, **fields: Any) -> ToolServer:
    """Make it, or change these fields of it; `credential` is sealed, and only that it changed is told. Raises
    ServerNameTaken and ServersFull."""
    is_new = server._state.adding
    if "credential" in fields:
        server.keep_credential(fields["credential"])
    for name, value in fields.items():
        if name != "credential":
            setattr(server, name, value)
    try:
        with transaction.atomic():
            if is_new:
                lock_organization(by.organization_id)
                if ToolServer.objects.in_organization_of(by).count() >= MOST_SERVERS:
                    raise ServersFull
            server.save()
            if "url" in fields:  # what was chosen was of another server
                server.tools.update(reviewed_digest="")
            audit.record(by, "created" if is_new else "changed", server, fields=sorted(fields))
    except IntegrityError:
        raise ServerNameTaken from None
    return server


def delete_server(by: Membership, server: ToolServer) -> None:
    with transaction.atomic():
        audit.record(by, "deleted", server)
        server.delete()


def read_tools(by: Membership, server: ToolServer) -> ReadServer:
    """Ask the server for its tools, keep what it says of them, and note how that went. What an admin had chosen and is
    told otherwise now is offered to nobody. Raises NotFound, and what `use_server` raises but RpcRefused."""
    try:
        listed = use_server(server, Session.list_tools, rests_after_failures=False)
    except RpcRefused:
        _note_reading(by, server, "refused")
        raise ServerUnavailable(reason="refused") from None
    except Problem as problem:
        _note_reading(by, server, str(problem.extra.get("reason") or problem.code)[:40])
        raise
    kept = _keep_tools(by, server, listed)
    _note_reading(by, server, "ok", listed.protocol_version)
    return ReadServer(kept, listed.is_cut or kept < len(listed.tools))


def _note_reading(by: Membership, server: ToolServer, outcome: str, protocol_version: str = "") -> None:
    noted = {"checked_at": timezone.now(), "check_outcome": outcome}
    if protocol_version:
        noted["protocol_version"] = protocol_version
    ToolServer.objects.in_organization_of(by).filter(pk=server.pk).update(**noted)
    audit.record(by, "checked", server, outcome=outcome)


def _keep_tools(by: Membership, server: ToolServer, listed: ListedTools) -> int:
    """A tool that is gone stays, for its agents, until it comes again or its server is deleted."""
    told = read_tools_told(listed.tools)
    with transaction.atomic():
        if not ToolServer.objects.in_organization_of(by).select_for_update().filter(pk=server.pk):
            raise NotFound  # deleted while it was asked
        known = {one.name: one for one in server.tools.all()}
        for name, said in told.items():
            tool = known.pop(name, None) or ForeignTool(server=server, name=name)
            for column, value in said._asdict().items():
                setattr(tool, column, value)
            tool.is_there = True
            tool.save()
        never_chosen = [one.pk for one in known.values() if not one.reviewed_digest]
        server.tools.filter(pk__in=never_chosen).delete()
        server.tools.filter(pk__in=[one.pk for one in known.values()]).update(is_there=False)
    return len(told)


def choose_tools(by: Membership, server: ToolServer, chosen: Collection[tuple[str, str]]) -> int:
    """These tools may be given to agents, and no others of the server: pairs of id and of the digest that the admin has
    seen. One that says something else meanwhile is not chosen, nor one that may change something. How many are."""
    with transaction.atomic():
        ToolServer.objects.in_organization_of(by).select_for_update().get(pk=server.pk)
        count = 0
        for tool in server.tools.all():
            is_chosen = tool.may_be_chosen and (str(tool.pk), tool.digest) in chosen
            reviewed = tool.digest if is_chosen else ""
            count += is_chosen
            if reviewed != tool.reviewed_digest:
                tool.reviewed_digest = reviewed
                tool.save(update_fields=["reviewed_digest"])
        audit.record(by, "changed", server, fields=["tools"])
    return count
