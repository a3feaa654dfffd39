"""A database that lets nobody in: each command says in one sentence what PostgreSQL said, and where to look."""

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import CommandError
from django.db import DatabaseError, ProgrammingError
from django.db.migrations.exceptions import MigrationSchemaMissing
from psycopg.errors import InsufficientPrivilege, UndefinedObject, UndefinedTable

from accounts.management.commands.migrate import told_of_roles
from config.env import BASE_DIR
from tests.e2e.server import free_port

SAID = 'password authentication failed for user "somebody"'


def receive(link: socket.socket) -> bytes:
    """A message of a client that begins: its length first, itself included."""
    (length,) = struct.unpack("!I", link.recv(4, socket.MSG_WAITALL))
    return link.recv(length - 4, socket.MSG_WAITALL)


def refuse_everybody(listener: socket.socket) -> None:
    fields = b"SFATAL\0VFATAL\0C28P01\0M" + SAID.encode() + b"\0\0"
    while True:
        try:
            link, _ = listener.accept()
        except OSError:
            return
        with link:
            while len(receive(link)) == 4:  # may it be encrypted? No
                link.sendall(b"N")
            link.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)


@pytest.fixture
def refusing() -> Iterator[int]:
    """The port of a PostgreSQL that knows nobody's password."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=refuse_everybody, args=[listener], daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def begin(command: str, folder: Path, **addresses: str) -> "subprocess.Popen[str]":
    others = dict.fromkeys(("CELERY_BROKER_URL", "CACHE_URL", "DATABASE_OWNER_URL"), "")  # of the suite's own services
    known = {**os.environ, **others, "DATA_DIR": str(folder), **addresses}
    line = [sys.executable, str(BASE_DIR / "manage.py"), *command.split()]
    return subprocess.Popen(line, env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_command_says_why_there_is_no_connection_and_where_to_look(refusing: int, tmp_path: Path) -> None:
    refused, away = (f"postgres://somebody:secret@127.0.0.1:{port}/acervo" for port in (refusing, free_port()))
    begun = {
        begin("migrate", tmp_path, DATABASE_URL=refused): (SAID, "DATABASE_URL"),
        begin("migrate", tmp_path, DATABASE_URL=away, DATABASE_OWNER_URL=refused): (SAID, "DATABASE_OWNER_URL"),
        begin("organization Casa --admin a@example.org", tmp_path, DATABASE_URL=away): ("refused", "DATABASE_URL"),
    }
    ended = [(process.communicate(timeout=60)[1], process.returncode) for process in begun]
    for (told, code), (said, named) in zip(ended, begun.values(), strict=True):
        assert code == 1
        assert said in told
        assert f"Look at {named}: " in told
        assert "secret" not in told
        assert len(told.splitlines()) == 1


@pytest.mark.parametrize("wrapped", [False, True])
def test_who_may_not_make_tables_is_told_who_may(wrapped: bool) -> None:
    refused: DatabaseError = ProgrammingError("permission denied for schema public\nLINE 1: CREATE")
    refused.__cause__ = InsufficientPrivilege()
    if wrapped:
        refused, reason = MigrationSchemaMissing("Unable to create the django_migrations table"), refused
        refused.__context__ = reason
    told = r"^PostgreSQL says: permission denied for schema public\. .* set DATABASE_OWNER_URL"
    with pytest.raises(CommandError, match=told), told_of_roles():
        raise refused


def test_a_role_that_is_not_there_is_named() -> None:
    missing = ProgrammingError('role "acervo_app" does not exist')
    missing.__cause__ = UndefinedObject()
    with pytest.raises(CommandError, match=r'role "acervo_app" does not exist\. .*DATABASE_URL'), told_of_roles():
        raise missing


def test_another_error_of_a_migration_stays_what_it_is() -> None:
    other = ProgrammingError("no such table")
    other.__cause__ = UndefinedTable()
    with pytest.raises(ProgrammingError), told_of_roles():
        raise other
