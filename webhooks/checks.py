"""System checks on the settings of webhooks."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.core.checks import register as register_check

from tools.checks import faulty_hosts, faulty_networks


def register_webhook_checks() -> None:
    register_check(webhook_networks_are_networks)
    register_check(webhook_hosts_are_hosts)
    register_check(webhooks_are_encrypted, deploy=True)


def webhook_networks_are_networks(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_networks("WEBHOOK_NETWORKS", "acervo.E019")


def webhook_hosts_are_hosts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_hosts("WEBHOOK_HOSTS", "acervo.E020")


def webhooks_are_encrypted(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if not settings.WEBHOOK_PLAIN_HTTP:
        return []
    hint = "Take WEBHOOK_PLAIN_HTTP away, unless whoever is told is inside of your own network."
    return [Warning("Webhooks may be told in the open, without https.", hint=hint, id="acervo.W013")]
