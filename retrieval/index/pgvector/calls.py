"""What a call to PostgreSQL may cost and how it may fail, as `index/server/calls` says it for Qdrant."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from retrieval.index.base import IndexOutdated, IndexRefused, IndexUnavailable
from retrieval.index.pgvector.version import DatabaseVersions, database_versions, require_pgvector
from retrieval.index.silence import calling_breaker, complain, opening_breaker, shown_place, unless_silent

if TYPE_CHECKING:
    import psycopg

    from retrieval.index.pgvector.connections import PatientConnection

T = TypeVar("T")
Request = Callable[["PatientConnection"], T]

READ_SECONDS = 1.0  # a question is answered without context 1.5 s after the index went silent
WRITE_SECONDS = 30.0
GRAPH_SECONDS = 4 * 3600.0  # to build one
# Between the tries of one write that the server turned away: it restarts, or two writers met. Each may be repeated.
PAUSES_OF_WRITES = (0.2, 1.0)


class DatabaseCalls:
    """Every request of one index to its database. Safe to share between threads.

    pgvector's version is read before the first of them and again after each failure. A request may run twice, so it
    is one transaction or changes nothing that a second time would not.
    """

    def __init__(self, url: str, collection: str, most: int) -> None:
        from retrieval.index.pgvector.connections import ConnectionPool

        self._pool = ConnectionPool(url, most)
        self._server = f"PostgreSQL at {shown_place(url)}, {collection}"
        self._versions: DatabaseVersions | None = None
        self._opening = opening_breaker(url)
        self._searching, self._writing = calling_breaker("index search"), calling_breaker("index write")

    def versions(self) -> DatabaseVersions:
        """As of now. Raises IndexOutdated and IndexUnavailable."""
        self._versions = None
        return self._translated(self._required, READ_SECONDS)

    def open(self, request: Request[T]) -> T:
        """For what is asked in line with others before anything else; pgvector need not be there yet."""
        return unless_silent(self._opening, self._server, lambda: self._translated(request, WRITE_SECONDS))

    def search(self, request: Request[T]) -> T:
        return unless_silent(self._searching, self._server, lambda: self.call(request, READ_SECONDS))

    def write(self, request: Request[T]) -> T:
        return unless_silent(self._writing, self._server, lambda: self._persistently(request))

    def call(self, request: Request[T], seconds: float = WRITE_SECONDS) -> T:
        def known(connection: "PatientConnection") -> T:
            self._required(connection)
            return request(connection)

        return self._translated(known, seconds)

    def close(self) -> None:
        self._pool.close()

    def _persistently(self, request: Request[T]) -> T:
        for pause in PAUSES_OF_WRITES:
            try:
                return self.call(request)
            except IndexUnavailable as error:
                if not _may_pass(error.__cause__):
                    raise
                time.sleep(pause)
        return self.call(request)

    def _required(self, connection: "PatientConnection") -> DatabaseVersions:
        if self._versions is None:
            versions = database_versions(connection)
            try:
                require_pgvector(versions)
            except IndexOutdated as outdated:
                complain(str(outdated))
                raise
            self._versions = versions
        return self._versions

    def _translated(self, request: Request[T], seconds: float) -> T:
        import psycopg

        try:
            try:
                with self._pool.lent(seconds) as connection:
                    return request(connection)
            except psycopg.OperationalError as error:
                if not _was_cut(error):
                    raise
            with self._pool.lent(seconds, fresh=True) as connection:  # the kept ones were cut by the same restart
                return request(connection)
        except psycopg.Error as error:
            self._versions = None
            refused = isinstance(error, psycopg.DataError | psycopg.ProgrammingError)
            fault = IndexRefused if refused else IndexUnavailable
            raise fault(f"{self._server}: {told(error)}") from error


def told(error: "psycopg.Error") -> str:
    """What the server says of a fault, without the statement and its values."""
    said = error.diag.message_primary or (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {said[:200]}"


def _was_cut(error: "psycopg.OperationalError") -> bool:
    """Whether the connection went, as a kept one does when the server restarts; not refused, not silent."""
    from psycopg.errors import AdminShutdown

    # What the client itself notices has no SQLSTATE, only words.
    lost = ("server closed", "connection is lost", "connection is closed", "consuming input failed", "sending ")
    return isinstance(error, AdminShutdown) or (error.sqlstate is None and any(part in str(error) for part in lost))


def _may_pass(error: BaseException | None) -> bool:
    """Whether the same write may succeed after a moment: two writers met, or the server starts or stops."""
    from psycopg import errors

    passing = (
        errors.DeadlockDetected, errors.SerializationFailure, errors.UniqueViolation, errors.ForeignKeyViolation,
        errors.CannotConnectNow, errors.AdminShutdown, errors.CrashShutdown, errors.TooManyConnections,
    )  # fmt: skip
    return isinstance(error, passing)
