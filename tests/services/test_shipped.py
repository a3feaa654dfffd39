"""What is shipped runs: web, worker and beat with nothing installed but requirements.txt.

The tests' own environment has more in it, and what it has hid that a worker could not speak to Redis.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.fixtures import ModelServer
from tests.services.installation import (
    MEMBER,
    Background,
    Installation,
    Services,
    Web,
    indexed,
    new_corpus,
    real_parts,
    uploaded,
)
from tests.services.servers import ROOT, wait_until

AGENT = "investigador-tecnico"
FERRY = b"# El transbordador\n\nEl transbordador a Isla Baja sale del muelle seis a las siete y cuarto.\n"
QUESTION = "¿De qué muelle sale el transbordador a Isla Baja?"
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(ROOT / "requirements.txt"))


@pytest.fixture(scope="module")
def shipped_python(folder: Path) -> str:
    """SHIPPED_PYTHON, or the interpreter of an environment made here, as the Dockerfile makes its own."""
    if given := os.environ.get("SHIPPED_PYTHON"):
        return given
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run([python, *PIP], check=True)
    return python


@pytest.fixture(scope="module")
def installation(services: Services, shipped_python: str, model_server_process: ModelServer) -> Iterator[Installation]:
    model_server_process.reset()
    parts = real_parts(services, model_server_process).values()
    settings = {name: value for part in parts for name, value in part.items()}
    made = Installation(services, settings, python=shipped_python)
    yield made
    made.stop()


def test_the_environment_has_no_development_tools_in_it(shipped_python: str) -> None:
    looked_for = "import importlib.util as u; print(u.find_spec('pytest'))"
    found = subprocess.run([shipped_python, "-c", looked_for], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "None"


def test_a_document_is_taken_in_indexed_found_cited_and_erased(
    installation: Installation, web: Web, worker: Background, beat: Background
) -> None:
    admin = installation.caller(web)
    ready = admin.call("GET", "/readyz")
    assert set(ready.body["dependencies"].values()) == {"ok"}
    document = uploaded(admin, new_corpus(admin, AGENT), "transbordador.md", FERRY)
    assert indexed(admin, document)["chunk_count"] >= 1
    found = admin.call("POST", f"/api/agents/{AGENT}/retrieve/", {"query": QUESTION})
    assert document in {one["document"] for one in found.body["chunks"]}
    events = installation.caller(web, MEMBER).answers(AGENT, QUESTION)
    assert (events[-1].name, events[-1].data["cited"]) == ("done", [1])
    assert admin.call("DELETE", f"/api/documents/{document}/?erase=now").status == 204
    receipt = "SELECT count(*) FROM corpora_erasurereceipt WHERE subject_id = %s"
    wait_until(lambda: installation.query(receipt, document) == [(1,)], 30, "the erasure has its receipt")
    assert "beat: Starting" in beat.tail(200)
