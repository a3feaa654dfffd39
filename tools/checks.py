"""System checks on the settings of data sources."""

from ipaddress import ip_network
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.checks import register as register_check


def register_source_checks() -> None:
    register_check(keys_are_keys)
    register_check(networks_are_networks)
    register_check(source_hosts_are_hosts)


def keys_are_keys(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if all(map(_is_key, settings.DATA_SOURCE_KEYS)):
        return []
    made = "python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'"
    return [Error("DATA_SOURCE_KEYS has what is no key.", hint=f"Make one with: {made}", id="acervo.E016")]


def networks_are_networks(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_networks("DATA_SOURCE_NETWORKS", "acervo.E017")


def source_hosts_are_hosts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return faulty_hosts("DATA_SOURCE_HOSTS", "acervo.E018")


def faulty_networks(setting: str, check: str) -> list[CheckMessage]:
    """What `tools.hosts` could not read of a setting's networks."""
    return [
        Error(
            f"{setting} names {one!r}, which is no network.",
            hint=f"Write networks by commas: {setting}=10.0.0.0/8,fd00::/8",
            id=check,
        )
        for one in getattr(settings, setting)
        if not _is_network(one)
    ]


def faulty_hosts(setting: str, check: str) -> list[CheckMessage]:
    """The same of its names."""
    return [
        Error(
            f"{setting} names {host!r}, which is no host.",
            hint=f"Write names by commas: {setting}=one.example.org,.example.net",
            id=check,
        )
        for host in getattr(settings, setting)
        if host != "*" and (not host.strip(" .") or any(mark in host for mark in "/@?# *"))
    ]


def _is_key(text: str) -> bool:
    try:
        Fernet(text)
    except ValueError:
        return False
    return True


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True
