"""XQuAD from the shared folder, for tests: skipped with a reason where the folder is not at hand."""

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    relevant: frozenset[str]


def passages(language: str) -> dict[str, str]:
    """Paragraph texts by id."""
    return {row["id"]: row["text"] for row in _rows(language, "corpus")}


def questions(language: str) -> list[Question]:
    return [Question(row["text"], frozenset(row["relevant"])) for row in _rows(language, "queries")]


@cache
def _rows(language: str, name: str) -> list[dict[str, Any]]:
    shared = Path(os.environ.get("ACERVO_SHARED", _REPOSITORY.parent / "shared"))
    path = shared / "eval" / f"xquad_{language}" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"XQuAD is not at hand (ACERVO_SHARED): {path.name} is missing")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
