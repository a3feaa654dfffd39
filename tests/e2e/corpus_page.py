"""The page of a corpus as its owner uses it: made, filled, given to an agent."""

from collections.abc import Mapping
from dataclasses import dataclass

from playwright.sync_api import FilePayload, Locator, Page, expect

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
        expect(self.rows.get_by_text("indexado", exact=True)).to_have_count(count, timeout=INGESTED)

    def assign(self, agent: str) -> None:
        """Give the corpus to the agent and follow the link to ask it."""
        panel = self.page.locator("#assign-panel")
        panel.get_by_role("switch", name=agent).check()
        panel.get_by_role("link", name=agent).click()
        self.page.wait_for_url("**/agents/*/")
