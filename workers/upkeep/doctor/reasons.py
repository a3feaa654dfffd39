"""Why a service of one's own cannot be used, in a sentence: what was met on the way to it, or what it said. Never its
address's password, nor a message that may quote it."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from config.faults import describe_error

PORTS = {"redis": 6379, "rediss": 6379, "amqp": 5672, "amqps": 5671, "http": 80, "https": 443}
REFUSES = "refuses the password"
# By the names of classes: the clients of Redis, of the broker and of the object store are not loaded for it.
SAID_BY_REDIS = {
    "AuthenticationError": REFUSES,
    "AuthenticationWrongNumberOfArgsError": REFUSES,
    "AccessRefused": REFUSES,  # RabbitMQ's
    "NoPermissionError": "does not let this user do what is asked",
    "BusyLoadingError": "is still loading what it keeps",
    "OutOfMemoryError": "is out of memory",
    "ReadOnlyError": "is a replica, which takes no writes",
    "MaxConnectionsError": "takes no more connections",
    "InvalidResponse": "answers otherwise than such a server does",
}
SAID_BY_STORES = {
    "InvalidAccessKeyId": "does not know the key",
    "SignatureDoesNotMatch": "refuses the secret of the key",
    "AccessDenied": "does not let the key do this",
    "403": "refuses the key, or does not let it do this",
    "404": "has no such bucket",
    "NoSuchBucket": "has no such bucket",
}


def service_fault(error: BaseException, url: str) -> str:
    """What the server at `url` said, or what kept us from it; for what nobody foresaw, type and place."""
    place = place_of_url(url)
    for one in causes(error):
        kind = type(one).__name__
        if said := SAID_BY_REDIS.get(kind):
            return f"{place} {said}"
        if code := _store_code(one):
            return f"{place} {SAID_BY_STORES.get(code, 'says ' + code)}"
        if kind == "gaierror":
            return f"{place} cannot be reached: unknown host"
        if kind.startswith("SSL"):
            return f"{place} cannot be reached by TLS: {_tls_reason(one)}"
        if kind in ("TimeoutError", "ConnectTimeoutError", "ReadTimeoutError"):
            return f"{place} cannot be reached: no answer in time"
        if isinstance(one, OSError) and one.strerror:
            return f"{place} cannot be reached: {one.strerror.lower()}"
    return describe_error(error)


def place_of_url(url: str) -> str:
    """HOST:PORT, without user and password; of a socket its path."""
    split = urlsplit(url)
    if not split.hostname:
        return split.path or "the server"
    try:
        port = split.port or PORTS.get(split.scheme)
    except ValueError:
        port = None
    return f"{split.hostname}:{port}" if port else split.hostname


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and what it came from; outermost first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _tls_reason(error: BaseException) -> str:
    return str(getattr(error, "reason", None) or "it fails").lower().replace("_", " ")


def _store_code(error: BaseException) -> str:
    response = getattr(error, "response", None)
    told = response.get("Error") if isinstance(response, dict) else None
    return str(told.get("Code", "")) if isinstance(told, dict) else ""
