"""The provisioning app."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_save
from django.utils.translation import gettext_lazy as _


class ProvisioningConfig(AppConfig):
    name = "provisioning"
    verbose_name = _("Directory")

    def ready(self) -> None:
        from accounts.models import Membership

        post_save.connect(on_membership_saved, sender=Membership)


def on_membership_saved(sender: Any, instance: Any, created: bool, raw: bool = False, **_signal: Any) -> None:
    from provisioning.entries import bind_new_member

    if created and not raw:
        bind_new_member(instance)
