"""A connection to somebody's server, at the address that was judged: no redirect, no proxy of the environment, no
cookie. What may be read of it, and for how long, is its caller's to bound."""

import asyncio
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import cache

import httptools

from webhooks.addresses import Destination


@asynccontextmanager
async def connected(destination: Destination) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """Raises what connecting raises; the caller has the time. It ends at once, whatever the other side does."""
    reader, writer = await asyncio.open_connection(
        destination.address,
        destination.port,
        ssl=_verifying() if destination.is_encrypted else None,
        server_hostname=destination.host if destination.is_encrypted else None,
    )
    try:
        yield reader, writer
    finally:
        writer.transport.abort()  # an orderly end of TLS would wait for the other side


def request_head(method: str, destination: Destination, fields: Mapping[str, str]) -> bytes:
    """Of HTTP/1.1, for one request of a connection. Fields of the caller's own replace those that all have."""
    told = {
        "Host": destination.named,
        "User-Agent": "Acervo",
        "Accept-Encoding": "identity",
        "Connection": "close",
        **fields,
    }
    lines = [f"{method} {destination.path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


@contextmanager
def failures_told(failed: Callable[[str], Exception]) -> Iterator[None]:
    """What goes wrong on the way as `failed(reason)`: timeout, certificate, unreachable, no_http or no_url."""
    try:
        yield
    except TimeoutError:
        raise failed("timeout") from None
    except ssl.SSLCertVerificationError:
        raise failed("certificate") from None
    except OSError:  # refused, reset, no route, a TLS that fails
        raise failed("unreachable") from None
    except (httptools.HttpParserError, httptools.HttpParserUpgrade):  # the second is no kind of the first
        raise failed("no_http") from None
    except ValueError:  # a name that TLS cannot ask for
        raise failed("no_url") from None


@cache
def _verifying() -> ssl.SSLContext:
    return ssl.create_default_context()
