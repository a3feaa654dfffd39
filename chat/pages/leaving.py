"""Taking along what is one's own, and going: exports and the deletion of the account, in the account area."""

from collections.abc import AsyncIterator
from functools import wraps
from typing import ParamSpec, cast
from uuid import UUID

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.db.models.fields.files import FieldFile
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from accounts.http.principal import membership_of_session
from accounts.identity.mail import deliver
from accounts.identity.provided import provided_organization, with_own_credentials
from accounts.members import LastAdmin
from accounts.models import ApiKey, Membership, Organization, User
from accounts.pages.access import MemberPage, Page, member_page, redirect_with_problem
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope
from chat.leaving import exports
from chat.leaving.erasing import request_user_erasure
from chat.leaving.former import as_former_member, former_organizations
from chat.models import Conversation, Export
from chat.pages.forms import LeavingForm
from config.concurrency.threads import in_thread
from corpora.models import Corpus, Document

PART = 1024 * 1024  # bytes
P = ParamSpec("P")


def leaver_page(view: MemberPage[P]) -> Page[P]:
    """As `member_page`, and for who belongs to no organization any more: `?organization=` says which they mean of
    several. A session that an organization's provider has opened takes along nothing from elsewhere."""
    inside = member_page(view)

    @wraps(view)
    def page(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        is_member = membership_of_session(request) is not None
        if not isinstance(request.user, User) or is_member or provided_organization(request):
            return inside(request, *args, **kwargs)
        try:
            with as_former_member(request.user, request.GET.get("organization", "")) as former:
                return view(request, former, *args, **kwargs)
        except Problem as problem:
            return redirect_with_problem(request, problem)

    return page  # type: ignore[return-value]  # wraps() names the positional parameters


def former_query(membership: Membership) -> str:
    """What the addresses of these pages end with, for who is no member any more."""
    return f"?organization={membership.organization_id}" if is_former(membership) else ""


def is_former(membership: Membership) -> bool:
    return membership._state.adding and membership.organization_id is not None


@require_GET
@leaver_page
def leaving(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Both, with what they would take or erase."""
    return leaving_page(request, membership, LeavingForm(user=membership.user))


def leaving_page(request: HttpRequest, membership: Membership, form: LeavingForm) -> HttpResponse:
    context = {
        "form": form,
        "organization": organization_of(membership),
        "others": others_of(membership),
        "holdings": holdings_of(membership.user),
        **export_of(membership),
    }
    return render(request, "chat/leaving.html", context)


def organization_of(membership: Membership) -> Organization | None:
    return membership.organization if membership.organization_id else None


def others_of(membership: Membership) -> list[Organization]:
    """Where else something is left, for who belongs to none."""
    if not is_former(membership):
        return []
    return [one for one in former_organizations(membership.user) if one.pk != membership.organization_id]


def export_of(membership: Membership) -> dict[str, object]:
    return {"export": latest_export(membership), "query": former_query(membership)}


def latest_export(membership: Membership) -> Export | None:
    return Export.objects.owned_by(membership).first()


@system_scope()
def holdings_of(user: User) -> dict[str, int]:
    """What is the user's own, in every organization."""
    return {
        "corpora": Corpus.objects.filter(owner_id=user.pk).count(),
        "documents": Document.objects.filter(corpus__owner_id=user.pk).count(),
        "conversations": Conversation.objects.filter(owner_id=user.pk).count(),
        "keys": ApiKey.objects.filter(membership__user_id=user.pk, revoked_at=None).count(),
        "organizations": user.memberships.count(),
    }


@require_POST
@leaver_page
def export_request(request: HttpRequest, membership: Membership) -> HttpResponse:
    if not membership.organization_id:
        raise Http404
    exports.request_export(membership)
    messages.success(request, _("The export is being made. You can leave this page; it will be here."))
    return redirect(reverse("leaving") + former_query(membership))


@require_GET
@leaver_page
def export_progress(request: HttpRequest, membership: Membership) -> HttpResponse:
    """The state of the latest one, for htmx."""
    return render(request, "chat/_export.html", export_of(membership))


@require_GET
@leaver_page
def export_download(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    export = get_object_or_404(exports.downloadable(membership), pk=pk)
    if not export.file.storage.exists(str(export.file.name)):
        raise Http404
    name = f"acervo-{export.created_at:%Y-%m-%d}.zip"
    response = StreamingHttpResponse(
        read_in_parts(export.file),
        content_type="application/zip",
        headers={
            "Content-Length": str(export.size),
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )
    return cast(HttpResponse, response)  # it streams, which `member_page` does not mind


async def read_in_parts(archive: FieldFile) -> AsyncIterator[bytes]:
    """A megabyte at a time and beside the event loop: Django would read all of a `FileResponse` before it sends any."""
    with await in_thread(archive.open, "rb"):
        while part := await in_thread(archive.read, PART):
            yield part


@require_POST
@leaver_page
def export_delete(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    mine = Export.objects.owned_by(membership).filter(pk=pk)
    if not exports.forget_all(mine):
        raise Http404
    messages.success(request, _("The export is deleted."))
    return redirect(reverse("leaving") + former_query(membership))


@sensitive_post_parameters()
@require_POST
@with_own_credentials
@leaver_page
def account_delete(request: HttpRequest, membership: Membership) -> HttpResponse:
    """With the password; from then on the account opens nothing any more. Guesses are counted as sign-ins are."""
    if membership.user.is_superuser or not ratelimit.consume(request, action="reauthenticate", user=membership.user):
        messages.error(request, _("The account cannot be deleted now. Wait a minute and try again."))
        return redirect(reverse("leaving") + former_query(membership))
    form = LeavingForm(request.POST, user=membership.user)
    if not form.is_valid():
        return leaving_page(request, membership, form)
    try:
        receipt = request_user_erasure(membership.user, membership.user, organization_of(membership))
    except LastAdmin as problem:
        form.add_error(None, str(problem.detail))
        return leaving_page(request, membership, form)
    logout(request)
    deliver(membership.user.email, _("Your account is deleted"), "chat/left_mail.txt", receipt=receipt)
    return render(request, "chat/left.html", {"receipt": receipt})
