"""The webhooks app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WebhooksConfig(AppConfig):
    name = "webhooks"
    verbose_name = _("Webhooks")

    def ready(self) -> None:
        from tools.sealing import SEALED_COLUMNS
        from webhooks import checks
        from webhooks.models import Webhook

        SEALED_COLUMNS.extend(((Webhook, "sealed_secret"), (Webhook, "sealed_former_secret")))
        checks.register_webhook_checks()
