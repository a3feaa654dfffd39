"""The issue's walk through the API alone: upload, assign, ask, cite; and what each of the others may not see."""

import json
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.e2e.server import Installation, served

NOTES = (
    "# Diario de a bordo\n\nLa goleta Estrella Polar zarpó de Santander el 4 de marzo de 1911 con once tripulantes.\n"
)
QUESTION = "¿Cuándo zarpó la goleta Estrella Polar de Santander?"


@pytest.fixture(scope="module")
def installation(folder_in_memory: Path) -> Any:
    with served(Path(mkdtemp(dir=folder_in_memory))) as running:
        yield running


def answer_of(installation: Installation, person: str, agent: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a streamed answer, as `curl -N` would print them."""
    body = json.dumps({"messages": [{"role": "user", "content": QUESTION}]}).encode()
    headers = {"Authorization": f"Bearer {installation.people[person].api_key}", "Content-Type": "application/json"}
    with urlopen(Request(f"{installation.url}/api/agents/{agent}/chat/", body, headers), timeout=20) as stream:
        lines = [line.decode().rstrip("\n") for line in stream]
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    return list(zip(names, (json.loads(line[6:]) for line in lines if line.startswith("data: ")), strict=True))


def test_a_file_is_uploaded_assigned_and_cited_and_nobody_else_reads_it(
    installation: Installation, tmp_path: Path
) -> None:
    corpus = installation.api("alicia", "POST", "/api/corpora/", {"name": "Diario"})["id"]
    document = installation.upload("alicia", corpus, "diario.md", NOTES.encode())
    deadline = time.monotonic() + 30
    while installation.api("alicia", "GET", f"/api/documents/{document['id']}/")["status"] != "indexed":
        assert time.monotonic() < deadline
        time.sleep(0.1)

    refused = installation.status_of("alicia", "POST", "/api/agents/investigador-tecnico/corpora/", {"corpus": corpus})
    assert refused == 409
    installation.api("alicia", "POST", "/api/agents/escritor-de-libros/corpora/", {"corpus": corpus})

    events = answer_of(installation, "alicia", "escritor-de-libros")
    names = [name for name, _ in events]
    assert names[0] == "sources"
    assert names[-1] == "done"
    assert set(names) <= {"sources", "status", "token", "done"}
    source = next(one for one in events[0][1]["sources"] if one["document"] == document["id"])
    assert source["corpus_type"] == "personal"
    assert source["n"] in events[-1][1]["cited"]
    assert "1911" in "".join(data["token"] for name, data in events if name == "token")

    for agent in ("investigador-tecnico", "tutor"):
        sources = answer_of(installation, "alicia", agent)[0][1]["sources"]
        assert document["id"] not in {one["document"] for one in sources}
    assert installation.status_of("bob", "GET", f"/api/documents/{document['id']}/") == 404
    assert installation.status_of("bob", "GET", f"/api/corpora/{corpus}/") == 404
    sources = answer_of(installation, "bob", "escritor-de-libros")[0][1]["sources"]
    assert document["id"] not in {one["document"] for one in sources}

    installation.api("admin", "PATCH", "/api/agents/escritor-de-libros/", {"allows_personal_corpus": False})
    sources = answer_of(installation, "alicia", "escritor-de-libros")[0][1]["sources"]
    assert {one["corpus_type"] for one in sources} <= {"global"}
    installation.api("admin", "PATCH", "/api/agents/escritor-de-libros/", {"allows_personal_corpus": True})
