"""What each address of SCIM answers. Within a transaction in which nobody else changes the organization's members."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from uuid import UUID

from allauth.core.internal import ratelimit
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from pydantic import ValidationError
from scim2_models import Context, Error, Meta, Resource, SCIMException
from scim2_models.messages.response_parameters import ResponseParameters

from accounts import invitations
from accounts.members import lock_members
from accounts.models import Invitation, Membership
from accounts.problems import NotFound, Problem
from provisioning import entries, groups
from provisioning.api import groups as said_groups
from provisioning.api import schemas
from provisioning.api import users as said_users
from provisioning.api.filters import OF_GROUPS, OF_USERS, condition_of
from provisioning.api.groups import MEMBER_PARTS, MOST_MEMBERS
from provisioning.api.schemas import MODELS, MOST_LISTED
from provisioning.models import DirectoryGroup, DirectoryUser
from provisioning.problems import InvalidValue

LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
MAILS = {"directory_invitation": "5/d/key"}  # to one address, for one organization
LONGEST_CHOICE = 1_000  # of `attributes`
Answer = tuple[int, Any, dict[str, str]]
Row = DirectoryUser | DirectoryGroup
Choice = ResponseParameters[Any]
CHOICES: dict[str, type[Choice]] = {
    "Users": ResponseParameters[schemas.Resources.User],
    "Groups": ResponseParameters[schemas.Group],
}


def dispatch(request: HttpRequest, by: Membership, kind: str, pk: str, body: dict[str, Any]) -> Answer:
    """Status, what is said, and headers. Raises problems."""
    try:
        if kind in MODELS:
            return answer_one(request, by, kind, pk, body) if pk else answer_many(request, by, kind, body)
        return answer_description(request, kind, pk)
    except ValidationError as error:
        raise problem_of_library(Error.from_validation_error(error.errors()[0])) from None
    except SCIMException as error:
        raise problem_of_library(error.to_error()) from None


def problem_of_library(error: Error) -> Problem:
    """The library's refusal as one of ours: with its sentence, not with what another library told it over lines."""
    said = error.detail or ""
    problem = InvalidValue(said if said.isprintable() else None)
    problem.scim_type = error.scim_type or ""
    problem.status_code = error.status or problem.status_code
    return problem


# ── one and many ────────────────────────────────────────────────────────────────────────────────────────────────────


def scim_rows(by: Membership, kind: str) -> QuerySet[Any]:
    return entries.directory_users(by) if kind == "Users" else groups.groups_of(by)


def scim_row(by: Membership, kind: str, pk: str) -> Any:
    """Raises NotFound: for what is no id, and for another organization's, alike."""
    try:
        found = scim_rows(by, kind).filter(pk=UUID(pk)).first()
    except ValueError:
        found = None
    if found is None:
        raise NotFound
    return found


def answer_many(request: HttpRequest, by: Membership, kind: str, body: dict[str, Any]) -> Answer:
    if request.method == "GET":
        return answer_page(request, by, kind)
    choice = choice_of(request, kind)
    with transaction.atomic():
        lock_members(by)
        made: Row
        if kind == "Users":
            said = said_users.person_in(body, Context.RESOURCE_CREATION_REQUEST)
            made = entries.make_entry(by, said, partial(mail_later, request))
        else:
            wanted = said_groups.group_in(body, Context.RESOURCE_CREATION_REQUEST)
            made = groups.make_group(by, wanted.name, wanted.external_id, wanted.users)
    (told,) = told_rows(request, kind, [made], choice)
    return 201, told, {"Location": location_of(request, kind, made)}


def answer_one(request: HttpRequest, by: Membership, kind: str, pk: str, body: dict[str, Any]) -> Answer:
    row, choice = scim_row(by, kind, pk), choice_of(request, kind)
    if request.method != "GET":
        with transaction.atomic():
            lock_members(by)
            row = scim_row(by, kind, pk)
            CHANGES[kind][str(request.method)](request, by, row, body)
    if request.method == "DELETE":
        return 204, None, {}
    (told,) = told_rows(request, kind, [row], choice)
    return 200, told, {}


def answer_page(request: HttpRequest, by: Membership, kind: str) -> Answer:
    """A page may be shorter than was asked for: groups of many users come fewer at a time."""
    choice = choice_of(request, kind)
    rows = scim_rows(by, kind)
    if said := request.GET.get("filter", ""):
        rows = rows.filter(condition_of(said, MODELS[kind], OF_USERS if kind == "Users" else OF_GROUPS))
    start = max(1, count_in(request, "startIndex", 1))
    count = min(max(0, count_in(request, "count", MOST_LISTED)), MOST_LISTED)
    total = rows.count()
    page = list(rows[start - 1 : start - 1 + count])
    told = told_rows(request, kind, page, choice)
    counts = {"totalResults": total, "startIndex": start, "itemsPerPage": len(told)}
    return 200, {"schemas": [LIST], **counts, "Resources": told}, {}


def count_in(request: HttpRequest, name: str, default: int) -> int:
    said = request.GET.get(name, "")
    if not said:
        return default
    if not (said.removeprefix("-").isascii() and said.removeprefix("-").isdigit() and len(said) < 10):
        raise InvalidValue(_("%(name)s is a number.") % {"name": name})
    return int(said)


# ── what is changed ─────────────────────────────────────────────────────────────────────────────────────────────────


def answer_put_user(request: HttpRequest, by: Membership, row: DirectoryUser, body: dict[str, Any]) -> None:
    said = said_users.person_in(body, Context.RESOURCE_REPLACEMENT_REQUEST, is_active=row.opens)
    entries.change_entry(by, row, said, partial(mail_later, request))


def answer_patch_user(request: HttpRequest, by: Membership, row: DirectoryUser, body: dict[str, Any]) -> None:
    entries.change_entry(by, row, said_users.person_after(row, body), partial(mail_later, request))


def answer_delete_user(_request: HttpRequest, by: Membership, row: DirectoryUser, _body: dict[str, Any]) -> None:
    entries.delete_entry(by, row)


def answer_put_group(_request: HttpRequest, by: Membership, row: DirectoryGroup, body: dict[str, Any]) -> None:
    wanted = said_groups.group_in(body, Context.RESOURCE_REPLACEMENT_REQUEST)
    groups.change_group(by, row, wanted.name, wanted.external_id, wanted.users)


def answer_patch_group(_request: HttpRequest, by: Membership, row: DirectoryGroup, body: dict[str, Any]) -> None:
    wanted = said_groups.group_after(row, body)
    groups.change_group(by, row, wanted.name, wanted.external_id, wanted.users)


def answer_delete_group(_request: HttpRequest, by: Membership, row: DirectoryGroup, _body: dict[str, Any]) -> None:
    groups.delete_group(by, row)


CHANGES: dict[str, dict[str, Callable[..., None]]] = {
    "Users": {"PUT": answer_put_user, "PATCH": answer_patch_user, "DELETE": answer_delete_user},
    "Groups": {"PUT": answer_put_group, "PATCH": answer_patch_group, "DELETE": answer_delete_group},
}


def mail_later(request: HttpRequest, invitation: Invitation, token: str) -> None:
    """When everything is written, and never before. Nobody is shown the link: it proves the address. An address that a
    directory takes in and lets go, over and over, gets so many in a day; an admin can send one again by hand."""
    key = f"{invitation.organization_id} {invitation.email}"
    if not ratelimit.consume(request, app="acervo", action="directory_invitation", key=key, config=MAILS):
        return
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    transaction.on_commit(lambda: invitations.mail_invitation(invitation, link))


# ── what is told ────────────────────────────────────────────────────────────────────────────────────────────────────


def choice_of(request: HttpRequest, kind: str) -> Choice:
    """`attributes` and `excludedAttributes`, of which one may be sent."""
    names = ("attributes", "excludedAttributes")
    said = {name: request.GET[name] for name in names if request.GET.get(name)}
    if any(len(value) > LONGEST_CHOICE for value in said.values()):
        raise InvalidValue
    chosen: Choice = CHOICES[kind].model_validate(said, scim_policy=schemas.POLICY)
    return chosen


def told_rows(request: HttpRequest, kind: str, rows: list[Any], choice: Choice) -> list[Any]:
    if kind == "Users":
        return [told_row(request, kind, row, said_users.user_resource(row), choice) for row in rows]
    parts = member_parts(choice)
    rows, members = with_members(rows) if parts else (rows, {})
    users_at = request.build_absolute_uri(f"{reverse('scim-users')}/")
    found = []
    for row in rows:
        told = told_row(request, kind, row, said_groups.group_resource(row), choice)
        if some := members.get(row.pk):
            told["members"] = said_groups.members_told(some, users_at, parts)
        found.append(told)
    return found


def member_parts(choice: Choice) -> frozenset[str]:
    """What of members is told: nothing where that was not asked for, or was excluded."""
    wanted = _parts_in(choice.attributes) if choice.attributes else MEMBER_PARTS
    return wanted - _parts_in(choice.excluded_attributes or ())


def _parts_in(names: Iterable[Any]) -> frozenset[str]:
    said = [str(name).lower().rpartition(":")[2] for name in names]
    named = (MEMBER_PARTS if name == "members" else {name.removeprefix("members.")} for name in said)
    return MEMBER_PARTS.intersection(*[frozenset().union(*named)])


def with_members(rows: list[Any]) -> tuple[list[Any], dict[UUID, list[tuple[UUID, str]]]]:
    """As many of the groups as have MOST_MEMBERS users together, one at least, and their users."""
    through = DirectoryGroup.users.through.objects.filter(directorygroup__in=[row.pk for row in rows])
    sizes = dict(through.values_list("directorygroup").annotate(n=Count("pk")))
    kept: list[Any] = []
    room = MOST_MEMBERS
    for row in rows:
        room -= sizes.get(row.pk, 0)
        if kept and room < 0:
            break
        kept.append(row)
    found: dict[UUID, list[tuple[UUID, str]]] = {}
    shown = through.filter(directorygroup__in=[row.pk for row in kept]).order_by("pk")
    columns = ("directorygroup", "directoryuser", "directoryuser__display_name", "directoryuser__user_name")
    for group, user, name, user_name in shown.values_list(*columns):
        found.setdefault(group, []).append((user, name or user_name))
    return kept, found


def told_row(request: HttpRequest, kind: str, row: Row, resource: Resource[Any], choice: Choice) -> Any:
    meta = Meta(
        resource_type=MODELS[kind].__name__,
        created=row.created_at,
        last_modified=row.updated_at,
        location=location_of(request, kind, row),
    )
    resource.id, resource.meta = str(row.pk), meta
    return resource.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=choice)


def location_of(request: HttpRequest, kind: str, row: Row) -> str:
    return request.build_absolute_uri(reverse(f"scim-{kind.lower()[:-1]}", args=[row.pk]))


# ── what describes itself ───────────────────────────────────────────────────────────────────────────────────────────


def answer_description(request: HttpRequest, kind: str, pk: str) -> Answer:
    if request.GET.get("filter"):  # RFC 7644 §4
        problem = InvalidValue(_("What describes the service is not filtered."))
        problem.status_code = 403
        raise problem
    if kind == "ServiceProviderConfig":
        return 200, located(request, kind, schemas.service_provider_config()), {}
    described_by: dict[str, Callable[[], dict[str, Any]]] = {
        "ResourceTypes": schemas.resource_types,
        "Schemas": schemas.schemas,
    }
    every = described_by.get(kind, dict)()
    if pk:
        if pk not in every:
            raise NotFound
        return 200, located(request, f"{kind}/{pk}", every[pk]), {}
    if kind not in ("ResourceTypes", "Schemas"):
        raise NotFound
    told = [located(request, f"{kind}/{name}", one) for name, one in every.items()]
    return 200, {"schemas": [LIST], "totalResults": len(told), "startIndex": 1, "itemsPerPage": len(told),
                 "Resources": told}, {}  # fmt: skip


def located(request: HttpRequest, address: str, resource: Resource[Any]) -> Any:
    kind = type(resource).__name__
    location = request.build_absolute_uri(f"{reverse('scim-users').removesuffix('Users')}{address}")
    meta = {"resourceType": kind, "location": location}
    return {**resource.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE), "meta": meta}
