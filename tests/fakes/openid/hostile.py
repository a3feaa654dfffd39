"""A provider that says what a test wants, at the wire: any metadata, any key set, any token, any answer at all."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

Answer = Callable[[BaseHTTPRequestHandler], None]


class HostileProvider:
    """Honest until something is changed. `claims` go into the next token, `head` into its header; `answers` by path
    replace an answer as a whole."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.client_id, self.secret = "acervo", "hush"
        self.key, self.other = _KEY, _OTHER
        self.signs_with: Any = self.key
        self.algorithm: str | None = "RS256"
        self.claims: dict[str, Any] = {}
        self.head: dict[str, Any] = {"kid": "one"}
        self.metadata: dict[str, Any] = {}
        self.keys: list[dict[str, Any]] = [public(self.key, "one")]
        self.userinfo: dict[str, Any] = {}
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.forms: list[str] = []

    def told_metadata(self) -> dict[str, Any]:
        paths = {"authorization_endpoint": "/auth", "token_endpoint": "/token", "jwks_uri": "/jwks"}
        return {"issuer": self.issuer, **{n: self.issuer + p for n, p in paths.items()}, **self.metadata}

    def told_token(self) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": self.client_id, "iat": now, "exp": now + 300, **self.claims}
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, self.signs_with, self.algorithm, self.head)


def public(key: rsa.RSAPrivateKey, kid: str, **more: Any) -> dict[str, Any]:
    told = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return {**told, "kid": kid, "alg": "RS256", "use": "sig", **more}


_KEY, _OTHER = (rsa.generate_private_key(65537, 2048) for _each in range(2))


def send_json(handler: BaseHTTPRequestHandler, told: Any, status: int = 200) -> None:
    send(handler, json.dumps(told).encode(), status)


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def hostile_provider() -> Iterator[HostileProvider]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_arguments: Any) -> None:
            pass

        def answer(self) -> None:
            path = self.path.partition("?")[0]
            provider.asked.append(path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            provider.forms.append(body.decode())
            try:
                if path in provider.answers:
                    provider.answers[path](self)
                elif path == "/token":
                    told = {"access_token": "a", "token_type": "Bearer", "id_token": provider.told_token()}
                    send_json(self, told)
                elif path == "/jwks":
                    send_json(self, {"keys": provider.keys})
                elif path == "/userinfo":
                    send_json(self, provider.userinfo)
                else:
                    send_json(self, provider.told_metadata())
            except OSError:
                pass  # who asks has had enough

        do_GET = do_POST = answer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider = HostileProvider(server.server_port)
    Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
