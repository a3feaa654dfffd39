"""Which servers may be asked or told something for an organization: those that whoever runs the installation allows,
and nothing of its own network.

A name is looked up once; who connects does so to the address that was looked at. One of a name's addresses that may not
be reached refuses the name: whoever answers for it could give the other one the next time.
"""

import socket
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address
TRANSLATED = ip_network("64:ff9b::/96")  # an IPv4 address for those who have IPv6 alone (RFC 6052)


class HostRefused(Exception):
    """`reason`: not_allowed (the name), private (its address), unknown (it has none)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def is_allowed_name(host: str, hosts: Iterable[str]) -> bool:
    """By a setting's list: `db.example.org`, `.example.org` for whatever ends so, `*` for every name."""
    name = host.lower().rstrip(".")
    return any(
        allowed == "*" or name == allowed or (allowed.startswith(".") and name.endswith(allowed))
        for allowed in (one.lower().strip() for one in hosts)
    )


def pinned_address(host: str, port: int, hosts: Iterable[str], networks: Sequence[str]) -> str:
    """The address to connect to: of a name of `hosts`, on the internet or in `networks`. Raises HostRefused."""
    if not is_allowed_name(host, hosts):
        raise HostRefused("not_allowed")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise HostRefused("unknown") from None
    addresses = [ip_address(str(one[4][0]).partition("%")[0]) for one in found]
    if not addresses:
        raise HostRefused("unknown")
    if not all(_may_be_reached(one, networks) for one in addresses):
        raise HostRefused("private")
    return str(addresses[0])


def _may_be_reached(address: Address, networks: Sequence[str]) -> bool:
    """One of the internet, or of `networks`; an IPv4 address in an IPv6 one counts as what it is."""
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    if address in TRANSLATED:
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    if inner and not _may_be_reached(inner, networks):
        return False
    is_site_local = getattr(address, "is_site_local", False)  # fec0::/10, which Python holds to be global
    is_public = address.is_global and not (address.is_multicast or address.is_reserved or is_site_local)
    return is_public or _is_within(address, networks)


def _is_within(address: Address, networks: Iterable[str]) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    return any((mapped or address) in ip_network(one, strict=False) for one in networks)
