"""The change of the embedding space on an index server, which several processes share (ADR 0010)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from corpora import removal
from corpora.models import Chunk, ErasureReceipt
from retrieval.index import drop_index
from retrieval.index.base import IndexUnavailable
from retrieval.models import SpaceState
from retrieval.spaces import opened, registry
from retrieval.spaces.registry import KEPT, SETTLING
from retrieval.tests.spaces import model, name_model, restart
from tests.fakes.fixtures import ModelServer
from workers.jobs import erase
from workers.upkeep.space_change import advance

__all__ = ["model"]
pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def index_server(tmp_path: Path, settings: Any) -> Iterator[None]:
    """The stand-in of tests/fakes: Qdrant's protocol before Qdrant's engine."""
    command = [sys.executable, "-m", "tests.fakes.index_server", "--folder", str(tmp_path), "--port", "0"]
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment, text=True) as process:
        assert process.stdout is not None
        settings.QDRANT_URL = f"http://127.0.0.1:{int(process.stdout.readline())}"
        restart()
        yield
        restart()
        process.terminate()


def test_a_change_an_erasure_and_a_removal_on_a_server(model: ModelServer, library: Any, settings: Any) -> None:
    lexical = registry.active_space()
    name_model(settings, dimensions=64)
    advance()
    assert dict(SpaceState.objects.values_list("model", "state"))[settings.EMBEDDING_MODEL] == "active"
    document = library.loans.documents.get()
    chunks = document.chunks.count()
    removal.remove_document(document, library.admin, at_once=True)
    assert erase.erase(document.pk) is True
    assert ErasureReceipt.objects.get().removed["points"] == 2 * chunks
    assert opened.current_index().count() == Chunk.objects.served().count() > 0
    index = opened.index_of(lexical)
    advance(timezone.now() + KEPT + SETTLING)
    assert [one.model for one in registry.spaces(fresh=True)] == [settings.EMBEDDING_MODEL]
    with pytest.raises(IndexUnavailable):
        index.count()
    drop_index(lexical.collection)
