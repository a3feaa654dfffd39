"""The admin's walk: a global corpus filled and processed again, an agent changed, traces read, under the page's CSP."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.conftest import Screenshot
from tests.e2e.visits import Visits

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(3)> \u202eacta 📜.md"
WIDE = (1360, 850)  # unfold shows its side bar from 1280 on
PAGES = [
    "/",
    "/corpora/",
    "/corpora/new/",
    "/agents/",
    "/agents/escritor-de-libros/",
    "/conversations/",
    "/projects/",
    "/account/",
    "/members/",
    "/api/docs/",
    "/accounts/password/change/",
]


@pytest.fixture
def page(visits: Visits) -> Page:
    with visits.window("admin", size=WIDE) as page:
        yield page


def test_an_admin_fills_a_global_corpus_and_processes_a_document_again(page: Page, screenshot: Screenshot) -> None:
    page.goto("/admin/corpora/document/")
    screenshot(page, "14-admin-documents")
    page.goto("/admin/corpora/corpus/")
    page.get_by_role("link", name="Biblioteca Aurora", exact=True).click()
    text = b"El archivo de actas abre los lunes de nueve a once.\n"
    page.locator("input[name=new_documents]").set_input_files(
        [{"name": HOSTILE, "mimeType": "text/markdown", "buffer": text}]
    )
    page.locator("[name=_save]").click()
    expect(page.get_by_text("Documentos recibidos: 1")).to_be_visible()
    wait_until_indexed(page)
    page.locator("#result_list").get_by_role("link", name="onerror").click()
    page.get_by_role("button", name="Procesar otra vez").click()
    expect(page.get_by_text("Documentos que se procesarán otra vez: 1")).to_be_visible()
    expect(page.locator("img[src=x]")).to_have_count(0)
    wait_until_indexed(page)


def wait_until_indexed(page: Page) -> None:
    """The admin's list shows the uploaded name as text and, after some reloads, that it is indexed."""
    for _attempt in range(100):
        page.goto("/admin/corpora/document/?q=onerror")
        row = page.locator("#result_list tbody tr")
        expect(row).to_have_count(1)
        expect(row).to_contain_text("<img src=x onerror=alert(3)>")
        if "indexado" in (row.text_content() or ""):
            break
        page.wait_for_timeout(100)
    expect(row).to_contain_text("indexado")
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_an_admin_changes_an_agent_and_reads_the_traces(page: Page, visits: Visits, screenshot: Screenshot) -> None:
    page.goto("/admin/agents/agent/")
    page.get_by_role("link", name="Asistente Corporativo").click()
    page.locator("[name=description]").fill("Responde dudas de la casa con las palabras de la norma.")
    screenshot(page, "15-admin-agent")
    page.locator("[name=_save]").click()
    expect(page.locator("#result_list")).to_be_visible()
    visits.installation.api(
        "alicia", "POST", "/api/agents/asistente-corporativo/chat/",
        {"messages": [{"role": "user", "content": "¿Cuánto dura el préstamo?"}], "stream": False},
    )  # fmt: skip
    page.goto("/agents/")
    expect(page.get_by_text("Responde dudas de la casa")).to_be_visible()
    page.goto("/admin/chat/trace/")
    expect(page.locator("#result_list tbody tr").first).to_contain_text("Asistente Corporativo")
    expect(page.locator("#result_list tbody tr").first).to_contain_text("¿Cuánto dura el préstamo?")
    screenshot(page, "16-traces")
    page.locator("#result_list tbody tr").first.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Candidatos")).to_be_visible()
    expect(page.get_by_text("conservado", exact=False).first).to_be_visible()
    screenshot(page, "17-trace", full=True)
    page.get_by_role("link", name="Probar esta pregunta en el banco de pruebas").click()
    settings, second = page.locator("fieldset").nth(1), page.locator("[data-side=b]")
    expect(second.locator("li").first).to_contain_text("1.")
    expect(settings.get_by_label("buscar por")).to_have_value("bm25")
    settings.get_by_label("pasajes conservados").fill("2")
    page.get_by_role("button", name="Comparar").click()
    expect(second.locator("li")).to_have_count(2)
    expect(second.locator("li").first).to_contain_text("coseno –")
    screenshot(page, "18-playground", full=True)
    page.goto("/admin/chat/trace/usage/")
    expect(page.get_by_role("heading", name="Preguntas por día")).to_be_visible()
    screenshot(page, "19-usage", full=True)


def test_no_page_breaks_its_content_security_policy_and_those_of_the_admin_are_accessible(
    page: Page, screenshot: Screenshot
) -> None:
    """The window's watch fails on any violation, script error or request to elsewhere."""
    page.goto("/admin/agents/agent/matrix/")
    screenshot(page, "35-matrix")
    page.goto("/admin/")
    screenshot(page, "34-admin-home")
    linked = page.locator("a[href^='/admin/']").evaluate_all("links => links.map(link => link.pathname)")
    inside = {path for path in linked if "logout" not in path and "/auth/" not in path}
    assert len(inside) >= 10
    for path in [*PAGES, *sorted(inside)]:
        page.goto(path)
        expect(page.locator("body")).to_be_visible()
        if path in inside:
            assert_accessible(page)
    page.goto("/api/docs/")
    expect(page.get_by_text("/api/corpora/", exact=True).first).to_be_visible()
