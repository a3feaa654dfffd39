"""The pages of django-allauth that the product uses, one by one: what is not named here is not served.

The sign-in itself is `sign_on.pages`': it knows whose provider an address leads to."""

from collections.abc import Callable
from typing import Any

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, re_path, reverse_lazy
from django.views.decorators.http import require_http_methods

from accounts.identity.provided import with_own_credentials
from accounts.pages.sign_in.password import OwnPasswordChange

View = Callable[..., HttpResponseBase]
TWO_FACTOR = reverse_lazy("mfa_index")

in_a_form: Callable[[View], Any] = require_http_methods(["GET", "HEAD", "POST"])  # their views also take PUT


def form(route: str, view: View, name: str) -> URLPattern:
    served: URLPattern = path(route, in_a_form(view), name=name)
    return served


def own(route: str, view: View, name: str) -> URLPattern:
    """What the account itself is opened with."""
    return form(route, with_own_credentials(view), name)


urlpatterns = [
    form("logout/", account.logout, "account_logout"),
    own("reauthenticate/", account.reauthenticate, "account_reauthenticate"),
    own("password/change/", OwnPasswordChange.as_view(), "account_change_password"),
    form("password/reset/", account.password_reset, "account_reset_password"),
    form("password/reset/done/", account.password_reset_done, "account_reset_password_done"),
    form("password/reset/key/done/", account.password_reset_from_key_done, "account_reset_password_from_key_done"),
    re_path(  # Django matches what ends in $ as a whole
        r"password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        in_a_form(account.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    own("2fa/", mfa.index, "mfa_index"),
    form("2fa/authenticate/", mfa.authenticate, "mfa_authenticate"),
    own("2fa/reauthenticate/", mfa.reauthenticate, "mfa_reauthenticate"),
    own("2fa/totp/activate/", totp.activate_totp, "mfa_activate_totp"),
    own("2fa/totp/deactivate/", totp.deactivate_totp, "mfa_deactivate_totp"),
    own("2fa/recovery-codes/", recovery_codes.view_recovery_codes, "mfa_view_recovery_codes"),
    own("2fa/recovery-codes/generate/", recovery_codes.generate_recovery_codes, "mfa_generate_recovery_codes"),
    own("2fa/webauthn/add/", webauthn.add_webauthn, "mfa_add_webauthn"),
    form("2fa/webauthn/login/", webauthn.login_webauthn, "mfa_login_webauthn"),
    own("2fa/webauthn/reauthenticate/", webauthn.reauthenticate_webauthn, "mfa_reauthenticate_webauthn"),
    own(
        "2fa/webauthn/keys/<int:pk>/remove/",
        webauthn.RemoveWebAuthnView.as_view(success_url=TWO_FACTOR),
        "mfa_remove_webauthn",
    ),
]
