"""What an admin who keeps webhooks is refused with (docs/errors.md)."""

from django.utils.translation import gettext_lazy as _

from accounts.problems import Problem


class WebhooksFull(Problem):
    status_code = 409
    code = "webhooks_full"
    default_detail = _("There is no room for another webhook. Delete one first.")


class WebhookInactive(Problem):
    status_code = 409
    code = "webhook_inactive"
    default_detail = _("This webhook is switched off. Switch it on first.")
