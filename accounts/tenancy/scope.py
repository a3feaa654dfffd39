"""In whose name statements run: a member, a person without an organization, the system, or nobody, who sees nothing.

A request begins as nobody's and becomes somebody's when who asks is known. That is noted in one place that every copy
of the request's context shares, so it holds in all threads and tasks that work for the request, whichever found out.
What is opened by `system_scope` and its like is in force inside the block alone. SQLite has no use for any of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Party:
    """Who a statement runs for. Ids alone: policies compare them, and the database looks nobody up."""

    organization: UUID | None = None
    user: UUID | None = None
    role: str = ""  # "admin", "member" or, of what belongs to no tenant, "system"

    def __str__(self) -> str:
        """As the policies' functions read it (`accounts.tenancy.policies`)."""
        return f"{self.organization or ''}/{self.user or ''}/{self.role}"


NOBODY = Party()
SYSTEM = Party(role="system")


class _Request:
    """Whose request it is, shared by all copies of its context."""

    __slots__ = ("party",)

    def __init__(self) -> None:
        self.party = NOBODY


_request: ContextVar[_Request | None] = ContextVar("request", default=None)
_opened: ContextVar[Party | None] = ContextVar("opened", default=None)


def current_party() -> Party:
    """In whose name a statement runs that is sent now."""
    if (opened := _opened.get()) is not None:
        return opened
    request = _request.get()
    return request.party if request else NOBODY


@contextmanager
def request_scope() -> Iterator[None]:
    """Around a request: it is nobody's until who asks is known, whatever was open where it came in."""
    request, opened = _request.set(_Request()), _opened.set(None)
    try:
        yield
    finally:
        _opened.reset(opened)
        _request.reset(request)


def become_member(organization: UUID, user: UUID, *, is_admin: bool) -> None:
    """From here on the request is this member's. Without a request, as in a command, nothing changes."""
    _become(Party(organization, user, "admin" if is_admin else "member"))


def become_directory(organization: UUID) -> None:
    """From here on the request is that of an organization's directory, which keeps its members as an admin does."""
    _become(Party(organization, role="admin"))


def become_person(user: UUID) -> None:
    """From here on the request is that of a person who has signed in and belongs to no organization."""
    _become(Party(user=user, role="member"))


def become_system() -> None:
    """From here on the request sees every row: a platform operator's in the admin, or one of the sign-in's pages."""
    _become(SYSTEM)


def _become(party: Party) -> None:
    """An operator who is also somebody's member stays an operator until the request ends."""
    request = _request.get()
    if request and request.party != SYSTEM:
        request.party = party


@contextmanager
def system_scope() -> Iterator[None]:
    """Every row, inside the block or, as a decorator, the function: before it is known who asks, and for work that is
    nobody's. Each place that opens it is listed with its reason (tests/test_guard_tenancy.py)."""
    with _open(SYSTEM):
        yield


@contextmanager
def tenant_scope(organization: UUID, owner: UUID | None = None) -> Iterator[None]:
    """For workers: an organization's global rows, and those of one owner. Without an owner as one of its admins, who
    keep what is global."""
    with _open(Party(organization, owner, "member" if owner else "admin")):
        yield


@contextmanager
def _open(party: Party) -> Iterator[None]:
    token = _opened.set(party)
    try:
        yield
    finally:
        _opened.reset(token)
