"""The accounts app, and the admin site that lets an organization's admins in."""

from django.apps import AppConfig
from django.contrib.admin import autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    default = True
    name = "accounts"
    verbose_name = _("Accounts")

    def ready(self) -> None:
        from accounts import checks, matching
        from accounts.identity import consequences, provided
        from accounts.tenancy import owner
        from config.observability.checks import register_deployment_checks
        from config.observability.named_places import register_place_checks

        checks.register_account_checks()
        register_deployment_checks()
        register_place_checks()
        consequences.connect_consequences()
        provided.connect_provided_sessions()
        matching.connect_matching()
        post_migrate.connect(owner.keep_rules, sender=self)


class AcervoAdminConfig(SimpleAdminConfig):
    """The admin app with our site; discovers each app's admin module."""

    default = False
    default_site = "accounts.site.AcervoAdminSite"

    def ready(self) -> None:
        super().ready()
        autodiscover()
