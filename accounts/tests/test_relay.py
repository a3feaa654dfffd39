"""The socket by which a running server takes commands: whose it is, where it lies, what may be said on it."""

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from accounts.management.relay import address, wire
from accounts.management.relay.wire import CommandRequest, NotARequest

REQUEST = CommandRequest("ask", ("tutor", "¿Qué?"), Path("/tmp"), (True, False))


def said(**changed: object) -> bytes:
    return json.dumps({**json.loads(REQUEST.line), **changed}).encode() + b"\n"


def test_a_request_comes_as_it_went() -> None:
    assert wire.parse_request(REQUEST.line) == REQUEST


@pytest.mark.parametrize(
    "line",
    [
        b"\n", b"[]\n", b'"ask"\n', b"{}\n", b"\xff\n", b"[" * 100_000 + b"\n",
        said(command=1), said(arguments="x"), said(arguments=[1]), said(folder="relative"), said(folder="/a\0b"),
        said(terminals=[1, 0]), said(terminals=[True]), said(arguments=None),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(line: bytes) -> None:
    with pytest.raises(NotARequest):
        wire.parse_request(line)


def test_a_request_is_short_and_comes_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = socket.socketpair()
    with here, there:
        monkeypatch.setattr(wire, "LONGEST_REQUEST", 100)
        here.sendall(b"x" * 101)
        with pytest.raises(NotARequest, match="too long"):
            wire.read_request(there)
        monkeypatch.setattr(wire, "REQUEST_SECONDS", 0.05)
        with pytest.raises(TimeoutError):
            wire.read_request(there)
        here.close()
        with pytest.raises(NotARequest, match="cut short"):
            wire.read_request(there)


def test_the_kernel_says_who_is_at_the_other_end() -> None:
    here, there = socket.socketpair()
    with here, there:
        assert address.user_of_peer(there) == os.geteuid()


def test_the_socket_is_its_users_alone_and_a_killed_servers_is_replaced(tmp_path: Path) -> None:
    killed = address.listen_for_commands(tmp_path)
    killed.close()
    assert address.connect_to_server(tmp_path) is None, "nobody listens any more"
    with address.listen_for_commands(tmp_path):
        assert stat.S_IMODE((tmp_path / address.NAME).stat().st_mode) == 0o600
        connection = address.connect_to_server(tmp_path)
        assert connection is not None
        connection.close()
    address.forget_socket(tmp_path)
    assert not (tmp_path / address.NAME).exists()
    assert address.connect_to_server(tmp_path) is None


def test_a_folder_with_a_long_path_has_its_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    for _again in range(2):  # the second time in the place of a killed server's
        with address.listen_for_commands(deep):
            elsewhere = (deep / address.NAME).readlink()
            assert stat.S_IMODE(elsewhere.parent.stat().st_mode) == 0o700
            connection = address.connect_to_server(deep)
            assert connection is not None
            connection.close()
    address.forget_socket(deep)
    assert not elsewhere.parent.exists()
    assert not (deep / address.NAME).is_symlink()


def test_a_link_to_anything_else_is_removed_and_nothing_behind_it(tmp_path: Path) -> None:
    precious = tmp_path / "acervo-precious"
    precious.mkdir()
    (tmp_path / address.NAME).symlink_to(precious / address.NAME)
    address.forget_socket(tmp_path)
    assert precious.is_dir()


def test_another_users_server_is_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with address.listen_for_commands(tmp_path):
        monkeypatch.setattr(address, "user_of_peer", lambda _connection: os.geteuid() + 1)
        assert address.connect_to_server(tmp_path) is None
