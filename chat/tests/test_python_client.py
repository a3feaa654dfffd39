"""The client package of clients/python, against a server: the three calls, what is refused, what is tried again."""

import importlib.util
import json
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, ClassVar

import pytest
from django.conf import settings
from django.core.management import call_command

from accounts import keys
from corpora.models import Document
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.live import LiveServer

PACKAGE = settings.BASE_DIR / "clients" / "python"
sys.path.insert(0, str(PACKAGE / "src"))

from acervo_client import Acervo, AcervoError, AnswerFailed, IngestionFailed  # noqa: E402

library_of_tests = pytest.mark.django_db(transaction=True)


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def acervo(server: LiveServer, library: Library) -> Iterator[Acervo]:
    with acervo_of(server, keys.issue_key(library.alicia)[1]) as client:
        yield client


def acervo_of(server: LiveServer, key: str) -> Acervo:
    return Acervo(f"http://127.0.0.1:{server.port}/", key, timeout=30)


@library_of_tests
def test_an_agent_answers_and_the_conversation_goes_on(acervo: Acervo) -> None:
    answer = acervo.ask("writer", ABOUT_LOANS)
    assert "veintiún días" in answer["content"]
    assert answer["citations"][0]["text"]
    again = acervo.ask("writer", "¿Y cuánto dura?", conversation=answer["conversation"])
    assert again["conversation"] == answer["conversation"]


@library_of_tests
def test_an_answer_is_streamed(acervo: Acervo) -> None:
    events = list(acervo.stream("writer", ABOUT_LOANS))
    assert events[0].name in ("status", "sources")
    assert events[-1].name == "done"
    assert "veintiún días" in "".join(one.data["token"] for one in events if one.name == "token")
    assert [one.id for one in events] == sorted({one.id for one in events})


@library_of_tests
def test_an_answer_that_breaks_off_says_what_had_come(acervo: Acervo, chat_model: ModelServer) -> None:
    chat_model.script(text="uno dos tres cuatro", pace=0.01, reset_after=2)
    with pytest.raises(AnswerFailed) as failed:
        list(acervo.stream("writer", ABOUT_LOANS))
    assert failed.value.code.startswith("model_")
    assert failed.value.said.startswith("uno")


@library_of_tests
def test_passages_are_found(acervo: Acervo) -> None:
    found = acervo.retrieve("writer", ABOUT_LOANS, top_k=1)
    assert [one["title"] for one in found["chunks"]] == ["Préstamos"]


@library_of_tests
def test_a_document_is_uploaded_once(acervo: Acervo, library: Library, tmp_path: Path) -> None:
    (tmp_path / "sirena.md").write_text("# Sirena\n\nLa sirena suena a las nueve.\n")
    document = acervo.upload(str(library.notes.pk), tmp_path / "sirena.md", title="La sirena")
    assert (document["status"], document["title"]) == ("pending", "La sirena")
    assert acervo.document(document["id"])["id"] == document["id"]
    (tmp_path / "faro.md").write_text("# Faro\n\nEl faro se apaga a las siete.\n")
    with pytest.raises(TimeoutError, match="goes on by itself"):  # no worker runs here
        acervo.upload(str(library.notes.pk), tmp_path / "faro.md", wait=0.1)


@library_of_tests
def test_what_is_refused_says_why(acervo: Acervo, server: LiveServer) -> None:
    unknown = acervo_of(server, "wrong")
    for call, code in (
        (lambda: acervo.ask("nobody", "?"), "not_found"),
        (lambda: list(acervo.stream("nobody", "?")), "not_found"),
        (lambda: acervo.retrieve("writer", "a", top_k=5000), "invalid_input"),
        (lambda: unknown.retrieve("writer", "a"), "not_authenticated"),
    ):
        with pytest.raises(AcervoError) as refused:
            call()
        assert (refused.value.code, bool(refused.value.detail)) == (code, True)
    unknown.close()


class Stubborn(BaseHTTPRequestHandler):
    """Busy twice, then there; and a document that cannot be read."""

    heard: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.heard.append(str(self.headers["Idempotency-Key"]))
        self.rfile.read(int(self.headers["Content-Length"]))
        is_busy = len(self.heard) < 3
        body = json.dumps(
            {"code": "busy"} if is_busy else {"status": "failed", "error": {"code": "encrypted_document"}}
        )
        self.send_response(503 if is_busy else 202)
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        """Nothing to the terminal."""


def test_what_is_busy_is_asked_again_with_the_same_key_and_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stubborn)
    Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "note.md").write_text("Note.")
    try:
        began = time.monotonic()
        with (
            Acervo(f"http://127.0.0.1:{server.server_port}", "key") as client,
            pytest.raises(IngestionFailed, match="encrypted_document"),
        ):
            client.upload("corpus", tmp_path / "note.md")
        assert time.monotonic() - began < 5
    finally:
        server.shutdown()
        server.server_close()
    assert len(Stubborn.heard) == 3
    assert len(set(Stubborn.heard)) == 1


def test_the_types_are_those_of_the_schema() -> None:
    """When it fails: manage.py spectacular --format openapi-json | python clients/python/generate.py"""
    generate, schema = loaded(PACKAGE / "generate.py"), StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=schema)
    made = generate.written(json.loads(schema.getvalue())["components"]["schemas"])
    assert made == generate.PLACE.read_text(encoding="utf-8")


@library_of_tests
def test_it_is_a_retriever_of_langchain_s(acervo: Acervo) -> None:
    retriever = loaded(PACKAGE / "examples" / "langchain_retriever.py").AcervoRetriever(acervo=acervo, agent="writer")
    found = retriever.invoke(ABOUT_LOANS)
    assert found[0].metadata["title"] == "Préstamos"
    assert Document.objects.filter(chunks=found[0].id).exists()
