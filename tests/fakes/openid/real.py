"""npm's oidc-provider as a process, and the little of a browser that its forms need."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

import pytest

from tests.e2e.server import free_port

SCRIPT = Path(__file__).with_name("provider.mjs")
START_SECONDS = 20.0
SECRET = "the-client-secret-of-the-tests"


class RealProvider:
    """`people` by the name they type there; a change of it counts from their next sign-in on."""

    def __init__(self, folder: Path, redirect_uris: list[str], port: int) -> None:
        self.port = port
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.client_id, self.secret = "acervo", SECRET
        self.file, self.people = folder / "told.json", {}
        self.redirect_uris = redirect_uris
        self.tell()

    def tell(self, **people: dict[str, Any]) -> None:
        self.people: dict[str, dict[str, Any]] = {**self.people, **people}
        client = {"client_id": self.client_id, "client_secret": self.secret, "redirect_uris": self.redirect_uris}
        told = {"issuer": self.issuer, "port": self.port, "clients": [client], "people": self.people}
        self.file.write_text(json.dumps(told), encoding="utf-8")

    def signed_in(self, url: str, name: str) -> dict[str, str]:
        """What the browser comes back with that was sent to `url` and signed in as `name`."""
        opener = build_opener(HTTPCookieProcessor(CookieJar()), _Stays())
        for _step in range(12):
            status, where, page = _get(opener, url)
            if status == 200:
                prompt = re.search(r'name="prompt" value="(\w+)"', page)
                assert prompt, page[:400]
                form = {"prompt": prompt[1], "login": name, "password": "any"}
                action = re.search(r'action="([^"]+)"', page)
                assert action, page[:400]
                status, where, page = _get(opener, urljoin(url, action[1]), urlencode(form).encode())
            url = urljoin(url, where)
            if not url.startswith(self.issuer):
                return dict(parse_qsl(urlsplit(url).query))
        raise AssertionError(f"no way back from {url}")


class _Stays(HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        return None


def _get(opener: Any, url: str, body: bytes | None = None) -> tuple[int, str, str]:
    try:
        with opener.open(Request(url, body), timeout=10) as answer:
            return answer.status, answer.headers.get("Location", ""), answer.read().decode()
    except HTTPError as answer:
        with answer:
            return answer.code, answer.headers.get("Location", ""), answer.read().decode()


def packages() -> str:
    """OIDC_PROVIDER: a folder with npm's oidc-provider in its node_modules, as CI installs it."""
    folder = os.environ.get("OIDC_PROVIDER", "")
    if not folder or shutil.which("node") is None:
        pytest.skip("OIDC_PROVIDER names no folder with npm's oidc-provider, or node is not installed")
    return folder


@contextmanager
def running_provider(redirect_uris: list[str], port: int = 0) -> Iterator[RealProvider]:
    """Without a port: on a free one."""
    modules = Path(packages()) / "node_modules"
    with TemporaryDirectory(prefix="acervo-oidc-") as name:
        folder = Path(name)
        (folder / "node_modules").symlink_to(modules.resolve())
        shutil.copy(SCRIPT, folder / SCRIPT.name)
        provider = RealProvider(folder, redirect_uris, port or free_port())
        command = ["node", "--preserve-symlinks", SCRIPT.name, str(provider.file)]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(provider.issuer, process)
            yield provider
        finally:
            process.terminate()
            process.wait(10)


def _wait_for(issuer: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, "the provider ended at once"
        try:
            build_opener().open(f"{issuer}/.well-known/openid-configuration", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the provider does not answer")
