"""One's own sessions: end one, or all but this."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.identity.provided import with_own_credentials
from accounts.identity.sessions import end_other_sessions, end_session
from accounts.models import Membership
from accounts.pages.access import member_page


@require_POST
@member_page
def session_end(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    sign_in = get_object_or_404(membership.user.sign_ins, pk=pk)
    if sign_in.session_key == request.session.session_key:
        logout(request)
        return redirect("account_login")
    if membership.is_signed_on:
        raise Http404  # others are not shown to it
    end_session(sign_in)
    messages.success(request, _("The session is ended."))
    return redirect("account")


@require_POST
@with_own_credentials
@member_page
def sessions_end(request: HttpRequest, membership: Membership) -> HttpResponse:
    end_other_sessions(membership.user, kept=request.session.session_key)
    messages.success(request, _("All your other sessions are ended."))
    return redirect("account")
