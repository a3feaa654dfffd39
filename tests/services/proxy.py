"""nginx as it is shipped, before web processes of a test; and a client for it."""

import http.client
import json
import signal
import ssl
import subprocess
import time
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple

from tests.live import Caller
from tests.services.servers import ROOT, Server, free_port, program, wait_until

UNVERIFIED = ssl._create_unverified_context()  # the certificate is the test's own


class Refused(NamedTuple):
    status: int
    kind: str
    body: bytes


def upstream(web: tuple[int, ...]) -> str:
    servers = "".join(f"server 127.0.0.1:{port} max_fails=0; " for port in web)
    return f"upstream processes {{ {servers}}}"


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def is_serving(worker: str) -> bool:
    """Whether this worker of nginx's takes connections."""
    try:
        return "shutting down" not in Path(f"/proc/{worker}/cmdline").read_text()
    except OSError:
        return False


class Proxy(Server):
    """deploy/proxy.conf with its ports, its certificate and the application's address exchanged, and nothing else.

    `web`: the ports of the web processes.
    """

    def __init__(self, folder: Path, *web: int) -> None:
        super().__init__(folder, "proxy")
        self.binary = program("nginx", "/usr/sbin")
        files = ["-keyout", self.folder / "privkey.pem", "-out", self.folder / "fullchain.pem"]
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        subprocess.run([*made, *files], check=True, capture_output=True)
        shipped = (ROOT / "deploy" / "proxy.conf").read_text(encoding="utf-8")
        exchanged = {
            "/etc/nginx/tls": str(self.folder),
            "listen 443 ": f"listen 127.0.0.1:{self.port} ",
            "listen 80 ": f"listen 127.0.0.1:{free_port()} ",
            "default web:8000;": "default processes;",
            "http {\n": f"http {{\n    {upstream(web)}\n",
            "/var/log/nginx/access.log": str(self.folder / "access"),
            "/var/log/nginx/error.log": str(self.folder / "error"),
        }
        for old, new in exchanged.items():
            assert old in shipped, old
            shipped = shipped.replace(old, new)
        self.web = web
        self.configuration = self.folder / "nginx.conf"
        self.configuration.write_text(f"daemon off;\npid {self.folder}/pid;\n{shipped}")

    def command(self) -> list[str]:
        return [self.binary, "-c", str(self.configuration)]

    def withdraw(self, port: int) -> None:
        """Send nothing new to this web process: its address taken from the service, as an orchestrator does first."""
        left = tuple(one for one in self.web if one != port)
        self.configuration.write_text(self.configuration.read_text().replace(upstream(self.web), upstream(left)))
        self.web = left
        assert self.process is not None
        former = children(self.process.pid)
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: not any(map(is_serving, former)), 30, "the proxy has turned")

    def accesses(self) -> str:
        """Its access log."""
        return (self.folder / "access").read_text(errors="replace")

    def connection(self) -> HTTPSConnection:
        return HTTPSConnection("127.0.0.1", self.port, context=UNVERIFIED, timeout=30)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Refused:
        link = self.connection()
        try:
            link.request(method, path, body or None, headers)
            answer = link.getresponse()
            return Refused(answer.status, answer.headers.get_content_type(), answer.read())
        finally:
            link.close()


class TlsCaller(Caller):
    """Somebody's credentials, and the way through the proxy."""

    def _sent(
        self, method: str, path: str, body: Any, timeout: float, headers: dict[str, str]
    ) -> tuple[http.client.HTTPConnection, float]:
        connection = HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=UNVERIFIED)
        encoded = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(method, path, encoded, {"Content-Type": "application/json", **self.headers, **headers})
        return connection, time.monotonic()
