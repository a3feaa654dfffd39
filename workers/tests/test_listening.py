"""`manage.py serve` takes its port before it starts anything, and says so in one sentence where it cannot."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError

from config.env import BASE_DIR
from workers.management.listening import port_of, taken_sockets


def test_a_free_port_is_taken_for_whoever_asks_next() -> None:
    sockets = taken_sockets("127.0.0.1", 0)
    try:
        assert [one.proto for one in sockets] == [socket.IPPROTO_TCP], "else asyncio leaves Nagle's algorithm on"
        sockets[0].listen()
        with pytest.raises(CommandError, match=r"Nothing can listen at 127\.0\.0\.1:.* in use\. .* --port") as refused:
            taken_sockets("127.0.0.1", port_of(sockets))
        assert refused.value.returncode == 3
    finally:
        sockets[0].close()


@pytest.mark.parametrize(
    ("host", "port", "said"),
    [
        ("127.0.0.1", 80_000, "ports go from 0 to 65535"),
        ("192.0.2.1", 0, "Cannot assign"),
        ("x" * 70, 0, "no host"),
        ("a..b", 0, "no host"),
    ],
)
def test_what_cannot_be_listened_at_is_named(host: str, port: int, said: str) -> None:
    with pytest.raises(CommandError, match=rf"^Nothing can listen at {re.escape(host)}:{port}: .*{said}"):
        taken_sockets(host, port)


def test_a_server_whose_port_is_taken_says_nothing_else(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        command = [sys.executable, str(BASE_DIR / "manage.py"), "serve"]
        known = {**os.environ, "DATA_DIR": str(tmp_path), "PORT": port}
        done = subprocess.run(command, env=known, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"CommandError: Nothing can listen at 127.0.0.1:{port}: Address already in use.")
    assert len(done.stderr.splitlines()) == 1
