"""npm's samlp as a process, and the little of a browser that its pages need."""

import html
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import build_opener

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.e2e.server import free_port
from tests.fakes.saml.signer import PERSISTENT, keys

SCRIPT = Path(__file__).with_name("provider.mjs")
START_SECONDS = 20.0


class RealProvider:
    """`people` by the name they type there; a change of it counts from their next sign-in on. `options` are samlp's."""

    def __init__(self, folder: Path, consumer: str, port: int, host: str) -> None:
        self.port, self.url, self.consumer = port, f"http://{host}:{port}", consumer
        self.issuer, self.sso_url = f"urn:acervo:{port}", f"{self.url}/sso"
        self.keys = keys("samlp")
        self.file, self.people, self.options = folder / "told.json", {}, {}
        self.tell()

    def tell(self, options: dict[str, Any] | None = None, **people: dict[str, Any]) -> None:
        """`people`: attributes by name, with `id` and `format` of the NameID."""
        self.people: dict[str, Any] = {**self.people, **{name: _person(name, said) for name, said in people.items()}}
        self.options: dict[str, Any] = self.options if options is None else options
        key = self.keys.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        told = {
            "issuer": self.issuer, "port": self.port, "key": key, "cert": self.keys.certificate,
            "consumer": self.consumer, "people": self.people, "options": self.options,
        }  # fmt: skip
        self.file.write_text(json.dumps(told), encoding="utf-8")

    def metadata(self) -> str:
        return _page(f"{self.url}/metadata")

    def signed_in(self, url: str, name: str) -> dict[str, str]:
        """The form that the browser is made to post that was sent to `url` and signed in as `name`."""
        page = _page(f"{url}&login={name}")
        found = re.findall(r'name="(SAMLResponse|RelayState)"\s+value="([^"]*)"', page)
        return {field: html.unescape(value) for field, value in found}


def _person(name: str, said: dict[str, Any]) -> dict[str, Any]:
    attributes = {field: value for field, value in said.items() if field not in ("id", "format")}
    return {"id": said.get("id", f"id-of-{name}"), "format": said.get("format", PERSISTENT), "attributes": attributes}


def _page(url: str) -> str:
    with build_opener().open(url, timeout=10) as answer:
        page: str = answer.read().decode()
    return page


def packages() -> str:
    """SAML_PROVIDER: a folder with npm's samlp and express in its node_modules, as CI installs them."""
    folder = os.environ.get("SAML_PROVIDER", "")
    if not folder or shutil.which("node") is None:
        pytest.skip("SAML_PROVIDER names no folder with npm's samlp, or node is not installed")
    return folder


@contextmanager
def running_provider(consumer: str, port: int = 0, host: str = "127.0.0.1") -> Iterator[RealProvider]:
    """Without a port: on a free one. `host`: what it calls itself; it listens on loopback."""
    modules = Path(packages()) / "node_modules"
    with TemporaryDirectory(prefix="acervo-saml-") as name:
        folder = Path(name)
        (folder / "node_modules").symlink_to(modules.resolve())
        shutil.copy(SCRIPT, folder / SCRIPT.name)
        provider = RealProvider(folder, consumer, port or free_port(), host)
        command = ["node", "--preserve-symlinks", "--no-deprecation", SCRIPT.name, str(provider.file)]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(provider, process)
            yield provider
        finally:
            process.terminate()
            process.wait(10)


def _wait_for(provider: RealProvider, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, "the provider ended at once"
        try:
            provider.metadata()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the provider does not answer")
