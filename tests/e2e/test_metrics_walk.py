"""A new organization's data, from a file and names to a cited table, a trend and a forecast with their pictures.

What admins do they do over the API; a member asks in Spanish, and the model, which is scripted, calls tools by name.
"""

import math
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import Screenshot
from tests.e2e.visits import Visits
from tests.fakes.fixtures import ModelServer

pytestmark = pytest.mark.browser

AGENT, SOURCE, METRIC = "escritor-de-libros", "Facturas", "facturación"
QUESTION = "¿Cómo va la facturación por zonas y qué se espera de los próximos trimestres?"
CALLS = [
    {"name": "query_analytics", "arguments": {"metric": METRIC, "dimensions": ["zona"], "date_range": {
        "from": "2023-01-01", "to": "2023-12-31"}}},
    {"name": "get_trends", "arguments": {"entity": METRIC, "period": "quarter"}},
    {"name": "forecast", "arguments": {"metric": METRIC, "period": "quarter", "horizon": 4}},
]  # fmt: skip


def invoices() -> bytes:
    """Of five years: two zones a month, a season of a year, and six more each month."""
    months = [date(2019 + n // 12, n % 12 + 1, 15) for n in range(60)]
    totals = [1_000 + 6 * n + 200 * math.sin(n * math.pi / 6) + n * n % 37 for n in range(60)]
    rows = [f"{day},{zone},{total * share:.2f}" for day, total in zip(months, totals, strict=True)
            for zone, share in (("norte", 0.7), ("sur", 0.3))]  # fmt: skip
    return "\n".join(("fecha,zona,importe", *rows)).encode()


@pytest.fixture
def source(modelled_visits: Visits) -> Iterator[str]:
    """A file, its table given to the agent, a metric and a dimension of it."""
    api = modelled_visits.installation.api
    made: Any = api("admin", "POST", "/api/data-sources/", {"name": SOURCE, "kind": "duckdb"})["id"]
    modelled_visits.installation.send_file("admin", f"/api/data-sources/{made}/files/", "facturas.csv", invoices())
    columns = [{"name": one} for one in ("fecha", "zona", "importe")]
    chosen = {"tables": [{"name": "facturas", "columns": columns}]}
    (table,) = api("admin", "PUT", f"/api/data-sources/{made}/tables/", chosen)["tables"]
    named = {
        "metrics": [
            {"table": "facturas", "name": METRIC, "aggregate": "sum", "column": "importe", "time_column": "fecha"},
        ],
        "dimensions": [{"table": "facturas", "name": "zona", "column": "zona"}],
    }  # fmt: skip
    api("admin", "PUT", f"/api/data-sources/{made}/metrics/", named)
    api("admin", "PUT", f"/api/agents/{AGENT}/data-sources/{made}/", {"tables": [table["id"]]})
    yield made
    api("admin", "DELETE", f"/api/data-sources/{made}/")


@pytest.mark.usefixtures("source")
def test_metrics_are_told_as_a_table_a_trend_and_a_forecast(
    modelled_visits: Visits, model_server: ModelServer, screenshot: Screenshot
) -> None:
    found = modelled_visits.installation.api("alicia", "POST", f"/api/agents/{AGENT}/retrieve/", {"query": QUESTION})
    table, trend, forecast = (len(found["chunks"]) + n for n in (1, 2, 3))
    said = f"Por zonas, el norte factura más [{table}]. Sube con los meses [{trend}]. Seguirá subiendo [{forecast}]."
    model_server.script(path="chat", calls=[[one] for one in CALLS], text=said)
    with modelled_visits.window("alicia") as page:
        page.goto(f"/agents/{AGENT}/")
        chat = ChatPage(page)
        chat.ask_to_the_end(QUESTION)
        rows = opened(page, chat, 0).locator("tbody tr").all_inner_texts()
        assert [row.split("\t")[0] for row in rows] == ["norte", "sur"]
        drawn(opened(page, chat, 1), "fuerza de la tendencia")
        screenshot(page, "26-trend")
        drawn(opened(page, chat, 2), "MASE")
        screenshot(page, "27-forecast")


def drawn(panel: Locator, number: str) -> None:
    expect(panel.locator("figure svg[role=img]")).to_be_visible()
    expect(panel.locator("dl.numbers")).to_contain_text(number)


def opened(page: Page, chat: ChatPage, place: int) -> Locator:
    """The panel, once it shows what the answer's citation cites."""
    citation = chat.prose.locator("a.citation").nth(place)
    citation.click()
    panel = page.locator("#panel")
    expect(panel.locator(".panel-title")).to_have_text(re.compile(re.escape(SOURCE)))
    expect(panel.locator("#reader.cited-table")).to_be_visible()
    return panel
