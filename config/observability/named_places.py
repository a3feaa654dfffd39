"""System checks on what the environment names and nobody else looks at before it hurts: hosts, proxies, a file of
certificates, a collector."""

import os
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.checks import register as register_check

from config.env import env, is_http_address
from config.observability.tracing import ENDPOINTS, is_wanted

EVERYBODY = "*"
CERTIFICATE = b"-----BEGIN CERTIFICATE-----"


def register_place_checks() -> None:
    register_check(sites_are_hosts)
    register_check(proxies_are_addresses)
    register_check(certificates_can_be_read)
    register_check(the_collector_has_an_address)


def sites_are_hosts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """With an address among them every request would be refused (400), and nothing said of why."""
    hint = "Write names alone, by commas, without scheme, port or path: ALLOWED_HOSTS=acervo.example.org,127.0.0.1"
    return [
        Error(f"ALLOWED_HOSTS names {host!r}, which is no host.", hint=hint, id="acervo.E021")
        for host in settings.ALLOWED_HOSTS
        if not is_site(host)
    ]


def is_site(said: str) -> bool:
    """A name, a beginning with a dot, an address (IPv6 in brackets), or all of them."""
    bare = said[1:-1] if said.startswith("[") and said.endswith("]") else said.replace(":", "/")
    return bool(bare) and not any(mark in bare for mark in "/@?# ")


def proxies_are_addresses(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """One that is none would match nobody: all users would have the proxy's address, and share its limits."""
    hint = f"Write addresses or networks by commas: FORWARDED_ALLOW_IPS=127.0.0.1,10.0.0.0/8; {EVERYBODY} alone: all."
    said = str(env.str("FORWARDED_ALLOW_IPS", default="127.0.0.1")).split(",")
    return [
        Error(f"FORWARDED_ALLOW_IPS names {one.strip()!r}, which is no address.", hint=hint, id="acervo.E022")
        for one in said
        if not _is_proxy(one.strip()) and said != [EVERYBODY]
    ]


def _is_proxy(said: str) -> bool:
    try:
        ip_network(said) if "/" in said else ip_address(said)
    except ValueError:
        return False
    return True


def certificates_can_be_read(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Without them no server can be proved, and the first to say so would be an answer."""
    if not (path := env.str("SSL_CERT_FILE", default="")):
        return []
    hint = "Name a file of certificates (PEM) that this user may read, or unset it for those of the web."
    try:
        if CERTIFICATE in Path(path).read_bytes():
            return []
        problem = "has no certificates in it"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    return [Error(f"SSL_CERT_FILE is {path!r}, which {problem}.", hint=hint, id="acervo.E023")]


def the_collector_has_an_address(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Its value is not told: it may hold a password."""
    hint = "Write http://HOST:4318 or https://HOST, or unset it: no traces are made."
    problem = "{} is no address of a collector: no trace arrives."
    return [Warning(problem.format(name), hint=hint, id="acervo.W015") for name in _endpoints_that_are_none()]


def _endpoints_that_are_none() -> Iterator[str]:
    for name in ENDPOINTS if is_wanted() else ():
        if (said := os.environ.get(name, "").strip()) and not is_http_address(said):
            yield name
