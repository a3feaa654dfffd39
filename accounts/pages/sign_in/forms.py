"""The forms of sign-in that are not as django-allauth has them."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import ChangePasswordForm, ResetPasswordForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import keys
from accounts.models import User


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]  # allauth ships no type information
    revoke_keys = forms.BooleanField(
        label=_("Also revoke my API keys"),
        required=False,
        help_text=_(
            "A key needs no password: it goes on working unless it is revoked. Other sessions end in any case."
        ),
    )

    def save(self) -> None:
        super().save()
        if self.cleaned_data["revoke_keys"]:
            keys.revoke_all(self.user)


class ResetForm(ResetPasswordForm):  # type: ignore[misc]  # allauth ships no type information
    """A link goes to `User.email` alone. An unknown address gets a mail, too, and the page says the same of both."""

    def clean_email(self) -> str:
        address = str(self.cleaned_data["email"]).lower()
        self.users = list(User.objects.filter(email=address, is_active=True))
        return address

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        address = str(self.cleaned_data["email"])
        if self.users:
            super().save(request, **kwargs)
        else:
            get_adapter(request).send_mail("account/email/unknown_account", address, {})
        return address
