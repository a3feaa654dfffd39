"""The counters: rows that are added to in one statement, so that of any number at once each sees those before it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F, Model

from accounts.limits.declared import LIMITS, Per
from accounts.limits.rows import LimitUse, SpendingReservation
from accounts.limits.windows import start_of
from accounts.models import Membership, Organization
from config.concurrency.clock import DatabaseNow, present_in_sql, present_parameter

KEPT_SECONDS = {"minute": 3_600, "day": 62 * 86_400, "month": 800 * 86_400}
RESERVATIONS_KEPT = timedelta(days=1)  # a writer that comes back late still finds what it has to settle


class Addition(NamedTuple):
    """What is added to one counter."""

    name: str
    per: Per
    amount: int


def locking_order(additions: Iterable[Addition]) -> list[Addition]:
    """In which counters are always locked."""
    return sorted(additions, key=lambda one: (one.per is Per.ORGANIZATION, one.name))


def add_up(organization: UUID, user: UUID, additions: Iterable[Addition]) -> dict[tuple[str, Per], int]:
    """Add to the present windows; what each has then. In a transaction its rows stay locked until that ends.

    One statement with its rows always in the same order: two at once never wait for each other.
    """
    ordered = locking_order(additions)
    if not ordered:
        return {}
    of_whom = {Per.USER: _as_kept(user), Per.ORGANIZATION: _as_kept(organization)}
    values = [
        value
        for one in ordered
        for value in (
            of_whom[Per.ORGANIZATION], of_whom[one.per], one.name, start_of(LIMITS[one.name].window), one.amount,
        )
    ]  # fmt: skip
    table, places = _table(LimitUse), ", ".join(["(%s, %s, %s, %s, %s)"] * len(ordered))
    found = _rows(
        f"INSERT INTO {table} (organization_id, subject, name, starts, used) VALUES {places} "  # noqa: S608 - our names
        "ON CONFLICT (organization_id, subject, name, starts) "
        f"DO UPDATE SET used = {table}.used + excluded.used RETURNING subject, name, used",
        values,
    )
    return {
        (name, Per.USER if subject == of_whom[Per.USER] else Per.ORGANIZATION): used for subject, name, used in found
    }


def take_off(organization: UUID, user: UUID, additions: Iterable[Addition], starts: Mapping[str, int]) -> None:
    """Take off again what was added to the windows that began then; of one that is over it is of no use to anybody."""
    for one in locking_order(additions):
        subject = user if one.per is Per.USER else organization
        counter = LimitUse.objects.filter(organization_id=organization, subject=subject, name=one.name)
        counter.filter(starts=starts[one.name]).update(used=F("used") - one.amount)


def present_uses(by: Membership, names: Sequence[str]) -> dict[tuple[str, Per], int]:
    """What was used in the present windows of these limits; 0 is not there."""
    starts = {name: start_of(LIMITS[name].window) for name in names}
    own, whole = _as_kept(by.user_id), _as_kept(by.organization_id)
    moments = sorted(set(starts.values()))
    found = _rows(
        f"SELECT subject, name, starts, used FROM {_table(LimitUse)} "  # noqa: S608 - our own names
        f"WHERE organization_id = %s AND subject IN (%s, %s) AND starts IN ({_places(moments)})",
        [whole, own, whole, *moments],
    )
    return {
        (name, Per.USER if subject == own else Per.ORGANIZATION): used
        for subject, name, start, used in found
        if starts.get(name) == start
    }


def lock_organization(organization: UUID) -> None:
    """Until the transaction ends, others that count in this organization wait, so that each sees those before it.

    SQLite needs none: a transaction is alone from its beginning.
    """
    if connection.features.has_select_for_update:
        Organization.objects.select_for_update(no_key=True).filter(pk=organization).values_list("pk").first()


class Reserved(NamedTuple):
    """Sums over what is under way."""

    tokens: int
    microdollars: int


def present_reservations(by: Membership) -> dict[Per, Reserved]:
    """The member's own, and all of the organization's."""
    name = connection.ops.quote_name
    own = _as_kept(by.user_id)
    (found,) = _rows(
        "SELECT coalesce(sum(tokens), 0), coalesce(sum(microdollars), 0), "  # noqa: S608 - our own names
        f"coalesce(sum(CASE WHEN {name('user')} = %s THEN tokens END), 0), "
        f"coalesce(sum(CASE WHEN {name('user')} = %s THEN microdollars END), 0) "
        f"FROM {_table(SpendingReservation)} WHERE organization_id = %s AND "
        f"expires_at > {present_in_sql(connection.vendor)}",
        [own, own, _as_kept(by.organization_id), present_parameter(connection)],
    )
    every = [int(one) for one in found]  # PostgreSQL's sums of big integers are decimals
    return {Per.ORGANIZATION: Reserved(every[0], every[1]), Per.USER: Reserved(every[2], every[3])}


def take_back(reservation: UUID) -> tuple[UUID, UUID] | None:
    """Remove a reservation: whose organization's and whose user's it was. None for all but the first who asks."""
    user = connection.ops.quote_name("user")
    found = _rows(
        f"DELETE FROM {_table(SpendingReservation)} WHERE id = %s RETURNING organization_id, {user}",  # noqa: S608
        [_as_kept(reservation)],
    )
    return (UUID(str(found[0][0])), UUID(str(found[0][1]))) if found else None


def _rows(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """By SQL of our own: a question waits for it, and building a query set costs more than asking."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _table(model: type[Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _places(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values))


def _as_kept(id: UUID) -> Any:
    """As the database keeps it: SQLite has no type for it."""
    return id if connection.features.has_native_uuid_field else id.hex


def forget_past_uses() -> None:
    """For the workers' upkeep: windows that are long over, and reservations that nobody settled."""
    now = int(time.time())
    for name, limit in LIMITS.items():
        if kept := KEPT_SECONDS.get(limit.window):
            LimitUse.objects.filter(name=name, starts__lt=now - kept).delete()
    LimitUse.objects.exclude(name__in=LIMITS).delete()
    SpendingReservation.objects.filter(expires_at__lt=DatabaseNow(-RESERVATIONS_KEPT)).delete()
