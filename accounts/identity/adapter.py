"""How django-allauth behaves here: no open sign-up, limits that lock nobody out for good, secrets that are sealed."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.identity.places import ip_of
from accounts.identity.sealing import seal, unseal
from accounts.models import SignIn, User

logger = logging.getLogger(__name__)

ANYWHERE = "login_failed_anywhere"  # a limit of its own beside allauth's, in ACCOUNT_RATE_LIMITS


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no type information
    """Failed sign-ins are counted for an address *from one place*: who guesses from elsewhere does not lock its owner
    out. A wide limit for the address from everywhere stays, against guessing from many places."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        messages.error(request, _("This account is switched off. Ask an admin of your organization."))
        return redirect("account_login")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """A mail server that fails must not undo what the mail tells of, nor answer otherwise for a known address."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:  # smtplib's errors and refused connections
            logger.warning("A mail of accounts was not sent: %s", template_prefix)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        super().pre_authenticate(request, **credentials)
        self._everywhere = ratelimit.consume(
            request, app="allauth.account", action=ANYWHERE, key=str(credentials.get("email", "")).lower()
        )
        if not self._everywhere and not self.is_known_place(request, **credentials):
            self._rollback_login_failed_rl_usage()
            raise self.validation_error("too_many_login_attempts")

    def is_known_place(self, request: HttpRequest, **credentials: Any) -> bool:
        """Whether somebody is signed in to this very account from there: guessers elsewhere do not keep them out."""
        address = str(credentials.get("email", "")).lower()
        return SignIn.objects.filter(user__email=address, seen_from=ip_of(request)).exists()

    def _rollback_login_failed_rl_usage(self) -> None:
        """What a right password has used up is given back."""
        super()._rollback_login_failed_rl_usage()
        if everywhere := getattr(self, "_everywhere", None):
            everywhere.rollback()

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{self.get_client_ip(request)}"

    def forget_failed_sign_ins(self, request: HttpRequest, user: User) -> None:
        """After a reset, the person at the mailbox signs in at once."""
        self._delete_login_attempts_cached_email(request, email=user.email)
        ratelimit.clear(request, app="allauth.account", action=ANYWHERE, key=user.email)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth ships no type information
    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": "Acervo"}

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """What the form for a new passkey begins with."""
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return _("Passkey %(number)d") % {"number": count + 1}
