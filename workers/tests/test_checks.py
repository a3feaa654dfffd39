"""What the checks say of documents that an earlier version has read, and of folders that settings name."""

import os
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import call_command

from corpora.models import Document, DocumentName, Section
from tests.factories import DocumentFactory
from workers.checks import (
    documents_have_their_structure,
    one_place_for_the_index,
    the_watched_folder_can_be_read,
    tokens_are_counted_exactly,
)
from workers.ingestion.chunk import tokens

pytestmark = pytest.mark.django_db


def test_documents_of_an_earlier_version_are_counted_with_what_to_do() -> None:
    document = DocumentFactory.create()
    [warning] = documents_have_their_structure(None, databases=["default"])
    assert warning.msg.startswith("1 documents")
    assert "reindex" in str(warning.hint)
    assert documents_have_their_structure(None) == []
    DocumentName.objects.create(document=document, key=document.pk)
    assert documents_have_their_structure(None, databases=["default"]) == []


def test_what_waits_or_has_sections_is_not_counted() -> None:
    DocumentFactory.create(status=Document.Status.PENDING)
    document = DocumentFactory.create()
    Section.objects.create(document=document, version=1, index=0, level=1, title="Uno", start=0, end=3)
    assert documents_have_their_structure(None, databases=["default"]) == []


def test_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    DocumentFactory.create()
    call_command("check", tags=["database"], databases=["default"])
    assert "acervo.W011" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_a_folder_without_the_vocabulary_is_told_with_what_happens_and_what_to_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    for each in tokens.FOLDERS:
        monkeypatch.delenv(each, raising=False)
    assert tokens_are_counted_exactly(None) == []  # nobody asked for it
    monkeypatch.setenv(name, str(settings.DATA_DIR / "tiktoken"))
    assert tokens_are_counted_exactly(None) == []  # where it would lie, and need not

    def said(folder: Path) -> str:
        monkeypatch.setenv(name, str(folder))
        [warning] = tokens_are_counted_exactly(None)
        assert warning.id == "acervo.W017"
        assert warning.msg.startswith(f"{name} is {str(folder)!r}, which ")
        assert warning.msg.endswith("token counts are estimates (about 10 % off).")
        assert f"unset {name}" in str(warning.hint)
        return warning.msg

    assert "is no folder" in said(tmp_path / "nowhere")
    assert "has no vocabulary in it" in said(tmp_path)
    (tmp_path / "file").touch()
    assert "is no folder" in said(tmp_path / "file")
    tokens.vocabulary_file().parent.unlink()
    monkeypatch.setenv(name, str(tmp_path))
    tokens.vocabulary_file().write_bytes(b"half a download")
    assert "damaged" in said(tmp_path)
    refused = Mock(side_effect=PermissionError(13, "Permission denied"))
    monkeypatch.setattr(Path, "read_bytes", refused)
    assert "cannot be read: Permission denied" in said(tmp_path)


def test_an_empty_setting_sends_nobody_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """tiktoken keeps nothing then, and fetches its vocabulary anew."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", "")
    if not folder or tokens.vocabulary_fault():
        pytest.skip("tiktoken's vocabulary is not here")
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", folder)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert tokens_are_counted_exactly(None) == []
    counter = tokens._exact_counter()
    assert counter is not None
    assert os.environ["TIKTOKEN_CACHE_DIR"] == folder


def test_a_watched_folder_that_cannot_be_read_is_told(tmp_path: Path, settings: Any) -> None:
    settings.INGEST_ORGANIZATION, settings.INGEST_DIR = "", ""
    assert the_watched_folder_can_be_read(None) == []
    settings.INGEST_DIR = str(tmp_path)
    assert the_watched_folder_can_be_read(None) == []
    (tmp_path / "file").touch()
    for wrong, words in ((tmp_path / "no", "No such file"), (tmp_path / "file", "Not a directory")):
        settings.INGEST_DIR = str(wrong)
        [warning] = the_watched_folder_can_be_read(None)
        assert words in warning.msg
        assert repr(str(wrong)) in warning.msg
    settings.INGEST_ORGANIZATION, settings.INGEST_DIR = "casa", ""
    assert "no folder is watched" in the_watched_folder_can_be_read(None)[0].msg


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("postgresql://u:p@h:5432/db", True),
        ("postgresql://u:p@one:5432,two:5433/db?sslmode=require", True),
        ("postgresql://u:secret@h:99999/db", False),
        ("postgresql://u:secret@h:port/db", False),
        ("postgresql://", False),
    ],
)
def test_an_index_in_postgresql_has_a_database_that_there_can_be(said: str, is_one: bool, settings: Any) -> None:
    settings.PGVECTOR_URL, settings.QDRANT_URL = said, ""
    found = one_place_for_the_index(None)
    assert not found if is_one else "secret" not in found[0].msg
