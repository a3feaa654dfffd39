"""A member asks about a table that an admin gave to an agent; the model, which is scripted, reads it with a tool."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import Screenshot
from tests.e2e.visits import Visits
from tests.fakes.fixtures import ModelServer

pytestmark = pytest.mark.browser

AGENT, SOURCE = "escritor-de-libros", "Ventas"
SALES = b"region,email,total\nNorte,ana@example.org,10.5\nNorte,luis@example.org,20\nSur,eva@example.org,5\n"
SQL = "SELECT region, sum(total) AS total FROM ventas GROUP BY region ORDER BY region"
QUESTION = "\u00bfCu\u00e1nto se vendi\u00f3 en cada regi\u00f3n seg\u00fan la tabla de ventas del a\u00f1o?"
STAGES = """() => {
  const stages = (window.stages = []);
  const stage = document.getElementById("stage");
  const all = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => stages.push(stage.textContent)).observe(stage, all);
}"""


@pytest.fixture
def source(modelled_visits: Visits) -> Iterator[str]:
    """As an admin sets it up: a CSV, whose email is masked, and its table given to the agent."""
    api = modelled_visits.installation.api
    made: Any = api("admin", "POST", "/api/data-sources/", {"name": SOURCE, "kind": "duckdb"})["id"]
    modelled_visits.installation.send_file("admin", f"/api/data-sources/{made}/files/", "ventas.csv", SALES)
    columns = [{"name": "region"}, {"name": "email", "masked": True}, {"name": "total", "description": "euros"}]
    chosen = {"tables": [{"name": "ventas", "description": "Ventas del a\u00f1o", "columns": columns}]}
    (table,) = api("admin", "PUT", f"/api/data-sources/{made}/tables/", chosen)["tables"]
    api("admin", "PUT", f"/api/agents/{AGENT}/data-sources/{made}/", {"tables": [table["id"]]})
    yield made
    api("admin", "DELETE", f"/api/data-sources/{made}/")


@pytest.mark.usefixtures("source")
def test_rows_of_a_table_answer_a_question_and_open_beside_it(
    modelled_visits: Visits, model_server: ModelServer, screenshot: Screenshot
) -> None:
    call = {"name": "query", "arguments": {"source": SOURCE, "sql": SQL}}
    found = modelled_visits.installation.api("alicia", "POST", f"/api/agents/{AGENT}/retrieve/", {"query": QUESTION})
    n = len(found["chunks"]) + 1
    said = f"En el norte se vendieron 30,5 euros [{n}] y en el sur 77 euros [{n}]."
    model_server.script(path="chat", calls=[[call]], text=said)
    with modelled_visits.window("alicia") as page:
        page.goto(f"/agents/{AGENT}/")
        expect(page.get_by_text(f"{SOURCE}: ventas")).to_be_visible()
        chat = ChatPage(page)
        page.evaluate(STAGES)
        chat.ask_to_the_end(QUESTION)
        assert f"Consultando datos en {SOURCE}\u2026" in page.evaluate("window.stages")
        expect(chat.answer.locator("[data-tier=table]:visible")).to_have_text("datos")
        for _ in ("as it was written", "as it was kept"):
            citations = chat.prose.locator("a.citation")
            expect(citations).to_have_count(2)
            expect(citations.nth(1)).to_have_class(re.compile("unsupported"))
            citations.first.hover()
            expect(page.get_by_role("tooltip")).to_contain_text("region: Norte \u00b7 total: 30.5")
            citations.first.click()
            panel = page.locator("#panel")
            expect(panel.locator(".panel-title")).to_have_text(f"{SOURCE}: ventas")
            assert panel.locator("tbody tr").all_inner_texts() == ["Norte\t30.5", "Sur\t5.0"]
            panel.get_by_text("C\u00f3mo se consult\u00f3").click()
            expect(panel.locator("pre")).to_contain_text("GROUP BY region")
            screenshot(page, "25-cited-table")
            page.reload()
        page.goto(page.url.split("#")[0])
        expect(page.get_by_text(f"Consulta datos de {SOURCE} (ventas).")).to_be_visible()
