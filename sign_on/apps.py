"""The app of single sign-on."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SignOnConfig(AppConfig):
    name = "sign_on"
    verbose_name = _("Organization sign-in")

    def ready(self) -> None:
        from sign_on import checks
        from sign_on.models import IdentityProvider
        from tools.sealing import SEALED_COLUMNS

        SEALED_COLUMNS.append((IdentityProvider, "sealed_secret"))
        checks.register_sign_on_checks()
