"""What a call to a Qdrant server may cost and how it may fail, over REST with kept connections.

The client is Qdrant's own; here its failures become one error, a connection that the server dropped (it restarted) is
tried once more, a write that a busy or restarting server turned away is tried again after a moment, and a server that
does not answer is left alone for a while instead of costing every question its second (RELIABILITY, faults).
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from retrieval.index.base import IndexOutdated, IndexRefused, IndexUnavailable
from retrieval.index.server.version import require_version, server_version
from retrieval.index.silence import calling_breaker, complain, opening_breaker, shown_place, unless_silent

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

T = TypeVar("T")

# A question is answered without context 1.5 s after the index went silent (RELIABILITY, faults).
READ_SECONDS = 1
WRITE_SECONDS = 30
# Between the tries of one write. Every write here may be repeated: it says what shall be, not what to add.
PAUSES = (0.2, 1.0)
LONGEST_PAUSE = 5.0  # seconds that a server may ask for; longer, and the document waits instead of its thread


def connect(url: str, api_key: str = "") -> "QdrantClient":
    """A client that opens its connections when they are needed and keeps them, loopback included."""
    import httpx
    from qdrant_client import QdrantClient

    return QdrantClient(
        url=url,
        api_key=api_key or None,
        timeout=READ_SECONDS,
        check_compatibility=False,  # it would ask at once, in a thread, and only warn
        limits=httpx.Limits(max_connections=64, max_keepalive_connections=32),
    )


class ServerCalls:
    """Every request of one index to its server. Safe to share between threads.

    The server's version is read before the first of them and again after each failure: it changes with a restart.
    """

    def __init__(self, client: "QdrantClient", collection: str) -> None:
        self._client = client
        self._collection = collection
        self._version = ""
        url = str(client.init_options.get("url"))
        self._server = f"Qdrant at {shown_place(url)}, {collection}"
        self._opening = opening_breaker(url)
        self._searching, self._writing = calling_breaker("index search"), calling_breaker("index write")

    def version(self) -> str:
        """Of the server as of now. Raises IndexOutdated and IndexUnavailable."""
        self._version = ""
        self._translated(self._require_version)
        return self._version

    def open(self, request: Callable[[], T]) -> T:
        """For what is asked in line with others before anything else."""
        return unless_silent(self._opening, self._server, lambda: self.call(request))

    def search(self, request: Callable[[], T]) -> T:
        return unless_silent(self._searching, self._server, lambda: self.call(request))

    def write(self, operation: Callable[..., Any], **arguments: Any) -> None:
        """Returns when the server has applied it, so that the next search sees it.

        A server that has just been silent twice is left alone: a worker's thread would stand there for WRITE_SECONDS.
        """

        def applied() -> None:
            require_applied(operation(self._collection, wait=True, timeout=WRITE_SECONDS, **arguments))

        unless_silent(self._writing, self._server, lambda: self._persistently(applied))

    def call(self, request: Callable[[], T]) -> T:
        """`request()`, once more if a kept connection turned out dead: every call here may be repeated."""

        def known() -> T:
            self._require_version()
            return request()

        return self._translated(known)

    def _persistently(self, request: Callable[[], T]) -> T:
        """`call`, again after each of PAUSES while the server answers that it is busy or about to be there."""
        for pause in PAUSES:
            try:
                return self.call(request)
            except IndexUnavailable as error:
                asked = seconds_until_retry(error.__cause__)
                if asked is None or asked > LONGEST_PAUSE:
                    raise
                time.sleep(max(pause, asked))
        return self.call(request)

    def _require_version(self) -> None:
        if not self._version:
            version = server_version(self._client)
            try:
                require_version(version)
            except IndexOutdated as outdated:
                complain(str(outdated))
                raise
            self._version = version

    def _translated(self, request: Callable[[], T]) -> T:
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ApiException

        try:
            try:
                return request()
            except ApiException as error:
                if not _was_dropped(error):
                    raise
                self._version = ""
                return request()
        # An AssertionError is how the client says that an answer has no result.
        except (ApiException, QdrantException, OSError, AssertionError) as error:
            fault = IndexRefused if _was_refused(error) else IndexUnavailable
            if fault is IndexUnavailable:
                self._version = ""
            raise fault(f"{self._server}: {error}") from error


def require_applied(result: Any) -> None:
    """IndexUnavailable unless the write can be searched: a server that is behind takes it and answers before it is
    applied (`wait_timeout`, `acknowledged`). It is repeated then, which changes nothing where it was applied."""
    status = getattr(result, "status", None)
    if status is not None and str(getattr(status, "value", status)) != "completed":
        raise IndexUnavailable(f"Qdrant has taken a write and not applied it yet ({status})")


def seconds_until_retry(error: BaseException | None) -> float | None:
    """How long to wait before the same write again; None where that would not help or would hold a thread."""
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return float(error.retry_after_s)
    if isinstance(error, UnexpectedResponse) and error.status_code in (429, 500, 502, 503, 504):
        return 0.0
    return None


def _was_refused(error: Exception) -> bool:
    """Whether the server answered, and not that it fails (5xx). One that is busy (429) is there, too."""
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        return error.status_code is not None and 400 <= error.status_code < 500
    return isinstance(error, QdrantException)


def _was_dropped(error: Exception) -> bool:
    """Whether the server closed the connection without an answer; not refused, not silent."""
    import httpx

    return isinstance(getattr(error, "source", None), httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError)
