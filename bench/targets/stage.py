"""What every measure works with: the model server, an empty installation and filled ones, and the book."""

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.acervo import Installation
from bench.processes import Server
from bench.results import Book
from bench.targets import documents
from bench.targets.systems import Library, Model, filled


@dataclass
class Stage:
    folder: Path
    model: Model
    empty: Installation
    book: Book
    quick: bool = False
    repeat: int = 0
    _libraries: dict[str, Library] = field(default_factory=dict)

    async def library(self) -> Library:
        """The one with the 121 files."""
        return await self.filled("library", lambda: documents.files("first"))

    async def filled(self, name: str, paths: Callable[[], list[Path]]) -> Library:
        """A library of that name, filled at the first call. Its installation is never served itself: copy it."""
        if name not in self._libraries:
            installation = self.empty.duplicate(self.folder / name)
            self._libraries[name] = await filled(installation, self.model, paths())
        return self._libraries[name]

    def questions(self, name: str, count: int) -> list[str]:
        """Questions that nobody has asked before in this run."""
        return documents.questions(f"{name} {self.repeat}", count)


@asynccontextmanager
async def set_up(book: Book, *, quick: bool) -> AsyncIterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="acervo-bench-stage-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with Server(["-m", "bench.model_server"], folder / "model.log") as server:
            server.until_ready("/stats")
            model = Model(server)
            await model.at(embed_ms=0, embed_item_ms=0)
            empty = Installation.create(folder / "empty", server.url)
            yield Stage(folder, model, empty, book, quick)
