"""The sockets of a web process, taken before anything is started: whoever finds its port taken has done nothing."""

import socket

from django.core.management.base import CommandError

from config.env import MOST_PORT

CANNOT = "Nothing can listen at {}:{}: {}. Choose another with --host and --port, or PORT."
Sockets = list[socket.socket]
CODE = 3  # as uvicorn ends that cannot start


def taken_sockets(host: str, port: int) -> Sockets:
    """One for each address of the host, not listening yet. CommandError where one cannot be had.

    Each names its protocol: asyncio sends small pieces of a stream at once (TCP_NODELAY) only where it is named.
    """
    if not 0 <= port <= MOST_PORT:
        raise CommandError(CANNOT.format(host, port, f"ports go from 0 to {MOST_PORT}"), returncode=CODE)
    taken: Sockets = []
    try:
        found = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _name, place in dict.fromkeys(found):
            taken.append(socket.socket(family, kind, protocol))
            taken[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:  # its own addresses alone: IPv4 has a socket of its own
                taken[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            taken[-1].bind(place)
    except (OSError, UnicodeError) as error:
        for one in taken:
            one.close()
        said = getattr(error, "strerror", None) or "that is no host"
        raise CommandError(CANNOT.format(host, port, said), returncode=CODE) from error
    return taken


def port_of(sockets: Sockets) -> int:
    """That the system has chosen, where 0 was asked for."""
    return int(sockets[0].getsockname()[1])
