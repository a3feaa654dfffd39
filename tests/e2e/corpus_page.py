"""The page of a corpus as its owner uses it: made, filled, given to an agent."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.e2e.visits import Visits

INGESTED = 60_000  # ms for the slowest document


@dataclass(frozen=True, slots=True)
class CorpusPage:
    page: Page

    @classmethod
    def created(cls, page: Page, name: str) -> "CorpusPage":
        page.goto("/corpora/new/")
        page.get_by_label("nombre").fill(name)
        page.get_by_role("button", name="Crear y subir documentos").click()
        page.wait_for_url("**/corpora/*-*/")
        return cls(page)

    @property
    def rows(self) -> Locator:
        return self.page.locator("#documents tbody tr[id]")

    def row(self, text: str) -> Locator:
        return self.rows.filter(has_text=text)

    def upload(self, files: Mapping[str, str]) -> None:
        """Markdown files by name, through the file input; returns when they are indexed."""
        payload = [
            FilePayload(name=name, mimeType="text/markdown", buffer=text.encode()) for name, text in files.items()
        ]
        self.page.locator("#files").set_input_files(payload)
        self.wait_until_indexed(len(files))

    def wait_until_indexed(self, count: int) -> None:
        expect(self.page.locator("#documents tr[data-ready]")).to_have_count(count, timeout=INGESTED)

    def assign(self, agent: str) -> None:
        """Give the corpus to the agent and follow the link to ask it."""
        panel = self.page.locator("#assign-panel")
        panel.get_by_role("switch", name=agent).check()
        panel.get_by_role("link", name=agent).click()
        self.page.wait_for_url("**/agents/*/")


TYPES = {
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".md": "text/markdown",
}


def uploaded(visits: Visits, corpus: str, path: Path, who: str = "alicia") -> str:
    """The document's id, once it is indexed."""
    with visits.window(who) as page:
        file = {"name": path.name, "mimeType": TYPES[path.suffix], "buffer": path.read_bytes()}
        key = visits.installation.people[who].api_key
        answer = page.request.post(
            f"/api/corpora/{corpus}/documents/", multipart={"file": file}, headers={"Authorization": f"Bearer {key}"}
        )
        document: str = answer.json()["id"]
    until = time.monotonic() + 60
    while visits.installation.api(who, "GET", f"/api/documents/{document}/")["status"] != "indexed":
        assert time.monotonic() < until, "the document is not indexed"
        time.sleep(0.2)
    return document
