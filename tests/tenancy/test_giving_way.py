"""A migration that would be in a deadlock with a request gives way, and begins again when the request has passed."""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management.base import CommandError
from django.db import OperationalError, connection
from django.db.migrations import Migration, RunPython, RunSQL
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from accounts.management.commands.migrate import GivingWayExecutor
from accounts.tenancy.owner import as_owner
from accounts.tenancy.postgresql import giving_way
from tests.live import patience
from tests.services.servers import wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="with SQLite there is one process"),
]
WAITING = "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'first_changed'::regclass"


@pytest.fixture
def place() -> Iterator[str]:
    """Where a request finds two tables that are about to be changed."""
    with as_owner():
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE first_changed (id integer); CREATE TABLE then_changed (id integer)")
        info = connection.connection.info
        yield f"host={info.host} port={info.port} dbname={info.dbname} user={info.user}"
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE first_changed, then_changed")
        MigrationRecorder(connection).record_unapplied("tried", "0001_two_tables")


class Request(threading.Thread):
    """Reads the second table, and the first when it is told to, in one transaction."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.link = psycopg.connect(place)
        self.link.execute("SELECT FROM then_changed")
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            self.link.execute("SELECT FROM first_changed")
            self.link.commit()
        except psycopg.Error as error:
            self.failure = error
        finally:
            self.link.close()


def two_tables(between: Any = RunPython.noop) -> Migration:
    first, then = (RunSQL(f"ALTER TABLE {one} ADD COLUMN new integer") for one in ("first_changed", "then_changed"))

    class TwoTables(Migration):
        operations = [first, RunPython(between), then]

    return TwoTables("0001_two_tables", "tried")


def columns() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM information_schema.columns WHERE column_name = 'new'")
        return int(cursor.fetchone()[0])


def test_the_request_goes_on_and_the_migration_is_done_afterwards(place: str) -> None:
    request, attempts = Request(place), []

    def while_the_first_is_locked(*_: Any) -> None:
        attempts.append(1)
        assert columns() == 1, "who asks the database meanwhile finds what was done before"
        if len(attempts) == 1:
            request.start()
            with psycopg.connect(place, autocommit=True) as looking:
                wait_until(lambda: looking.execute(WAITING).fetchone() == (True,), patience(5), "the request waits")

    GivingWayExecutor(connection).apply_migration(ProjectState(), two_tables(while_the_first_is_locked))
    request.join()
    assert request.failure is None
    assert len(attempts) > 1
    assert columns() == 2


def test_somebody_who_holds_a_table_for_minutes_is_named_and_nothing_is_done(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(giving_way, "GIVES_UP_AFTER", 0.1)
    request = Request(place)
    with pytest.raises(CommandError, match="0001_two_tables: somebody has held a table for minutes"):
        GivingWayExecutor(connection).apply_migration(ProjectState(), two_tables())
    assert columns() == 0
    assert MigrationRecorder(connection).applied_migrations().keys().isdisjoint({("tried", "0001_two_tables")})
    request.run()
    GivingWayExecutor(connection).apply_migration(ProjectState(), two_tables())
    assert columns() == 2


def test_what_is_behind_autovacuum_waits_for_longer_than_it_is_let_run(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It yields to who has waited for `deadlock_timeout`, and to nobody before."""
    monkeypatch.setattr(giving_way, "BRIEFLY_FOR", -1.0)
    patiences = []
    GivingWayExecutor(connection).apply_migration(
        ProjectState(),
        two_tables(lambda *_: patiences.append(connection.lock_patience)),  # type: ignore[attr-defined]
    )
    assert patiences[0] > giving_way.deadlock_timeout(connection)


def test_another_failure_is_told_at_once(place: str) -> None:
    attempts = []

    def away() -> None:
        attempts.append(1)
        raise OperationalError("away")

    with pytest.raises(OperationalError, match="away"):
        giving_way.until_it_passes(connection, "it", away)
    assert len(attempts) == 1
