"""A statement goes on for as long as its server gives signs of life, and not without them."""

import os
import subprocess
import sys
import tempfile
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from tests.services.faults.relay import PIECE, Relay
from tests.services.servers import ROOT, Postgres

LOOK = """
import time
import django
django.setup()
from django.db import OperationalError, connection

def asked(statement):
    began = time.monotonic()
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
        return "answered", time.monotonic() - began
    except OperationalError:
        return "away", time.monotonic() - began
    finally:
        connection.close()

def told(question):
    print(*question, flush=True)
    input()

told(asked("SELECT pg_sleep(3)"))  # a second by patience, three by the statement
told(asked("SELECT 1"))  # the server is frozen now
told(asked("SELECT 1"))  # and found so a moment ago
time.sleep(2.1)
told(asked("SELECT 1"))  # thawed
"""


pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not os.environ.get("TEST_SERVICES"), reason="TEST_SERVICES=1 starts PostgreSQL"),
]


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    with tempfile.TemporaryDirectory(prefix="acervo-") as name:
        Path(name).chmod(0o711)
        server = Postgres(Path(name))
        try:
            server.start()
            server.create_database("acervo")
            yield server
        finally:
            server.stop()


@contextmanager
def running(program: str, postgres: Postgres, port: int) -> "Iterator[subprocess.Popen[bytes]]":
    """A program that reaches the server at this port, and is ended after a minute and a half."""
    places = postgres.settings("acervo").items()
    reached = {name: url.replace(f":{postgres.port}/", f":{port}/") for name, url in places}
    own = {"DATA_DIR": f"{postgres.folder}/data", "DATABASE_PATIENCE": "1", "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment = {**os.environ, **reached, **own}
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as made:
        ending = Timer(90, made.kill)
        ending.start()
        yield made
        made.communicate(b"\n")
        ending.cancel()


def test_what_takes_long_is_waited_for_and_a_frozen_server_is_not(postgres: Postgres) -> None:
    with running(LOOK, postgres, postgres.port) as looking:
        slow = next_answer(looking)
        postgres.freeze()
        silent = next_answer(looking, after=b"\n")
        at_once = next_answer(looking, after=b"\n")
        postgres.thaw()
        back = next_answer(looking, after=b"\n")
    assert [said for said, _ in (slow, silent, at_once, back)] == ["answered", "away", "away", "answered"]
    assert slow[1] >= 3
    assert silent[1] < 6
    assert at_once[1] < 0.5


LOSE = """
import django
django.setup()
from django.db import OperationalError, connection, transaction

def asked(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]

def told(word):
    print(word, 0, flush=True)
    input()

told(asked("SELECT 'here'"))
connection.close()  # given back to the pool, and forgotten on its way now
told(asked("SELECT 'again'"))  # over another, once that is found out
try:
    with transaction.atomic():
        asked("SELECT 1")
        told("within")
        asked("SELECT 2")  # forgotten in the middle
except OperationalError:
    told("lost")
told(asked("SELECT 'slow' FROM pg_sleep(5)"))  # at work, and waited for
"""


class Forgetful(Relay):
    """Of what is open it forgets on demand, while what comes later passes: as a firewall that lost its table."""

    forgotten: frozenset[object] = frozenset()

    def forget(self) -> None:
        self.forgotten = frozenset(self._open)

    async def _pump(self, reader: StreamReader, writer: StreamWriter, *, counted: bool = False) -> None:
        while piece := await reader.read(PIECE):
            if writer.transport not in self.forgotten:
                writer.write(piece)


def test_a_connection_that_was_forgotten_on_its_way_is_given_up_while_its_server_is_well(postgres: Postgres) -> None:
    relay = Forgetful(postgres.port)
    with running(LOSE, postgres, relay.port) as losing:
        said = [next_answer(losing)[0]]
        relay.forget()
        said += [next_answer(losing, after=b"\n")[0] for _ in range(2)]
        relay.forget()
        said += [next_answer(losing, after=b"\n")[0] for _ in range(2)]
    relay.close()
    assert said == ["here", "again", "within", "lost", "slow"]


def next_answer(looking: "subprocess.Popen[bytes]", after: bytes = b"") -> tuple[str, float]:
    """What was said of the next statement, and how many seconds it took."""
    assert looking.stdin is not None
    assert looking.stdout is not None
    looking.stdin.write(after)
    looking.stdin.flush()
    said, seconds = looking.stdout.readline().split()
    return said.decode(), float(seconds)
