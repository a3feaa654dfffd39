"""The page where a password is changed."""

from typing import Any

from allauth.account.views import PasswordChangeView
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _


class OwnPasswordChange(PasswordChangeView):  # type: ignore[misc]  # allauth ships no type information
    """django-allauth's, for those who have a password; the others (an operator took it away) set one by mail."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and not request.user.has_usable_password():
            messages.error(request, _("You have no password yet. Ask for a link to set one."))
            return redirect("account_reset_password")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response
