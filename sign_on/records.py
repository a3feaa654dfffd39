"""TXT records, asked of the system's resolvers or of DNS_SERVERS. What they answer is anybody's text."""

from collections.abc import Sequence
from ipaddress import ip_address

import dns.exception
import dns.nameserver
import dns.resolver
from django.conf import settings

SECONDS = 5.0  # with everything that a resolver tries
MOST_RECORDS = 100
DNS_PORT = 53


class LookupFailed(Exception):
    """Nobody could say whether there is such a record."""


def txt_records(name: str) -> list[str]:
    """The texts at a name, none where there is no such name. Raises LookupFailed."""
    try:
        resolver = dns.resolver.Resolver(configure=not settings.DNS_SERVERS)
        if settings.DNS_SERVERS:
            resolver.nameservers = nameservers(settings.DNS_SERVERS)
        answer = resolver.resolve(f"{name}.", "TXT", lifetime=SECONDS, search=False, raise_on_no_answer=False)
    except dns.resolver.NXDOMAIN:
        return []
    except (dns.exception.DNSException, OSError, UnicodeError):
        raise LookupFailed from None
    texts = [b"".join(one.strings) for one in list(answer.rrset or ())[:MOST_RECORDS]]
    return [one.decode("ascii", "replace") for one in texts]


def nameservers(written: Sequence[str]) -> list[dns.nameserver.Nameserver]:
    """`9.9.9.9`, `127.0.0.1:5353`, `[::1]:53`. Raises ValueError."""
    return [_nameserver(one.strip()) for one in written]


def _nameserver(written: str) -> dns.nameserver.Nameserver:
    host, port = written, DNS_PORT
    if written.startswith("[") or written.count(":") == 1:
        host, _colon, told = written.rpartition(":")
        port = int(told)
    address = ip_address(host.strip("[]"))
    if not 0 < port < 65536:
        raise ValueError(written)
    return dns.nameserver.Do53Nameserver(str(address), port)
