"""Where a load test keeps what it made, and the settings under which the product finds it there.

One folder: `data/` is the product's DATA_DIR (the index is in it), `filled.json` says how far the index is filled.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.load.synthetic import Library

MODEL, DIMENSIONS = "text-embedding-3-small", 1536
# Each engine with the variable that names its server.
ENGINES = {"edge": "", "server": "QDRANT_URL", "pgvector": "PGVECTOR_URL"}


@dataclass(frozen=True, slots=True)
class Place:
    """`folder` is made; two sizes or two engines never share one."""

    folder: Path
    engine: str
    chunks: int
    organizations: int

    @property
    def library(self) -> Library:
        """As it is meant to be."""
        return Library(self.chunks, self.organizations, DIMENSIONS)

    @property
    def filled(self) -> Library:
        """As far as it is in the index."""
        return Library(self.chunks, self.organizations, DIMENSIONS, blocks=int(self.state.get("blocks", 0)))

    @property
    def url(self) -> str:
        """Of the engine's server; empty for Edge. SystemExit where the environment does not name it."""
        if not (name := ENGINES[self.engine]):
            return ""
        if not os.environ.get(name):
            raise SystemExit(f"{self.engine} wants {name}")
        return os.environ[name]

    @property
    def settings(self) -> dict[str, str]:
        """The environment of the product here, beside DATABASE_URL."""
        engines = {name: self.url if name == ENGINES[self.engine] else "" for name in ENGINES.values() if name}
        return {
            **engines,
            "DATA_DIR": str(self.folder / "data"),
            "EMBEDDING_MODEL": MODEL,
            "EMBEDDING_DIMENSIONS": str(DIMENSIONS),
            "OPENAI_API_KEY": "load",
            "OPENAI_BASE_URL": os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
            "LOG_LEVEL": "WARNING",
        }

    @property
    def arguments(self) -> list[str]:
        """What another process of the load test is told."""
        of_size = ["--chunks", str(self.chunks), "--organizations", str(self.organizations)]
        return ["--folder", str(self.folder), "--engine", self.engine, *of_size]

    def begin(self) -> None:
        """Put the settings into this process's environment and set Django up. SystemExit: another library is here."""
        (self.folder / "data").mkdir(parents=True, exist_ok=True)
        told = {"engine": self.engine, "chunks": self.chunks, "organizations": self.organizations}
        if (before := self.state.get("library", told)) != told:
            raise SystemExit(f"{self.folder} holds {before}, not {told}")
        self.remember(library=told)
        os.environ |= {**self.settings, "DJANGO_SETTINGS_MODULE": "config.settings"}
        import django

        django.setup()

    @property
    def state(self) -> dict[str, Any]:
        path = self.folder / "filled.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def remember(self, **changed: Any) -> None:
        """In one step, so that a killed process leaves the old or the new."""
        path = self.folder / "filled.json"
        draft = path.with_suffix(".part")
        draft.write_text(json.dumps({**self.state, **changed}, indent=1))
        draft.replace(path)
