"""A statement goes on for as long as its server gives signs of life, and not without them."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

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


@pytest.mark.services
@pytest.mark.skipif(not os.environ.get("TEST_SERVICES"), reason="TEST_SERVICES=1 starts PostgreSQL")
def test_what_takes_long_is_waited_for_and_a_frozen_server_is_not() -> None:
    with tempfile.TemporaryDirectory(prefix="acervo-") as name:
        Path(name).chmod(0o711)
        postgres = Postgres(Path(name))
        environment = {
            **os.environ,
            **postgres.settings("acervo"),
            "DATA_DIR": f"{name}/data",
            "DATABASE_PATIENCE": "1",
        }
        environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        try:
            postgres.start()
            postgres.create_database("acervo")
            with subprocess.Popen(
                [sys.executable, "-c", LOOK], cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            ) as looking:
                slow = next_answer(looking)
                postgres.freeze()
                silent = next_answer(looking, after=b"\n")
                at_once = next_answer(looking, after=b"\n")
                postgres.thaw()
                back = next_answer(looking, after=b"\n")
                looking.communicate(b"\n")
        finally:
            postgres.stop()
    assert [said for said, _ in (slow, silent, at_once, back)] == ["answered", "away", "away", "answered"]
    assert slow[1] >= 3
    assert silent[1] < 6
    assert at_once[1] < 0.5


def next_answer(looking: "subprocess.Popen[bytes]", after: bytes = b"") -> tuple[str, float]:
    """What was said of the next statement, and how many seconds it took."""
    assert looking.stdin is not None
    assert looking.stdout is not None
    looking.stdin.write(after)
    looking.stdin.flush()
    said, seconds = looking.stdout.readline().split()
    return said.decode(), float(seconds)
