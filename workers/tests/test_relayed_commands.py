"""Commands while the server runs: the process that owns the index carries them out, for its own user alone."""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import BaseCommand, CommandError

from accounts.management.relay import address
from accounts.management.relay.hangup import CommandLine, HungUp, on_line, run_while_connected, stop_if_hung_up
from accounts.management.relay.wire import CommandRequest
from tests.live import eventually
from tests.processes import MANAGE, Site, site
from workers.management import relay_server
from workers.management.commands import reconcile
from workers.management.relay_server import CommandServer

QUESTIONS = {
    "corpus.jsonl": [
        {"id": "a", "text": "La marea alta llega al puerto a las seis de la mañana."},
        {"id": "b", "text": "El faro se enciende al anochecer y gira cada doce segundos."},
    ],
    "queries.jsonl": [{"id": "1", "text": "¿A qué hora llega la marea alta?", "relevant": ["a"]}],
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("relayed"), LOG_LEVEL="INFO") as made:
        made.start()
        yield made


def typed(made: Site, *arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*MANAGE, *arguments],
        env=made.environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def written(folder: Path, lines: dict[str, list[dict[str, Any]]] = QUESTIONS) -> Path:
    folder.mkdir()
    for name, rows in lines.items():
        (folder / name).write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.mark.slow
class TestARunningServer:
    def test_a_question_is_answered_through_it(self, running: Site) -> None:
        asked = ["escritor-de-libros", "¿Dónde guarda Irene el reloj de su hermano?", "--user", "alicia@example.org"]
        people = [one["email"] for one in running.told["users"]]
        asked[-1] = next(one for one in people if one.startswith("alicia"))
        done = typed(running, "ask", *asked)
        assert done.returncode == 0, done.stderr
        assert "confidence:" in done.stdout
        assert "[1]" in done.stdout
        assert "Irene" not in running.log(), "logs have the command's name alone"
        assert re.search(r"command ask ended after", running.log())

    def test_a_question_set_is_measured_from_where_the_command_was_typed(self, running: Site, tmp_path: Path) -> None:
        written(tmp_path / "puerto")
        done = typed(running, "evaluate", "puerto", "--json", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        (scores,) = json.loads(done.stdout)
        assert scores["measures"]["hit@1"] == 1.0

    def test_its_exit_code_and_its_message_come_back(self, running: Site, tmp_path: Path) -> None:
        written(tmp_path / "puerto")
        done = typed(running, "evaluate", "puerto", "--threshold", "hit@1=1.5", folder=tmp_path)
        assert (done.returncode, "below 1.5" in done.stderr) == (1, True)
        assert "hit@1" in done.stdout
        assert typed(running, "evaluate", "puerto", "--configurations", "fancy", folder=tmp_path).returncode == 2

    def test_the_index_is_reconciled_and_calibrated(self, running: Site, tmp_path: Path) -> None:
        assert "points looked at" in typed(running, "reconcile").stdout
        done = typed(running, "calibrate", str(tmp_path / "nothing"), "--dry-run")
        assert (done.returncode, "not a question set" in done.stderr) == (1, True)

    def test_an_erasure_is_asked_about_at_the_terminal_that_asks(self, running: Site) -> None:
        nobody = "00000000-0000-4000-8000-000000000000"
        done = typed(running, "erase", "--document", nobody)
        assert (done.returncode, "add --yes" in done.stderr) == (1, True)
        done = typed(running, "erase", "--document", nobody, "--yes")
        assert (done.returncode, "no document" in done.stderr) == (1, True)

    def test_ctrl_c_ends_it_in_the_server_too(self, running: Site, tmp_path: Path) -> None:
        many = [{"id": f"d{n}", "text": f"El barco {n} llega al muelle {n}. " * 200} for n in range(3000)]
        ask = [{"id": str(n), "text": f"¿Adónde llega el barco {n}?", "relevant": [f"d{n}"]} for n in range(3000)]
        written(tmp_path / "largo", {"corpus.jsonl": many, "queries.jsonl": ask})
        command = [*MANAGE, "evaluate", str(tmp_path / "largo")]
        under_way = subprocess.Popen(command, env=running.environment, stderr=subprocess.DEVNULL)
        eventually(lambda: running.rows("select count(*) from corpora_corpus where name = 'largo'") == [(1,)], 30)
        under_way.send_signal(signal.SIGINT)
        assert under_way.wait(20) != 0
        eventually(lambda: "command evaluate was given up" in running.log(), 30)
        assert running.caller().call("GET", "/api/agents/").status == 200

    def test_after_a_kill_the_next_server_listens_again(self, running: Site) -> None:
        running.kill()
        assert "points looked at" in typed(running, "reconcile").stdout, "nobody runs: the command does it itself"
        running.start()
        assert "points looked at" in typed(running, "reconcile").stdout
        assert running.terminate() in (0, -signal.SIGTERM, 130)
        assert not (running.folder / address.NAME).exists()
        running.start()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[CommandServer]:
    made = CommandServer(tmp_path)
    made.start()
    yield made
    made.stop()


def answered(folder: Path, line: bytes) -> list[dict[str, Any]]:
    connection = address.connect_to_server(folder)
    assert connection is not None
    with connection, connection.makefile("rb") as lines:
        connection.sendall(line)
        return [json.loads(one) for one in lines]


def request(command: str, *arguments: str) -> bytes:
    return CommandRequest(command, arguments, Path("/"), (False, False)).line


@pytest.mark.parametrize("command", ["shell", "migrate", "changepassword", "apikey", "serve", "space", "../ask", ""])
def test_only_the_named_commands_are_carried_out(server: CommandServer, tmp_path: Path, command: str) -> None:
    (last,) = answered(tmp_path, request(command))
    assert last["exit"] == 2
    assert "ask, calibrate, erase, evaluate, reconcile" in last["error"]


def test_another_user_is_not_heard(server: CommandServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_server, "is_own_user", lambda _connection: False)
    connection = address.connect_to_server(tmp_path)
    assert connection is not None
    with connection:
        assert connection.recv(1) == b""


def test_nonsense_gets_no_answer(server: CommandServer, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert answered(tmp_path, b"secret nonsense\n") == []
    assert "secret" not in caplog.text


def test_an_error_is_told_by_its_kind_and_logged_without_its_words(
    server: CommandServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ValueError("the words of a document")

    monkeypatch.setattr(reconcile.Command, "execute", fail)
    (last,) = answered(tmp_path, request("reconcile"))
    assert (last["exit"], "ValueError" in last["error"]) == (1, True)
    assert "the words" not in caplog.text + json.dumps(last)


def test_what_a_command_writes_comes_as_it_wrote_it(
    server: CommandServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell(self: BaseCommand, *_: Any, **__: Any) -> None:
        self.stdout.write("La tasa ", ending="")
        self.stdout.write("es de un euro.")

    monkeypatch.setattr(reconcile.Command, "requires_migrations_checks", False)  # which would ask the database
    monkeypatch.setattr(reconcile.Command, "handle", tell)
    *told, last = answered(tmp_path, request("reconcile"))
    assert ("".join(one["out"] for one in told), last) == ("La tasa es de un euro.\n", {"exit": 0})


def test_a_few_are_carried_out_at_once(server: CommandServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, go_on = threading.Semaphore(0), threading.Event()

    def wait(*_: Any, **__: Any) -> None:
        inside.release()
        go_on.wait(10)

    monkeypatch.setattr(reconcile.Command, "execute", wait)
    waiting = [threading.Thread(target=answered, args=(tmp_path, request("reconcile"))) for _ in range(4)]
    for one in waiting:
        one.start()
        assert inside.acquire(timeout=5)
    (last,) = answered(tmp_path, request("reconcile"))
    go_on.set()
    for one in waiting:
        one.join(10)
    assert (last["exit"], "already" in last["error"]) == (1, True)


def test_who_hangs_up_stops_what_is_under_way(
    server: CommandServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    begun = threading.Event()

    def endless(*_: Any, **__: Any) -> None:
        begun.set()
        while True:
            stop_if_hung_up()

    monkeypatch.setattr(reconcile.Command, "execute", endless)
    connection = address.connect_to_server(tmp_path)
    assert connection is not None
    connection.sendall(request("reconcile"))
    assert begun.wait(5)
    connection.close()
    eventually(lambda: "command reconcile was given up" in caplog.text, 5)


def test_a_wait_on_the_network_is_cancelled_when_the_line_is_cut() -> None:
    import asyncio

    line = CommandLine()

    async def wait() -> None:
        threading.Timer(0.05, line.cut).start()
        await asyncio.sleep(30)

    with on_line(line), pytest.raises(HungUp):
        run_while_connected(wait())


def test_without_a_server_that_listens_the_command_says_what_can_be_done(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("retrieval.management.base.is_index_owned_elsewhere", lambda: True)
    command = reconcile.Command()
    command.typed = ()
    with pytest.raises(CommandError, match="takes no commands"):
        command.handle()


def test_a_server_that_cannot_listen_serves_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_folder: Path) -> socket.socket:
        raise OSError(os.strerror(1))

    monkeypatch.setattr(relay_server, "listen_for_commands", refuse)
    made = CommandServer(tmp_path)
    made.start()
    made.stop()
    assert "commands need this server stopped" in caplog.text
