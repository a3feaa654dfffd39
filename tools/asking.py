"""A source is asked: what its child needs is gathered, its breaker asked first, and what goes wrong told as a problem.

A request to the child has `kind`, `asked` (query, tables, records, record; of a bucket: objects, object), `place` of a
server or `files`, and for a query `sql`, `values` and `reading`: by schema and table the columns that may be read in
the open. What records are asked with, `tools.services.records` says.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.limits.places import Places
from accounts.problems import Problem
from config.concurrency.pooled import give_back_connection
from retrieval.waiting.breaker import Breakers
from tools.engines import running
from tools.engines.failures import ColumnsGone, EngineFailed, QueryFailed, QueryTimeout, QueryTooLarge, SourceFailed
from tools.hosts import HostRefused, pinned_address
from tools.models import DataSource, SourceFile
from tools.problems import (
    QueryTooBig,
    QueryTooSlow,
    SourceUnavailable,
    SourceUnusable,
    StatementFailed,
    problem_of_source,
)
from tools.sealing import SealLost
from tools.services import described
from tools.sql.statements import MAIN

AT_ONCE, OF_ONE, PATIENCE = 3, 2, 3.0  # of one: an organization's slow statements leave others a place
PORTS = {DataSource.Kind.POSTGRESQL: 5432, DataSource.Kind.MYSQL: 3306}
HTTPS = 443
FOLDER, OLD_SECONDS = "acervo-source-", 600
BUCKET_MEMORY = 192 * 1024**2  # of the program; what it reads comes to four times its bytes
places = Places(AT_ONCE, PATIENCE, OF_ONE)
bucket_places = Places(2, PATIENCE, 1)
breakers = Breakers("data source")


def ask_source(source: DataSource, asked: str, **more: Any) -> Any:
    """What the source says. One that failed rests, but for an admin who asks for its tables and wants to know why.
    Raises SourceUnavailable, SourceUnusable, Busy, and what is wrong with a statement."""
    breaker = breakers.of(source.pk)
    if asked != "tables" and not breaker.allows():
        raise SourceUnavailable(reason="resting")
    try:
        place = _place(source) if source.is_server else {}  # before: who answers for its name may be slow
        with places.taken(source.organization_id), _files_at_hand(source, more.get("reading")) as files:
            give_back_connection()
            found = running.ask_child({"kind": source.engine, "asked": asked, **place, **files, **more})
    except SourceFailed as error:
        problem = problem_of_source(error.said)
        if isinstance(problem, SourceUnavailable):
            breaker.failed()
        else:
            breaker.succeeded()
        raise problem from None
    except EngineFailed as error:
        breaker.succeeded()
        raise _problem_of(error) from None
    breaker.succeeded()
    return found


def ask_bucket(source: DataSource, asked: str, most: int, seconds: float, **more: Any) -> Any:
    """What the bucket says in which the source's files lie, of so many bytes and in so many seconds. It has no breaker
    and places of its own: nobody waits for it who asks of files that were brought. Raises as `ask_source`."""
    limits = {"most": {"bytes": most}, "most_answered": 2 * most, "memory": BUCKET_MEMORY + 4 * most}
    try:
        place = _place(source)
        with bucket_places.taken(source.organization_id):
            give_back_connection()
            return running.ask_child({"kind": "bucket", "asked": asked, "seconds": seconds, **place, **limits, **more})
    except EngineFailed as error:
        raise _problem_of(error) from None


def check_files(source: DataSource, files: Sequence[SourceFile]) -> None:
    """Whether the engine can read files that are not kept yet. Raises as `ask_source`, but has no breaker: what is
    wrong with them is not wrong with the source."""
    _take_away_what_was_left()
    try:
        with places.taken(source.organization_id), TemporaryDirectory(prefix=FOLDER) as folder:
            give_back_connection()
            written = list(_written(files, Path(folder)))
            running.ask_child({"kind": source.engine, "asked": "tables", "files": written})
    except EngineFailed as error:
        raise _problem_of(error) from None


def _problem_of(error: EngineFailed) -> Problem:
    if isinstance(error, SourceFailed):
        return problem_of_source(error.said)
    if isinstance(error, QueryTimeout):
        return QueryTooSlow()
    if isinstance(error, QueryTooLarge):
        return QueryTooBig()
    if isinstance(error, ColumnsGone):
        said = _(
            "A file was replaced and has no longer all columns of its table; an admin takes them over anew: %(names)s"
        )
        return StatementFailed(reason=(said % {"names": error.said})[:300])
    assert isinstance(error, QueryFailed)
    return StatementFailed(reason=error.said[:300])


@contextmanager
def _files_at_hand(source: DataSource, reading: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Those that are read, where each is a table and a reading is said; else all."""
    if source.is_server:
        yield {}
        return
    _take_away_what_was_left()
    with TemporaryDirectory(prefix=FOLDER) as folder:
        yield {"files": list(_files(source, Path(folder), reading))}


def _take_away_what_was_left() -> None:
    """The rows of a source that a process was asking when it was killed: nobody else deletes them."""
    for folder in Path(gettempdir()).glob(f"{FOLDER}*"):
        with suppress(OSError):  # another process was faster
            if folder.stat().st_mtime < time.time() - OLD_SECONDS:
                rmtree(folder, ignore_errors=True)


def _place(source: DataSource) -> dict[str, Any]:
    port = source.port or PORTS.get(DataSource.Kind(source.kind), HTTPS)
    give_back_connection()
    try:
        credentials = source.open_credentials()
        address = pinned_address(source.host, port, settings.DATA_SOURCE_HOSTS, settings.DATA_SOURCE_NETWORKS)
    except HostRefused as error:
        raise problem_of_source(error.reason) from None
    except SealLost:
        raise SourceUnusable(reason="no_credentials") from None
    if not credentials and not described.needs_no_credentials(source.service):
        raise SourceUnusable(reason="no_credentials")
    place = {
        "host": source.host, "address": address, "port": port, "database": source.database,
        "sslmode": source.encryption, "service": source.service, **credentials,
    }  # fmt: skip
    return {"place": place}


def _files(source: DataSource, folder: Path, reading: Mapping[str, Any] | None) -> Iterator[dict[str, str]]:
    """The files as the child opens them: for the time of one question, in a folder of its own."""
    files = source.files.all()
    if not files.exists():
        raise SourceUnusable(reason="no_file")
    if reading is not None and source.engine == DataSource.Kind.DUCKDB:
        files = files.filter(table__in=list(reading.get(MAIN, ())))
    yield from _written(files.iterator(chunk_size=1), folder)  # of large files one at a time is in memory


def _written(rows: Iterable[SourceFile], folder: Path) -> Iterator[dict[str, str]]:
    for row in rows:
        place = folder / f"{row.pk}.{row.format}"
        place.write_bytes(row.content)
        yield {"table": row.table, "format": row.format, "path": str(place)}
