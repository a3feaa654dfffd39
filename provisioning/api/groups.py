"""Groups as SCIM says them. A group may have thousands of users, and directories name them one by one: operations are
read here and done to sets, where the library would make an object of each and copy them all."""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from scim2_models import Context, Path
from scim2_models.path import AttrPath, Comparison, ValuePath

from provisioning.api.schemas import POLICY, Group
from provisioning.api.users import LONGEST_PATH, by_small_name, check_parts, exact_text
from provisioning.groups import user_ids
from provisioning.models import LONGEST_ID, DirectoryGroup
from provisioning.problems import InvalidValue, TooMany

MOST_MEMBERS = 20_000  # of a group, and of one answer
MOST_GROUP_OPERATIONS = 200
MEMBER_PARTS = frozenset(("value", "$ref", "type", "display"))
KEPT = ("displayname", "externalid", "members")
NO_TARGET = "noTarget"


@dataclass(slots=True)
class WantedGroup:
    """A group as it is to be."""

    name: str = ""
    external_id: str = ""
    users: set[UUID] = field(default_factory=set)


def group_resource(group: DirectoryGroup) -> Group:
    """Without its members, of which there may be thousands (`members_told`)."""
    return Group(display_name=group.display_name, external_id=group.external_id or None)


def members_told(members: Iterable[tuple[UUID, str]], users_at: str, parts: Set[str]) -> list[dict[str, str]]:
    """Those of their parts that were asked for; `users_at` is the address that users' ids follow."""
    every = ({"value": str(pk), "$ref": f"{users_at}{pk}", "type": "User", "display": name} for pk, name in members)
    return [{name: said for name, said in one.items() if name in parts} for one in every]


def group_in(body: dict[str, Any], context: Context) -> WantedGroup:
    """Of a new group, or in the place of one."""
    listed = by_small_name(body).get("members")
    users = set() if listed is None else ids_of(listed)
    rest = {name: value for name, value in body.items() if name.lower() != "members"}
    check_parts(rest)
    group = Group.model_validate(rest, scim_ctx=context, scim_policy=POLICY)
    return WantedGroup(_name(group.display_name), _external(group.external_id), users)


def group_after(group: DirectoryGroup, body: dict[str, Any]) -> WantedGroup:
    """What the group is when the operations of the body are done (RFC 7644 §3.5.2)."""
    operations = by_small_name(body).get("operations")
    if not isinstance(operations, list) or not operations:
        raise InvalidValue(_("A PATCH has operations."))
    if len(operations) > MOST_GROUP_OPERATIONS:
        raise TooMany
    steps = [step for one in operations for step in _steps(one)]
    if len(steps) > MOST_GROUP_OPERATIONS:
        raise TooMany
    wanted = WantedGroup(group.display_name, group.external_id, user_ids(group))
    for verb, path, value in steps:
        _do(wanted, verb, path, value)
    if len(wanted.users) > MOST_MEMBERS:
        raise TooMany
    return wanted


def _steps(operation: Any) -> list[tuple[str, str, Any]]:
    """One without a path is one for each name of its value."""
    found = by_small_name(operation)
    verb, path, value = str(found.get("op", "")).lower(), found.get("path") or "", found.get("value")
    if verb not in ("add", "replace", "remove") or not isinstance(path, str):
        raise InvalidValue(_("An operation is add, replace or remove, and its path a text."))
    if verb != "remove" and "value" not in found:
        raise InvalidValue(_("What is added or replaced has a value."))
    if path:
        steps = [(verb, path, value)]
    elif isinstance(value, dict) and verb != "remove":
        steps = [(verb, name, inner) for name, inner in value.items()]
    else:
        raise _no_target()
    if any(len(name) > LONGEST_PATH for _verb, name, _value in steps):
        raise TooMany
    return steps


def _do(wanted: WantedGroup, verb: str, path: str, value: Any) -> None:
    node = Path(path).ast
    name = node.attr.lower() if isinstance(node, AttrPath) else ""
    if name in KEPT and isinstance(node, AttrPath) and node.sub_attr:
        raise _no_target()
    if name == "displayname" and verb != "remove":
        wanted.name = _name(value)
    elif name == "externalid":
        wanted.external_id = "" if verb == "remove" else _external(value)
    elif name == "members":
        _do_to_users(wanted, verb, value)
    elif isinstance(node, ValuePath) and verb == "remove":
        wanted.users -= _selected(node)
    elif name == "displayname" or not name:
        raise _no_target()


def _do_to_users(wanted: WantedGroup, verb: str, value: Any) -> None:
    """None is all of them to `remove`, as in the RFC, which has no value there, and nobody else."""
    if verb == "remove":
        wanted.users = set() if value is None else wanted.users - ids_of(value)
        return
    users = set() if value is None else ids_of(value)
    wanted.users = users | (wanted.users if verb == "add" else set())


def _selected(node: ValuePath) -> set[UUID]:
    """`members[value eq "…"]`."""
    inner = node.val_filter
    if node.attr_path.attr.lower() != "members" or node.sub_attr or not isinstance(inner, Comparison):
        raise _no_target()
    if inner.attr_path.attr.lower() != "value" or inner.op != "eq":
        raise _no_target()
    return ids_of({"value": inner.value}, strict=False)


def _no_target() -> InvalidValue:
    problem = InvalidValue(_("Operations change displayName, externalId and members."))
    problem.scim_type = NO_TARGET
    return problem


def ids_of(members: Any, *, strict: bool = True) -> set[UUID]:
    """Of one member, or of a list. Raises InvalidValue for what is no id, unless nothing is to be found by it."""
    listed = members if isinstance(members, list) else [members]
    if len(listed) > MOST_MEMBERS:
        raise TooMany
    found = set()
    for one in listed:
        try:
            found.add(UUID(one["value"] if "value" in one else by_small_name(one)["value"]))
        except (TypeError, KeyError, ValueError, AttributeError):
            if strict:
                raise InvalidValue(_("Each member has the id of a user as its value.")) from None
    return found


def _name(said: Any) -> str:
    return exact_text("displayName", said if isinstance(said, str) else "", LONGEST_ID)


def _external(said: Any) -> str:
    return exact_text("externalId", said if isinstance(said, str) else "", LONGEST_ID, needed=False)
