"""What is Alicia's does not exist for Bob, in the address bar as well (SPEC §2.5)."""

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.corpus_page import CorpusPage
from tests.e2e.visits import Visits

pytestmark = pytest.mark.browser

NOWHERE = "00000000-0000-4000-8000-000000000000"


def test_another_members_addresses_are_the_page_that_nothing_has(visits: Visits) -> None:
    with visits.window("alicia", is_refused=True) as page:
        corpus = CorpusPage.created(page, "Diario de Alicia")
        corpus.upload({"diario.md": "La contraseña de la caja fuerte es caléndula."})
        hers = [page.url, page.url.replace("/corpora/", "/corpora/") + "edit/"]
        corpus.row("diario").get_by_role("link").click()
        page.wait_for_url("**/documents/**")
        hers.append(page.url)
        page.go_back()
        corpus.assign("Escritor de Libros")
        chat = ChatPage(page)
        chat.ask_to_the_end("¿Cuál es la contraseña de la caja fuerte?")
        hers.append(page.url)
    with visits.window("bob", is_refused=True) as page:
        for address in [*hers, f"/corpora/{NOWHERE}/", f"/documents/{NOWHERE}/", f"/conversations/{NOWHERE}/"]:
            response = page.goto(address)
            assert response
            assert response.status == 404, address
            expect(page.get_by_role("heading", level=1)).to_have_text("Aquí no hay nada que puedas ver")
            expect(page.get_by_role("link", name="Ir al inicio")).to_be_visible()
            expect(page.locator("body")).not_to_contain_text("Alicia")
