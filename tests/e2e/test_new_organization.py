"""A new organization's own data, as its first admin connects it: a database and a file, to cited numbers and plots.

Everything is done on pages: the administration, then the chat, whose model is scripted and calls tools by name, and the
same without a model.
"""

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import Screenshot
from tests.e2e.server import ROOT, Login, prepared, serving
from tests.e2e.visits import Visits
from tests.fakes.fixtures import ModelServer
from tools.tests.test_postgresql import Shop, shop

__all__ = ["shop"]

pytestmark = pytest.mark.browser
WIDE = (1360, 850)
QUESTION = "¿Cómo van las ventas por región, las visitas, y qué se espera de los próximos trimestres?"
YEARS = {"from": "2023-01-01", "to": "2023-12-31"}
CALLS: list[dict[str, Any]] = [
    {"name": "query_analytics", "arguments": {"metric": "ventas", "dimensions": ["región"], "date_range": YEARS}},
    {"name": "get_trends", "arguments": {"entity": "visitas", "period": "month"}},
    {"name": "forecast", "arguments": {"metric": "ventas", "period": "quarter", "horizon": 4}},
]
SAID = "El norte vende más [1]. Las visitas han crecido [2]. Se espera que las ventas sigan así [3]."
MONTHS = [date(2019 + n // 12, n % 12 + 1, 15) for n in range(60)]


def sold(n: int) -> float:
    """In the month `n`: six more each month, and a season of a year."""
    return 1_000 + 6 * n + 200 * math.sin(n * math.pi / 6) + n * n % 37


@pytest.fixture
def warehouse(shop: Shop) -> Shop:
    """A database with sales, and a role that reads them and nothing else."""
    shop.told("CREATE ROLE analyst LOGIN PASSWORD 'only reads'")
    shop.told("CREATE TABLE ventas (fecha date, region text, importe numeric, cliente text)")
    for n, day in enumerate(MONTHS):
        for region, share in (("norte", 0.7), ("sur", 0.3)):
            shop.told(
                "INSERT INTO ventas VALUES (%s, %s, %s::numeric, 'Ana')", [day, region, round(sold(n) * share, 2)]
            )
    shop.told("GRANT SELECT ON ventas TO analyst")
    return shop


def visits_of_months() -> bytes:
    return "\n".join(("fecha,visitas", *(f"{day},{300 + 9 * n}" for n, day in enumerate(MONTHS)))).encode()


@pytest.fixture
def founded(
    browser: Browser, folder_in_memory: Path, model_server_process: ModelServer, warehouse: Shop
) -> Iterator[Visits]:
    """An installation in which somebody has just made an organization, and may reach that database."""
    settings = {
        "OPENAI_BASE_URL": model_server_process.openai_url,
        "EMBEDDING_MODEL": "lexical",
        "DATA_SOURCE_HOSTS": "localhost",
        "DATA_SOURCE_NETWORKS": "127.0.0.0/8",
    }
    folder = Path(mkdtemp(dir=folder_in_memory))
    environment, people = prepared(folder, **settings)
    make = [sys.executable, str(ROOT / "manage.py"), "organization", "Cooperativa Sur", "--admin", "nora@example.org"]
    told = subprocess.run([*make, "--json"], env=environment, check=True, stdout=subprocess.PIPE).stdout
    admin = json.loads(told)["admin"]
    people["nora"] = Login(role="admin", **admin)
    with serving(folder, environment, people) as (installation, _process):
        yield Visits(browser, installation)
    shutil.rmtree(folder, ignore_errors=True)


def test_a_database_and_a_file_become_cited_numbers_a_trend_and_a_forecast(
    founded: Visits, warehouse: Shop, model_server_process: ModelServer, screenshot: Screenshot
) -> None:
    model_server_process.reset()
    with founded.window("nora", size=WIDE) as page:
        connect_database(page, warehouse)
        screenshot(page, "28-data-source")
        name_numbers(page, ("fecha", "region", "importe"), metric="ventas", column="importe", by="region")
        connect_file(page)
        name_numbers(page, ("fecha", "visitas"), metric="visitas", column="visitas")
        make_agent(page)
        model_server_process.script(path="chat", calls=[[one] for one in CALLS], text=SAID)
        page.goto("/agents/")
        page.get_by_role("link", name="Analista").first.click()
        chat = ChatPage(page)
        chat.ask_to_the_end(QUESTION)
        expect(chat.answer.locator("[data-snippet]").nth(1)).to_contain_text("dirección: sube")
        rows = opened(page, chat, 0, "Almacén").locator("tbody tr").all_inner_texts()
        sums = {"norte": 0.7 * sum(map(sold, range(48, 60))), "sur": 0.3 * sum(map(sold, range(48, 60)))}
        told = {name: float(number) for name, number in (row.split("\t") for row in rows)}
        assert told == pytest.approx(sums, abs=0.1)
        drawn(opened(page, chat, 1, "Visitas"), "fuerza de la tendencia")
        drawn(opened(page, chat, 2, "Almacén"), "MASE")
        screenshot(page, "29-forecast-of-a-database")
        page.goto("/agents/")
        page.get_by_role("link", name="Analista").first.click()
        page.get_by_role("link", name="Mira sus datos por tu cuenta").click()
        assert_accessible(page)
        page.get_by_role("checkbox", name="región").check()
        page.get_by_label("En periodos de").select_option("year")
        page.get_by_role("button", name="Mostrar").click()
        expect(page.locator(".cited-table tbody tr")).to_have_count(10)
        page.get_by_role("link", name="Previsión").click()
        page.get_by_role("button", name="Mostrar").click()
        expect(page.locator(".cited-table figure svg[role=img]")).to_be_visible()
        assert_accessible(page)
        screenshot(page, "36-agent-data", full=True)


def connect_database(page: Page, warehouse: Shop) -> None:
    add_source(page, "Almacén", "postgresql")
    for name, value in {
        "host": "localhost",
        "port": str(warehouse.port),
        "database": "postgres",
        "username": "analyst",
        "password": "only reads",
    }.items():
        page.locator(f"[name={name}]").fill(value)
    page.locator("[name=_continue]").click()
    page.get_by_role("button", name="Probar la conexión").click()
    expect(page.get_by_text("Conectada. Tablas que hay")).to_be_visible()
    choose_table(page, "public.ventas")


def connect_file(page: Page) -> None:
    add_source(page, "Visitas", "duckdb")
    page.locator("[name=new_files]").set_input_files(
        [{"name": "visitas.csv", "mimeType": "text/csv", "buffer": visits_of_months()}]
    )
    page.locator("[name=_continue]").click()
    choose_table(page, "visitas")


def add_source(page: Page, name: str, kind: str) -> None:
    page.goto("/admin/tools/datasource/add/")
    page.locator("[name=name]").fill(name)
    page.locator("[name=kind]").select_option(kind)


def choose_table(page: Page, name: str) -> None:
    page.get_by_role("link", name="Elegir tablas").click()
    page.get_by_label(name, exact=True).check()
    page.get_by_role("button", name="Elegir estas tablas").click()
    page.get_by_role("link", name=name, exact=True).click()


def name_numbers(page: Page, columns: tuple[str, ...], *, metric: str, column: str, by: str = "") -> None:
    """On the table's page: its columns are opened, then a metric and a dimension are named."""
    for name in columns:
        row = page.locator("tr", has=page.get_by_text(name, exact=True)).filter(has=page.locator("[name$=is_masked]"))
        row.locator("input[name$=is_masked]").uncheck()
    page.locator("[name=_continue]").click()
    added(page, "metrics", name=metric, aggregate="sum", column=column, time_column="fecha")
    if by:
        added(page, "dimensions", name="región", column=by)
    page.locator("[name=_continue]").click()
    expect(page.locator("[name=metrics-0-name]")).to_have_value(metric)


def make_agent(page: Page) -> None:
    page.goto("/admin/agents/agent/add/")
    page.locator("[name=name]").fill("Analista")
    for n, name in enumerate(("Almacén › public.ventas", "Visitas › visitas")):
        added(page, "reachable_tables", n, table=name)
    page.locator("[name=_save]").click()
    expect(page.locator("#result_list")).to_contain_text("Analista")


def added(page: Page, kind: str, n: int = 0, **fields: str) -> None:
    """One more row of a table within the administration's page."""
    page.locator(f"#{kind}-group .add-row").click()
    for name, value in fields.items():
        field = page.locator(f"[name={kind}-{n}-{name}]")
        if field.evaluate("(one) => one.tagName") == "SELECT":
            field.select_option(label=value) if kind == "reachable_tables" else field.select_option(value)
        else:
            field.fill(value)


def opened(page: Page, chat: ChatPage, place: int, source: str) -> Locator:
    """The panel, once it shows what the answer's citation cites."""
    chat.prose.locator("a.citation").nth(place).click()
    panel = page.locator("#panel")
    expect(panel.locator(".panel-title")).to_have_text(re.compile(source))
    expect(panel.locator("#reader.cited-table")).to_be_visible()
    return panel


def drawn(panel: Locator, number: str) -> None:
    expect(panel.locator("figure svg[role=img]")).to_be_visible()
    expect(panel.locator("dl.numbers")).to_contain_text(number)
