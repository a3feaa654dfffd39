"""System checks on the settings of external tool servers."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.core.checks import register as register_check

from tools.checks import faulty_hosts, faulty_networks


def register_server_checks() -> None:
    register_check(server_networks_are_networks)
    register_check(server_hosts_are_hosts)
    register_check(servers_are_encrypted, deploy=True)


def server_networks_are_networks(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_networks("TOOL_SERVER_NETWORKS", "acervo.E033")


def server_hosts_are_hosts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_hosts("TOOL_SERVER_HOSTS", "acervo.E034")


def servers_are_encrypted(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if not settings.TOOL_SERVER_PLAIN_HTTP:
        return []
    hint = "Take TOOL_SERVER_PLAIN_HTTP away, unless these servers are inside of your own network."
    return [Warning("External tools may be called in the open, without https.", hint=hint, id="acervo.W031")]
