"""Which addresses may be told or asked something: https, of the internet, unless the operator says otherwise."""

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from tools.hosts import HostRefused, is_allowed_name, pinned_address

WEB_PORTS = (80, 443)
LEAST_OTHER_PORT = 1024  # below are other protocols' services


class Outside(NamedTuple):
    """What an operator's settings allow: names, networks of our own, and whether without encryption."""

    hosts: Sequence[str]
    networks: Sequence[str]
    plain_http: bool


def told_outside() -> Outside:
    return Outside(settings.WEBHOOK_HOSTS, settings.WEBHOOK_NETWORKS, settings.WEBHOOK_PLAIN_HTTP)


class Destination(NamedTuple):
    """Where a request goes. `address` is what is connected to, `host` whom its certificate must name."""

    is_encrypted: bool
    host: str
    address: str
    port: int
    path: str

    @property
    def named(self) -> str:
        """As the Host header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.is_encrypted else 80
        return host if self.port == usual else f"{host}:{self.port}"


def destination_of(url: str, outside: Outside | None = None) -> Destination:
    """Judged, and its name looked up, at each attempt; as webhooks are, unless something else is said. Raises
    HostRefused."""
    outside = outside or told_outside()
    parts, port = _parts(url, outside)
    host = str(parts.hostname)
    address = pinned_address(host, port, outside.hosts, outside.networks)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(parts.scheme == "https", host, address, port, path)


def check_address(url: str, outside: Outside | None = None) -> None:
    """Whether it may be one at all. No name is looked up, because the answer can change; a host that is written as an
    address is judged now. Raises HostRefused."""
    outside = outside or told_outside()
    host, port = check_written_address(url, outside)
    if _is_address(host):
        pinned_address(host, port, outside.hosts, outside.networks)


def check_written_address(url: str, outside: Outside) -> tuple[str, int]:
    """Host and port of one that browsers are led to, who may be in networks that this installation is not in. Raises
    HostRefused."""
    parts, port = _parts(url, outside)
    host = str(parts.hostname)
    if not is_allowed_name(host, outside.hosts):
        raise HostRefused("not_allowed")
    return host, port


def _parts(url: str, outside: Outside) -> tuple[SplitResult, int]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise HostRefused("no_url") from None
    if not _is_written_well(url, parts):
        raise HostRefused("no_url")
    if parts.scheme == "http" and not outside.plain_http:
        raise HostRefused("not_encrypted")
    port = (443 if parts.scheme == "https" else 80) if port is None else port
    if port not in WEB_PORTS and port < LEAST_OTHER_PORT:
        raise HostRefused("port")
    return parts, port


def _is_written_well(url: str, parts: SplitResult) -> bool:
    """Printable ASCII without blanks: it becomes a line of a request. No user information, and nothing behind a `#`."""
    is_plain = url.isascii() and url.isprintable() and not set(' \\"<>^`{|}#') & set(url)
    return (
        is_plain
        and parts.scheme in ("http", "https")
        and "@" not in parts.netloc
        and _is_host(parts.hostname or "", parts.netloc)
    )


def _is_host(host: str, netloc: str) -> bool:
    """A name, or an address in its usual form: `127.1` and `0x7f000001` are addresses to some libraries."""
    if netloc.startswith("["):
        return _is_address(host) and isinstance(ip_address(host), IPv6Address) and "%" not in host
    labels = host.removesuffix(".").split(".")
    if not all(label and set(label) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_") for label in labels):
        return False
    ends_in_number = labels[-1].isdigit() or labels[-1].startswith("0x")
    return _is_address(host) if ends_in_number else len(host) <= 253


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
