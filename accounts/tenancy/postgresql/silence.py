"""A server that takes connections and says nothing: frozen, or behind a wire that swallows what is sent.

No limit of the server's own ends that (`statement_timeout`), and TCP keeps such a connection alive. A limit on the time
of a statement would: and with it what only takes long, behind a lock or in a worker. So whoever has waited for
DATABASE_PATIENCE seconds has the server asked something else over another connection. While that is answered, however
it is, the statement goes on; when it is not, the connection is closed, and its user told as of a database that is away.

A single connection may be lost as well, with nobody told: what stands between has forgotten it, or lost what was sent.
The server itself knows: where its process for this connection waits for us, or is gone, nobody answers any more.
"""

import time
from collections.abc import Generator
from functools import partial
from select import POLLIN, poll
from typing import Any, Self

from django.conf import settings
from psycopg import Connection, Error, OperationalError
from psycopg.errors import IdleInTransactionSessionTimeout

from config.concurrency.probing import Probes

ANSWERS_WITHIN = 1.5  # seconds: for a connection and one row of a server that is well
REMEMBERED = 2.0  # seconds for which nobody else waits for a server that has just been found silent
ANSWERED, SILENT = "answered", "silent"
PARTS = "its user, password, host, port and name of the database"
# The process that answers, and whether that of the connection is at work. A pooler names processes that there are not.
AT_WORK = (
    "SELECT pg_backend_pid(), EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s AND (state IS NULL OR state NOT LIKE "
    "'idle%%' OR state_change > clock_timestamp() - make_interval(secs => %s)))"
)


class Silence:
    """What this process knows of it; requests that come while it lasts need not find out anew.

    `reason`: why the last attempt to connect failed; empty after one that did not.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Another address is asked from now on."""
        self._until, self.reason = 0.0, ""

    def note(self) -> None:
        self._until = time.monotonic() + REMEMBERED

    def lasts(self) -> bool:
        return time.monotonic() < self._until


silence, _probes = Silence(), Probes()


class _Brief(Connection[Any]):
    """No wait on it lasts."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = ANSWERS_WITHIN) -> Any:
        return super().wait(gen, interval, ANSWERS_WITHIN)


class NoConnection(OperationalError):
    """The pool has none and gets none. The message says why, and which setting has the address; no password."""

    is_unreachable = True

    def __init__(self, setting: str) -> None:
        said = silence.reason or "no answer came for as long as it was waited for"
        super().__init__(f"There is no connection to PostgreSQL: {said}. Look at {setting}: {PARTS}.")


def said_first(error: Error) -> str:
    """The server's own words, or what befell the way to it: libpq names each address and the way, a line each."""
    line = str(error).strip().partition("\n")[0]
    for mark in ("FATAL:", "connection failed:"):
        if mark in line:
            return line.partition(mark)[2].strip().rstrip(".")
    return line.rstrip(".")


class WatchedConnection(Connection[Any]):
    """Waits as long as the server gives signs of life."""

    @classmethod
    def connect(cls, *args: Any, **options: Any) -> Self:
        """Keeps why there was none: the pool that asks for it only writes that into the log."""
        try:
            made = super().connect(*args, **options)
        except Error as error:
            silence.reason = said_first(error)
            raise
        silence.reason = ""
        return made

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            return super().wait(self._watched(gen) if settings.DATABASE_PATIENCE else gen, interval, timeout)
        except IdleInTransactionSessionTimeout as ended:  # to psycopg an internal error; the connection is lost
            raise OperationalError("the server ended a transaction that was left alone") from ended

    def _watched(self, work: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """What the work yields; psycopg wakes it every `interval` with nothing."""
        asked, times = time.monotonic(), 0
        try:
            wanted = next(work)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() - asked > settings.DATABASE_PATIENCE:
                    times += 1
                    self._end_if_silent()
                    if times.bit_count() == 1:  # ever more rarely of what takes long
                        self._end_if_lost()
                    asked = time.monotonic()
                wanted = work.send(ready)
        except StopIteration as done:
            return done.value

    def _end_if_silent(self) -> None:
        place, password = self.info.dsn, self.info.password
        question = {place: partial(_ask, place, password)}
        if silence.lasts() or _probes.ask(question, ANSWERS_WITHIN, SILENT)[place] == SILENT:
            silence.note()
            self.pgconn.finish()
            raise OperationalError("the server takes connections and says nothing")

    def _end_if_lost(self) -> None:
        if _is_lost(self.info.dsn, self.info.password, self.info.backend_pid) and not self._has_answer():
            self.pgconn.finish()
            raise OperationalError("the server knows nothing of what it was asked")

    def _has_answer(self) -> bool:
        """It may have come while somebody asked elsewhere."""
        looking = poll()
        looking.register(self.pgconn.socket, POLLIN)
        return bool(looking.poll(0))


def _is_lost(place: str, password: str, process: int) -> bool:
    """Whether the server waits for us as well, or has no such process. Not known of one behind a pooler."""
    try:
        with _Brief.connect(place, password=password, connect_timeout=2, autocommit=True) as link:
            row = link.execute(AT_WORK, [process, float(settings.DATABASE_PATIENCE)]).fetchone()
            return row is not None and row[0] == link.info.backend_pid and not row[1]
    except Error:
        return False


def _ask(place: str, password: str) -> str:
    began = time.monotonic()
    try:
        with _Brief.connect(place, password=password, connect_timeout=2, autocommit=True) as link:
            link.execute("SELECT 1")
    except Error:  # soon: too many connections, or starting up, but somebody is there
        return SILENT if time.monotonic() - began >= ANSWERS_WITHIN else ANSWERED
    return ANSWERED
