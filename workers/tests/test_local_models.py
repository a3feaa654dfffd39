"""Models on this machine, in a process of their own."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.embeddings.local_server import NotServed, handler_of
from retrieval.embeddings.openai import OpenAIProvider
from retrieval.ranking.rerank.base import RerankUnavailable
from retrieval.ranking.rerank.http import HttpReranker
from retrieval.spaces.builtin import space_for
from tests.e2e.server import ROOT, free_port
from tests.live import Caller, eventually
from workers import checks
from workers.management import local_models
from workers.management.local_models import ModelProcess

PYTHON = os.environ.get("LOCAL_MODELS_PYTHON", sys.executable)
DIMENSIONS = 8


class Lengths:
    """Models that are a text's length: what is tested is how they are served."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [np.full(DIMENSIONS, len(text) or 1, dtype="<f4").tobytes() for text in texts]

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        if question == "none":
            raise NotServed
        return [float(len(passage)) for passage in passages]


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler_of(Lengths())) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def provider_at(port: int) -> OpenAIProvider:
    return OpenAIProvider(space_for("tiny", DIMENSIONS), "", f"http://127.0.0.1:{port}/v1")


def test_it_is_a_model_server_like_any_other(port: int) -> None:
    assert provider_at(port).embed_documents(["marea", "faro"]).shape == (2, DIMENSIONS)
    assert provider_at(port).embed_queries(["¿Cuándo?"]).shape == (1, DIMENSIONS)


async def test_it_re_ranks(port: int) -> None:
    reranker = HttpReranker(f"http://127.0.0.1:{port}/rerank")
    low, high = await reranker.rerank("marea", ["a", "aaaa"])
    assert low < high
    with pytest.raises(RerankUnavailable):
        await reranker.rerank("none", ["a"])


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/elsewhere", {"input": ["a"]}, 404), ("/v1/embeddings", [], 400), ("/v1/embeddings", {"input": [1]}, 400),
        ("/v1/embeddings", {}, 400), ("/rerank", {"query": "a", "documents": "b"}, 400),
    ],
)  # fmt: skip
def test_what_it_does_not_serve_is_refused(port: int, path: str, body: Any, status: int) -> None:
    assert Caller(port).call("POST", path, body).status == status


def test_its_process_gets_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "kept")
    monkeypatch.setenv("OPENAI_API_KEY", "kept")
    monkeypatch.setenv("HF_HOME", "/models")
    passed = local_models.passed_environment()
    assert passed["HF_HOME"] == "/models"
    assert "kept" not in passed.values()


def test_it_is_started_again_when_it_dies_and_ends_with_the_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(local_models, "RESTART_SECONDS", 0.01)
    monkeypatch.setattr(local_models, "model_command", lambda: [sys.executable, "-c", "raise SystemExit(3)"])
    models = ModelProcess()
    models.start()
    eventually(lambda: caplog.text.count("ended with 3") >= 2, 10)
    models.stop()
    told = caplog.text.count("ended with 3")
    assert not models._thread.is_alive()
    assert caplog.text.count("ended with 3") == told


def test_the_web_process_never_loads_it() -> None:
    loaded = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'; import config.asgi, config.urls; "
        "print({'fastembed', 'onnxruntime', 'retrieval.embeddings.local_server'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_fastembed_a_check_says_how_to_get_it(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "find_spec", lambda _name: None)
    assert checks.local_models_are_installed(None) == []
    for said in ("fastembed", "fasttext"):
        settings.LOCAL_MODELS = said
        assert [one.id for one in checks.local_models_are_installed(None)] == ["acervo.E011"]


def has_what_it_needs() -> bool:
    found = "import importlib.util as u, sys; sys.exit(not (u.find_spec('fastembed') and u.find_spec('onnx')))"
    return subprocess.run([PYTHON, "-c", found], check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not has_what_it_needs(), reason="fastembed and onnx are not installed: requirements-local.txt")
def test_a_model_of_ones_own_embeds_in_its_process(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([PYTHON, str(ROOT / "tests" / "tiny_model.py"), str(tmp_path / "tiny")], check=True)
    settings.LOCAL_MODELS_PORT, settings.LOCAL_RERANKER = free_port(), ""
    settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = str(tmp_path / "tiny"), DIMENSIONS
    monkeypatch.setattr(sys, "executable", PYTHON)
    models = ModelProcess()
    models.start()
    try:
        eventually(lambda: answers(settings.LOCAL_MODELS_PORT), 60)
        provider = provider_at(settings.LOCAL_MODELS_PORT)
        tide, lamp = provider.embed_documents(["marea puerto", "faro"])
        (asked,) = provider.embed_queries(["marea"])
        assert asked @ tide > 0.6 > asked @ lamp
    finally:
        models.stop()


def answers(port: int) -> bool:
    try:
        return Caller(port).call("GET", "/healthz").status == 200
    except OSError:
        return False
