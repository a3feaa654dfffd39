"""The issue's walk, as a new user in Spanish: from signing in to the cited passage in its document."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import Screenshot
from tests.e2e.documents import WalkDocuments
from tests.e2e.visits import PHONE, Visits
from tests.live import eventually

pytestmark = pytest.mark.browser

INGESTED = 60_000  # ms for the slowest document
PROGRESS_RECORDER = """() => {
  window.steps = [];
  new MutationObserver(() => {
    for (const step of document.querySelectorAll(".stage-bar span")) window.steps.push(step.textContent);
  }).observe(document.body, { subtree: true, childList: true });
}"""
PROGRESS_SEEN = "window.steps.some((step) => /esperando|\\d %/.test(step))"
DROP = """async ([path, name, type]) => {
  const file = new File([await (await fetch(path)).arrayBuffer()], name, { type });
  const carried = new DataTransfer();
  carried.items.add(file);
  const zone = document.getElementById("drop");
  for (const step of ["dragenter", "dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(step, { dataTransfer: carried, bubbles: true, cancelable: true }));
  }
}"""


def test_from_signing_in_to_the_cited_passage(visits: Visits, documents: WalkDocuments, screenshot: Screenshot) -> None:
    with visits.window() as page:
        signs_in(page, visits, screenshot)
        creates_a_corpus(page, screenshot)
        uploads(page, documents, screenshot)
        assigns(page, screenshot)
        asks(page, documents, screenshot)
        follows_a_citation(page, documents, screenshot)


def signs_in(page: Page, visits: Visits, screenshot: Screenshot) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Iniciar sesión")
    screenshot(page, "01-sign-in")
    visits.sign_in(page, "alicia")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hola, Alicia Vega")
    screenshot(page, "02-dashboard")


def creates_a_corpus(page: Page, screenshot: Screenshot) -> None:
    page.get_by_role("link", name="Corpus nuevo").click()
    page.get_by_label("nombre").fill("Sanidad")
    page.get_by_label("descripción").fill("Leyes, manuales y plantillas para el libro sobre la sanidad pública.")
    screenshot(page, "03-new-corpus")
    page.get_by_role("button", name="Crear y subir documentos").click()
    page.wait_for_url("**/corpora/*-*/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sanidad")
    expect(page.get_by_text("Aún no hay documentos")).to_be_visible()


def uploads(page: Page, documents: WalkDocuments, screenshot: Screenshot) -> None:
    """A PDF by drag and drop, the DOCX and the long PDF through the file input; then the progress of the last."""
    page.evaluate(PROGRESS_RECORDER)
    drop(page, documents.cited)
    page.locator("#files").set_input_files([documents.docx, documents.long])
    rows = page.locator("#documents tbody tr[id]")
    expect(rows).to_have_count(3)
    eventually(lambda: page.evaluate(PROGRESS_SEEN), 15.0)
    screenshot(page, "04-progress")
    expect(page.locator("#documents tr[data-ready]")).to_have_count(3, timeout=INGESTED)
    long = rows.filter(has_text=documents.long.name)
    assert int(long.get_by_role("cell").nth(3).inner_text()) > 200
    expect(page.locator("#tray")).to_be_hidden()
    screenshot(page, "05-indexed")


def drop(page: Page, path: Path) -> None:
    """Drag-and-drop events with the file's own bytes, which a route hands to the page."""
    address = f"{page.url}dropped"
    page.route(address, lambda route: route.fulfill(path=path))
    page.evaluate(DROP, [address, path.name, "application/pdf"])
    page.unroute(address)


def assigns(page: Page, screenshot: Screenshot) -> None:
    panel = page.locator("#assign-panel")
    expect(panel.get_by_role("switch", name="Investigador Técnico")).to_have_count(0)
    expect(panel).to_contain_text("solo responden con los corpus globales")
    writer = panel.get_by_role("switch", name="Escritor de Libros")
    writer.check()
    expect(writer).to_be_checked()
    ask = panel.get_by_role("link", name="Preguntar Escritor de Libros")
    expect(ask).to_be_visible()
    expect(writer).to_be_focused()
    screenshot(page, "06-assigned")
    ask.click()
    page.wait_for_url("**/agents/*/")
    expect(page.get_by_role("link", name=re.compile("Sanidad"))).to_be_visible()


def asks(page: Page, documents: WalkDocuments, screenshot: Screenshot) -> None:
    chat = ChatPage(page)
    chat.record()
    chat.ask_to_the_end(documents.question)
    expect(chat.failure).to_be_hidden()
    seen = chat.recorded()
    assert seen[0] == "sources"
    assert sum(step.startswith("text ") for step in seen) >= 2, "the answer came in one piece"
    expect(chat.prose.locator("a.citation").first).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(re.escape(documents.question[:40])))
    expect(page.get_by_role("button", name="Nombre y proyecto")).to_be_visible()
    screenshot(page, "08-answer")


def follows_a_citation(page: Page, documents: WalkDocuments, screenshot: Screenshot) -> None:
    chat = ChatPage(page)
    cited = chat.answer.locator("li.source.cited").filter(has_text=re.compile(r"p\. \d+")).first
    number, snippet = cited.get_attribute("data-source"), cited.locator("[data-snippet]").inner_text()
    page_number = int(re.sub(r"\D", "", cited.locator("[data-page]").inner_text()))
    chat.prose.locator(f'a.citation[data-n="{number}"]').first.click()
    expect(page.locator("#panel rect#passage")).to_be_in_viewport()
    expect(page.locator("#panel #page")).to_have_value(str(page_number))
    screenshot(page, "09-passage")
    page.get_by_text("El texto de esta página").click()
    marked = " ".join(page.locator("mark").all_inner_texts())
    words = set(re.findall(r"\w{5,}", snippet.lower()))
    assert len(words & set(re.findall(r"\w{5,}", marked.lower()))) >= 0.8 * len(words)
    page.locator("#panel").get_by_role("button", name="Cerrar").click()


def test_the_dashboard_in_the_dark_and_the_chat_on_a_phone(visits: Visits, screenshot: Screenshot) -> None:
    with visits.window("alicia", color_scheme="dark") as page:
        page.goto("/")
        assert page.locator("html").get_attribute("data-theme") == "dark"
        screenshot(page, "10-dashboard-dark")
    with visits.window("alicia", size=PHONE, device_scale_factor=1.5, has_touch=True, is_mobile=True) as page:
        page.goto("/agents/escritor-de-libros/")
        chat = ChatPage(page)
        chat.ask_to_the_end("¿Qué descubre la farera de mi novela?")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
        screenshot(page, "11-chat-phone")
