"""Facts from a JSON file: what `ingest` and the watched folder take beside documents (SPEC §3)."""

import json
from dataclasses import dataclass
from pathlib import Path

from corpora.uploads import facts
from corpora.uploads.inputs import FactSerializer
from workers.ingestion.declarations import reasons_of


@dataclass(frozen=True, slots=True)
class Fact:
    """One entry of a JSON list, complete."""

    text: str
    title: str
    key: str
    tags: list[str]
    source: str


def facts_in(path: Path) -> list[Fact]:
    """The entries of `[{"text": …, "title"?, "tags"?, "key"?, "source"?}, …]`. ValueError says what is wrong where."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(entries, list):
        raise ValueError('A JSON file must be a list of facts: [{"text": "…", "title": "…", "tags": ["…"]}, …].')
    return [fact_of(entry, number) for number, entry in enumerate(entries, start=1)]


def fact_of(entry: object, number: int) -> Fact:
    form = FactSerializer(data=entry)
    if not form.is_valid():
        wrong = "; ".join(f"{name}: {reasons_of(reasons)}" for name, reasons in form.errors.items())
        raise ValueError(f"entry {number}: {wrong}")
    said = form.validated_data
    title = said.get("title") or facts.first_line(said["text"])
    key = said.get("key") or title
    return Fact(said["text"], title, key, said.get("tags", []), said.get("source", ""))
