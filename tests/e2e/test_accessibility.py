"""Accessibility in a real browser: axe-core over the pages, live regions, and the keyboard alone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.chat_page import ChatPage
from tests.e2e.corpus_page import CorpusPage
from tests.e2e.visits import PHONE, Visits
from tests.fakes.fixtures import ModelServer

pytestmark = pytest.mark.browser

PAGES = [
    "/",
    "/corpora/",
    "/corpora/new/",
    "/agents/",
    "/agents/tutor/",
    "/conversations/",
    "/projects/",
    "/account/",
    "/account/data/",
    "/account/usage/",
    "/trash/",
    "/members/",
    "/accounts/password/change/",
    "/accounts/reauthenticate/",
    "/accounts/2fa/",
]
FOCUSED = """() => {
  const focused = document.activeElement;
  return focused.id || (focused.labels?.[0] ?? focused).textContent.trim();
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_fault_that_axe_knows(visits: Visits, theme: str) -> None:
    with visits.window(color_scheme=theme) as page:
        for path in ("/accounts/login/", "/accounts/password/reset/"):
            page.goto(path)
            assert_accessible(page)
    with visits.window("admin", color_scheme=theme) as page:
        for path in PAGES:
            page.goto(path)
            assert page.locator("html").get_attribute("data-theme") == theme
            assert_accessible(page)
        assert_a_filled_corpus_is_accessible(page)


def assert_a_filled_corpus_is_accessible(page: Page) -> None:
    """The library: its list, a document with a passage, and an answer with its sources."""
    page.goto("/corpora/")
    page.get_by_role("link", name="Biblioteca Aurora", exact=True).click()
    expect(page.locator("#assign-panel")).to_be_visible()
    assert_accessible(page)
    page.goto("/agents/asistente-corporativo/")
    chat = ChatPage(page)
    for question in ("¿Cuánto dura el préstamo de un libro?", "¿Cuánto dura el préstamo?"):  # each with its sources
        chat.ask_to_the_end(question)
        expect(chat.sources.first).to_be_visible()
    expect(page.get_by_role("button", name="Nombre y proyecto")).to_be_visible()
    page.locator("#context > summary").click()
    expect(page.locator("#picked input").first).to_be_visible()
    assert_accessible(page)
    page.locator("#context > summary").click()
    chat.sources.first.locator("[data-link]").click()
    expect(page.locator("#panel #reader")).to_be_visible()
    assert_accessible(page)
    page.locator("#panel [data-whole]").click()
    page.wait_for_url("**/documents/**")
    assert_accessible(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_not_there_is_a_page_without_a_fault_too(visits: Visits, theme: str) -> None:
    with visits.window("admin", size=PHONE, color_scheme=theme, is_refused=True) as page:
        page.goto("/nowhere/")
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_is_wider_than_a_phone(visits: Visits) -> None:
    with visits.window("admin", size=PHONE, is_mobile=True, has_touch=True) as page:
        for path in PAGES:
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_the_language_is_the_readers(visits: Visits) -> None:
    with visits.window("bob", locale="en-GB") as page:
        page.goto("/")
        expect(page.locator("html")).to_have_attribute("lang", "en")
        expect(page.get_by_role("heading", level=1)).to_have_text("Hello, Bob Brown")
        page.get_by_role("button", name="Español").click()
        expect(page.locator("html")).to_have_attribute("lang", "es")
        expect(page.get_by_role("heading", level=1)).to_have_text("Hola, Bob Brown")
        page.goto("/corpora/")
        expect(page.locator("html")).to_have_attribute("lang", "es")


def press_tab_until(page: Page, wanted: str) -> None:
    """Tab to the element with this id, label or text; the keyboard must get there within a page's worth of stops."""
    for _stop in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == wanted:
            return
    raise AssertionError(f"the keyboard does not reach {wanted}")


def test_a_document_is_uploaded_and_assigned_with_the_keyboard_alone(visits: Visits, tmp_path: Path) -> None:
    path = tmp_path / "teclado.md"
    path.write_text("La contraseña del teclado es zarzamora.", encoding="utf-8")
    with visits.window("bob") as page:
        corpus = CorpusPage.created(page, "Con el teclado")
        page.on("filechooser", lambda chooser: chooser.set_files(path))
        press_tab_until(page, "files")
        assert page.locator("label[for=files]").evaluate("label => getComputedStyle(label).outlineStyle") == "solid"
        page.keyboard.press("Space")
        corpus.wait_until_indexed(1)
        expect(page.locator("#processed[role=status]")).to_have_text("Todos los documentos están procesados.")
        expect(page.locator("#upload-status")).to_have_text(re.compile("teclado.md"))
        press_tab_until(page, "Escritor de Libros")
        page.keyboard.press("Space")
        link = page.locator("#assign-panel").get_by_role("link", name="Escritor de Libros")
        expect(link).to_be_visible()
        expect(page.get_by_role("switch", name="Escritor de Libros")).to_be_focused()
        press_tab_until(page, "Preguntar Escritor de Libros")
        page.keyboard.press("Enter")
        page.wait_for_url("**/agents/*/")
        expect(page.locator("#question")).to_be_focused()


def test_a_question_is_asked_stopped_and_its_sources_opened_with_the_keyboard_alone(
    modelled_visits: Visits, model_server: ModelServer
) -> None:
    with modelled_visits.window("bob") as page:
        page.goto("/agents/escritor-de-libros/")
        chat = ChatPage(page)
        expect(chat.question).to_be_focused()
        model_server.script(path="chat", text="Una [1].", endless=True, pace=0.02)
        page.keyboard.type("¿Cuántos libros puedo llevarme en préstamo?")
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Enviar")).to_be_focused()
        page.keyboard.press("Enter")
        expect(chat.prose).to_have_attribute("aria-live", "polite")
        expect(chat.prose).to_have_attribute("aria-busy", "true")
        expect(page.locator("#stage")).to_have_attribute("role", "status")
        expect(chat.prose).to_contain_text("más1")
        page.locator("#question").focus()
        page.keyboard.press("Tab")
        expect(chat.stop).to_be_focused()
        page.keyboard.press("Enter")
        chat.wait_for_end()
        expect(chat.question).to_be_focused()
        citation = chat.prose.locator("a.citation").first
        citation.focus()
        expect(page.get_by_role("tooltip")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.locator("#panel mark#passage")).to_be_focused()
        page.keyboard.press("Escape")
        expect(citation).to_be_focused()
