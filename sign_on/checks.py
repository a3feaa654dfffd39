"""System checks on the settings of single sign-on."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.checks import register as register_check

from sign_on.records import nameservers
from tools.checks import faulty_hosts, faulty_networks


def register_sign_on_checks() -> None:
    register_check(sign_on_networks_are_networks)
    register_check(sign_on_hosts_are_hosts)
    register_check(dns_servers_are_addresses)
    register_check(providers_are_encrypted, deploy=True)


def sign_on_networks_are_networks(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_networks("SIGN_ON_NETWORKS", "acervo.E030")


def sign_on_hosts_are_hosts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_hosts("SIGN_ON_HOSTS", "acervo.E031")


def dns_servers_are_addresses(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    try:
        nameservers(settings.DNS_SERVERS)
    except ValueError:
        hint = "Write addresses by commas, with a port where it is not 53: DNS_SERVERS=9.9.9.9,127.0.0.1:5353"
        return [Error("DNS_SERVERS names what is no address.", hint=hint, id="acervo.E032")]
    return []


def providers_are_encrypted(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if not settings.SIGN_ON_PLAIN_HTTP:
        return []
    hint = "Take SIGN_ON_PLAIN_HTTP away: whoever is on the way could sign in as anybody."
    return [Warning("Providers of organizations may be asked in the open, without https.", hint=hint, id="acervo.W030")]
