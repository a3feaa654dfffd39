"""The fake model server as a pytest fixture: one process per test session, forgotten between tests."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]


class ModelServer:
    """Addresses for OPENAI_BASE_URL and ANTHROPIC_BASE_URL, and the server's remote control."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.openai_url = f"{self.url}/v1"
        self.anthropic_url = self.url

    def script(self, **behaviour: Any) -> None:
        """Put a `Behaviour` in force, above those scripted before."""
        self._call("/script", behaviour)

    def reset(self) -> None:
        self._call("/reset", {})

    def stats(self) -> dict[str, int]:
        return self._call("/stats")

    def requests(self) -> list[dict[str, Any]]:
        """The last 200: `path`, `headers`, `body`."""
        return self._call("/requests")

    async def wait_for(self, name: str, value: int, seconds: float = 1.0) -> float:
        """Seconds until the counter has this value; fails after `seconds`. Meanwhile the loop runs on."""
        start = time.monotonic()
        while (count := (await asyncio.to_thread(self.stats))[name]) != value:
            assert time.monotonic() - start < seconds, f"{name} is {count}, not {value}, after {seconds} s"
            await asyncio.sleep(0.01)
        return time.monotonic() - start

    def _call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        encoded = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.url + path, encoded, {"Content-Type": "application/json"}), timeout=5) as answer:
            return json.load(answer)


@contextmanager
def running_model_server() -> Iterator[ModelServer]:
    """A process of its own: what it counts is what really crossed a socket."""
    command = [sys.executable, "-m", "tests.fakes.model_server", "--port", "0"]
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment, text=True) as process:
        assert process.stdout is not None
        try:
            yield ModelServer(int(process.stdout.readline()))
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def model_server_process() -> Iterator[ModelServer]:
    """Started once."""
    with running_model_server() as server:
        yield server


@pytest.fixture
def model_server(model_server_process: ModelServer) -> Iterator[ModelServer]:
    """The server, with no script and all counters at 0; no script is left to the test after."""
    model_server_process.reset()
    yield model_server_process
    model_server_process.reset()
