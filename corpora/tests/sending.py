"""Sending a file as a client does, and what a refusal looks like."""

from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from corpora.models import Corpus

TEXT = b"Water boils at 100 degrees."


def send(
    client: Client,
    corpus: Corpus,
    content: bytes = TEXT,
    name: str = "water.txt",
    forged: dict[str, str] | None = None,
    **fields: Any,
) -> Any:
    """`fields` and `forged` are further fields of the form."""
    form = {"file": SimpleUploadedFile(name, content), **fields, **(forged or {})}
    return client.post(f"/api/corpora/{corpus.pk}/documents/", form)


def kept_files(settings: Any) -> list[Path]:
    return [path for path in (settings.DATA_DIR / "files").rglob("*") if path.is_file()]


def problem(answer: Any) -> tuple[int, str]:
    """Status and code of a problem, after a look at its other members (RFC 9457)."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    assert body["type"] == f"urn:acervo:problem:{body['code']}"
    assert body["title"]
    assert body["detail"]
    return answer.status_code, body["code"]
