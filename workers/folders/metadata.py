"""What folders say of the files in them: an optional `acervo.toml` in any folder of a tree (SPEC §4, "Filters").

    unit = "Recursión"
    difficulty = "basico"
    tags = ["curso-2026"]

It holds for the folder and the folders below it, where a nearer one says nothing else. What the command line says holds
above all; the folder's name as unit (rag-for-teaching-agents §5.1), which is asked for, below all.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS
from workers.ingestion.declarations import Invalid, check_declared

FILENAME = "acervo.toml"
MAX_BYTES = 64 * 1024
FIELDS = frozenset((*METADATA_FIELDS, FREE_FIELD, "date", "source_date"))


class FolderMetadata:
    """One tree during one visit: every `acervo.toml` is read once. `problems`: reasons by relative path."""

    def __init__(self, root: Path, given: Mapping[str, Any], *, unit_from_folder: bool = False) -> None:
        self.root, self.given, self.unit_from_folder = root, dict(given), unit_from_folder
        self.problems: dict[str, str] = {}
        self._said: dict[Path, dict[str, Any]] = {}

    def of(self, path: Path) -> dict[str, Any]:
        """The document fields of a file in the tree, those without a value left out."""
        named = {"unit": path.parent.name[:100]} if self.unit_from_folder else {}
        return {**named, **self.said_by(path.parent), **self.given}

    def said_by(self, folder: Path) -> dict[str, Any]:
        """What the folder says, over what the folders above it say; up to the root."""
        if folder not in self._said:
            above = {} if folder == self.root else self.said_by(folder.parent)
            self._said[folder] = above | self.read(folder / FILENAME)
        return self._said[folder]

    def read(self, path: Path) -> dict[str, Any]:
        """An `acervo.toml`; one that cannot be understood says nothing and is noted."""
        if not path.is_file() or path.is_symlink():
            return {}
        try:
            return fields_of(path)
        except (OSError, ValueError) as error:
            self.problems[path.relative_to(self.root).as_posix()] = str(error)
            return {}


def fields_of(path: Path) -> dict[str, Any]:
    """Raises ValueError for what is no TOML, unknown keys and invalid values; OSError if it cannot be read."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise Invalid(f"larger than {MAX_BYTES // 1024} KB")
    said = tomllib.loads(content.decode("utf-8"))
    if unknown := said.keys() - FIELDS:
        raise Invalid(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(sorted(FIELDS))}")
    return check_declared(said)
