"""What every server-rendered page shares: who may see it, and how its lists are cut into pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.http.principal import membership_of_session
from accounts.identity.provided import closed_organizations
from accounts.identity.second_factor import lacks_second_factor
from accounts.models import Membership, User
from accounts.problems import Problem

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
Page = Callable[Concatenate[HttpRequest, P], HttpResponse]
MemberPage = Callable[Concatenate[HttpRequest, Membership, P], HttpResponse]

PAGE_SIZE = 50


def member_page(view: MemberPage[P]) -> Page[P]:
    """As `own_page`, once the caller has the second factor that the organization may ask for."""

    @wraps(view)
    def page(request: HttpRequest, membership: Membership, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if lacks_second_factor(membership):
            return elsewhere_first(request, redirect("mfa_index"))
        return view(request, membership, *args, **kwargs)

    return own_page(page)  # type: ignore[arg-type]  # wraps() names the two positional parameters


def own_page(view: MemberPage[P]) -> Page[P]:
    """Call the view with the membership that asks. Anonymous: sign in first; without a membership: a page that
    says so, and for an operator, who needs none, the operators' pages. A problem raised by a service is shown to the
    user; "not found" stays a 404."""

    @wraps(view)
    def page(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return elsewhere_first(request, redirect_to_login(page_asked_from(request)))
        membership = membership_of_session(request)
        if membership is None:
            if needs_no_organization(request.user):
                return elsewhere_first(request, redirect("admin:index"))
            closed = closed_organizations(request)
            return render(request, "accounts/no_organization.html", {"closed": closed}, status=403)
        try:
            return view(request, membership, *args, **kwargs)
        except Problem as problem:
            return redirect_with_problem(request, problem)

    return page  # type: ignore[return-value]  # wraps() names the positional parameters


def needs_no_organization(user: AbstractBaseUser | AnonymousUser) -> bool:
    return isinstance(user, User) and user.is_active and user.is_superuser


def elsewhere_first(request: HttpRequest, there: HttpResponse) -> HttpResponse:
    """To sign in, or to set up a second factor. A fragment makes htmx reload the whole page, which then leads there."""
    if "HX-Request" in request.headers:
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return there


def admin_page(view: MemberPage[P]) -> Page[P]:
    """As `member_page`; for everybody but the organization's admins the page does not exist."""

    @wraps(view)
    def page(request: HttpRequest, membership: Membership, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not membership.is_admin:
            raise Http404
        return view(request, membership, *args, **kwargs)

    return member_page(page)  # type: ignore[arg-type]  # wraps() names the two positional parameters


def redirect_with_problem(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Say on the page that the user came from why nothing was done."""
    if problem.status_code == 404:
        raise Http404
    messages.error(request, str(problem.detail))
    return redirect(came_from(request))


def page_asked_from(request: HttpRequest) -> str:
    """Where to go on after signing in: what a form sent is lost, and its address may be no page."""
    return request.get_full_path() if request.method in ("GET", "HEAD") else came_from(request)


def came_from(request: HttpRequest) -> str:
    """The page of ours that has the link or form, or the front page."""
    named = request.headers.get("Referer", "")
    known = url_has_allowed_host_and_scheme(named, {request.get_host()}, require_https=request.is_secure())
    return named if known else reverse("dashboard")


@dataclass(frozen=True, slots=True)
class Slice(Generic[M]):
    """One page of a list. `next_page` is the number of the following page, None at the end."""

    items: Sequence[M]
    number: int
    next_page: int | None

    @property
    def previous_page(self) -> int:
        return self.number - 1

    def __iter__(self) -> Any:
        return iter(self.items)

    def __bool__(self) -> bool:
        return bool(self.items)


def slice_of(rows: QuerySet[M] | Sequence[M], request: HttpRequest, size: int = PAGE_SIZE) -> Slice[M]:
    """The page that `?page=` asks for, without counting the rest."""
    asked = request.GET.get("page", "")
    number = max(int(asked), 1) if asked.isdecimal() and len(asked) < 7 else 1
    first = (number - 1) * size
    items = list(rows[first : first + size + 1])
    return Slice(items[:size], number, number + 1 if len(items) > size else None)
