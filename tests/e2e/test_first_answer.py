"""How far it is from signing in to a cited answer from a document of one's own: presses of the pointer, seconds."""

import time

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.corpus_page import CorpusPage
from tests.e2e.documents import WalkDocuments
from tests.e2e.visits import Visits

pytestmark = pytest.mark.browser

MOST_PRESSES, MOST_SECONDS = 6, 60
COUNT = """addEventListener("pointerdown", (event) => {
  if (event.isTrusted) sessionStorage.presses = Number(sessionStorage.presses ?? 0) + 1;
}, true);"""


def test_six_presses_and_a_minute_lead_to_a_cited_answer_from_a_document_of_ones_own(
    visits: Visits, documents: WalkDocuments
) -> None:
    with visits.window() as page:
        page.add_init_script(COUNT)
        began = time.monotonic()
        visits.sign_in(page, "bob")
        page.get_by_role("link", name="Corpus nuevo").click()
        page.get_by_label("nombre").fill("Primeros pasos")
        page.get_by_role("button", name="Crear y subir documentos").click()
        corpus = CorpusPage(page)
        with page.expect_file_chooser() as chooser:
            page.get_by_text("Elegir archivos").click()
        chooser.value.set_files(documents.cited)
        corpus.wait_until_indexed(1)
        corpus.assign("Escritor de Libros")
        chat = ChatPage(page)
        chat.ask_to_the_end(documents.question)
        expect(chat.prose.locator("a.citation").first).to_be_visible()
        expect(chat.documents.filter(has=page.locator("li.source.cited")).first).to_contain_text("personal")
        assert time.monotonic() - began < MOST_SECONDS
        assert 0 < int(page.evaluate("sessionStorage.presses")) <= MOST_PRESSES
