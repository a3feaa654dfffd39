"""Servers that speak MySQL's protocol and mean harm get no file and no password, and take no more than a child."""

import re
import socket
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tools.engines import running
from tools.engines.failures import QueryFailed, QueryTimeout, QueryTooLarge, SourceFailed
from tools.tests.mariadb import EOF, OK, Packets, Villain, columns, request, row


def local_file() -> Packets:
    yield b"\xfb/etc/passwd"


def endless_rows() -> Packets:
    yield from columns(1)
    while True:
        yield row(["x" * 100])


def endless_columns() -> Packets:
    yield b"\xfe" + b"\xff" * 8
    one = list(columns(1))[1]
    while True:
        yield one


def one_endless_cell() -> Packets:
    yield from columns(1)
    while True:
        yield b"x" * 0xFFFFFF


def nonsense() -> Packets:
    yield b"\x01"
    yield b"\xff" * 3


def played(harm: Any, at_login: bytes = OK) -> Villain:
    return Villain(harm, at_login)


OPEN: dict[str, Any] = {"place": {"sslmode": "prefer", "password": "pa55-zurribanda"}}


def test_a_server_that_asks_for_a_file_gets_nothing() -> None:
    villain = played(local_file)
    with pytest.raises(QueryFailed):
        running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()
    assert b"SELECT 1" in villain.heard
    assert b"root:" not in villain.heard


def test_a_result_without_end_is_cut_and_not_read_to_its_end() -> None:
    villain = played(endless_rows)
    found = running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()
    assert (len(found["rows"]), found["truncated"]) == (100, True)


def test_what_a_server_says_went_wrong_is_told_without_what_is_not_seen() -> None:
    def refusal() -> Packets:
        yield b"\xff\x28\x04#42000" + "no \u202e\x1b[31m\u200b table".encode()

    villain = played(refusal)
    with pytest.raises(QueryFailed, match=re.escape("no [31m table")):
        running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()


@pytest.mark.parametrize("harm", [endless_columns, one_endless_cell])
def test_what_fills_the_memory_ends_the_child(harm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MEMORY", 400 * 1024**2)
    monkeypatch.setattr(running, "CPU_SECONDS", 3)
    villain = played(harm)
    with pytest.raises((QueryTooLarge, QueryTimeout)):
        running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()


def test_a_server_that_falls_silent_is_not_waited_for() -> None:
    silence = Event()

    def nothing() -> Packets:
        silence.wait(30)
        yield OK

    villain = played(nothing)
    with pytest.raises(QueryTimeout):
        running.ask_child(request(villain.port, "SELECT 1", seconds=0.5, **OPEN))
    villain.close()
    silence.set()


@pytest.mark.parametrize("harm", [local_file, nonsense])
@pytest.mark.parametrize("asked", ["SHOW GRANTS", "SHOW SESSION", "START", "SELECT table_schema"])
def test_harm_done_before_a_statement_is_a_source_that_failed(asked: str, harm: Any) -> None:
    villain = Villain(harm, harms=asked)
    with pytest.raises(SourceFailed, match=r"refused|unreachable"):
        running.ask_child(request(villain.port, asked="tables", **OPEN))
    villain.close()
    assert b"root:" not in villain.heard


def test_a_server_that_speaks_nonsense_is_a_statement_or_a_source_that_failed() -> None:
    villain = played(nonsense)
    with pytest.raises((QueryFailed, SourceFailed)):
        running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()
    greets = played(nonsense, at_login=b"\x7f nonsense")
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(request(greets.port, "SELECT 1", **OPEN))
    greets.close()


@pytest.mark.parametrize("plugin", [b"mysql_clear_password", b"dialog", b"mysql_old_password", b"client_ed25519"])
def test_a_server_that_wants_the_password_in_the_open_is_not_told_it(plugin: bytes) -> None:
    villain = played(nonsense, at_login=b"\xfe" + plugin + b"\0" + b"c" * 20 + b"\0")
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()
    assert b"zurribanda" not in villain.heard


@pytest.mark.parametrize("sslmode", ["require", "verify-full"])
def test_a_server_that_cannot_encrypt_is_told_nothing(sslmode: str) -> None:
    villain = played(nonsense)
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(request(villain.port, "SELECT 1", place={"sslmode": sslmode, "password": "zurribanda"}))
    villain.close()
    assert bytes(villain.heard) == b""


def test_rows_that_end_are_all_told() -> None:
    def three() -> Packets:
        yield from columns(2)
        yield from [row(["a", "b"])] * 3
        yield EOF

    villain = played(three)
    found = running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()
    assert (found["rows"], found["truncated"]) == ([["a", "b"]] * 3, False)


@pytest.mark.parametrize(
    ("plugin", "answers", "last"), [(b"sha256_password", [], 1), (b"caching_sha2_password", [b"\x01\x04"], 2)]
)
def test_a_server_that_wants_the_password_encrypted_for_its_own_key_gets_none(
    plugin: bytes, answers: list[bytes], last: int
) -> None:
    """Whoever sends a key reads what is encrypted for it."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    packets = iter([*answers, b"\x01" + pem])

    def its_key() -> Packets:
        yield next(packets, OK)

    villain = Villain(its_key, b"\xfe" + plugin + b"\0" + b"c" * 20 + b"\0", harms="")
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(request(villain.port, "SELECT 1", **OPEN))
    villain.close()
    assert villain.heard[-5:-2] == b"\x01\0\0"  # it was asked for the key, and told nothing then
    assert villain.heard[-1] == last


def test_a_server_that_greets_a_letter_at_a_time_is_a_source_that_is_not_reached() -> None:
    """Each letter comes in time; all of them never would."""
    is_over = Event()
    listening = socket.create_server(("127.0.0.1", 0))

    def greet() -> None:
        link, _address = listening.accept()
        with link, suppress(OSError):
            link.sendall(b"\xff\xff\0\0\x0a")
            while not is_over.wait(0.3):
                link.sendall(b"1")

    Thread(target=greet, daemon=True).start()
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(request(listening.getsockname()[1], "SELECT 1", **OPEN))
    is_over.set()
    listening.close()
