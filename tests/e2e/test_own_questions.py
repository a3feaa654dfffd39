"""An agent's data asked by hand, without scripts: the metric that one sees chosen is the one that is shown.

What admins do they do over the API; the numbers are a file's.
"""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.visits import PHONE, Visits

pytestmark = pytest.mark.browser

AGENT, SOURCE = "escritor-de-libros", "Tiendas"
PAGE = f"/agents/{AGENT}/data/"


def sold() -> bytes:
    days = [date(2021 + n // 12, n % 12 + 1, 5) for n in range(48)]
    rows = [f"{day},{city},{100 + 10 * n}" for n, day in enumerate(days) for city in ("Madrid", "Ávila")]
    return "\n".join(("fecha,ciudad,importe", *rows)).encode()


@pytest.fixture
def source(visits: Visits) -> Iterator[str]:
    """A file with two tables, a metric of each: one over time and by city, one without time."""
    api, files = visits.installation.api, {"ventas": sold(), "tiendas": b"tienda,zona\n1,centro\n2,centro\n3,norte\n"}
    made: Any = api("admin", "POST", "/api/data-sources/", {"name": SOURCE, "kind": "duckdb"})["id"]
    columns = {"ventas": ("fecha", "ciudad", "importe"), "tiendas": ("tienda", "zona")}
    for name, content in files.items():
        visits.installation.send_file("admin", f"/api/data-sources/{made}/files/", f"{name}.csv", content)
    chosen = [{"name": name, "columns": [{"name": one} for one in columns[name]]} for name in files]
    tables = api("admin", "PUT", f"/api/data-sources/{made}/tables/", {"tables": chosen})["tables"]
    sum_of = {"aggregate": "sum", "column": "importe", "time_column": "fecha"}
    metrics = [
        {"table": "ventas", "name": "facturación", **sum_of},
        {"table": "tiendas", "name": "tiendas", "aggregate": "count"},
    ]
    dimensions = [
        {"table": "ventas", "name": "ciudad", "column": "ciudad"},
        {"table": "tiendas", "name": "zona", "column": "zona"},
    ]
    api("admin", "PUT", f"/api/data-sources/{made}/metrics/", {"metrics": metrics, "dimensions": dimensions})
    given = {"tables": [one["id"] for one in tables]}
    api("admin", "PUT", f"/api/agents/{AGENT}/data-sources/{made}/", given)
    yield made
    api("admin", "DELETE", f"/api/data-sources/{made}/")


def choose(page: Page, metric: str) -> None:
    page.get_by_label("Métrica").select_option(label=f"{metric} ({SOURCE})")


def result(page: Page) -> str:
    return page.locator(".cited-table tbody").inner_text()


@pytest.mark.usefixtures("source")
def test_a_metric_is_chosen_and_shown_without_scripts(visits: Visits) -> None:
    with visits.window("alicia", java_script_enabled=False) as page:
        page.goto(PAGE)
        choose(page, "facturación")
        page.get_by_role("button", name="Elegir").click()
        page.get_by_label("Solo donde ciudad es").fill("ávila")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="facturación")).to_be_visible()
        assert result(page) == str(sum(100 + 10 * n for n in range(48)))
        choose(page, "tiendas")
        page.get_by_role("button", name="Mostrar").click()
        expect(page.get_by_role("heading", name="tiendas")).to_be_visible()
        expect(page.get_by_text("tiendas no tiene esto")).to_contain_text("Solo donde ciudad es «ávila»")
        assert result(page) == "3"
        expect(page.get_by_label("Solo donde zona es")).to_be_visible()


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("size", [(1200, 800), PHONE])
def test_what_is_foreseen_is_seen_before_the_picture(size: tuple[int, int], visits: Visits) -> None:
    with visits.window("alicia", size) as page:
        page.goto(f"{PAGE}?tool=forecast")
        choose(page, "facturación")
        page.get_by_role("button", name="Elegir").click()
        page.get_by_role("button", name="Mostrar").click()
        ahead, known = page.locator(".cited-table table").all()
        expect(ahead.locator("caption")).to_have_text("Periodos por venir")
        expect(ahead.locator("tbody tr")).to_have_count(6)
        expect(known.locator("tbody tr")).to_have_count(48)
        foreseen, picture = ahead.bounding_box(), page.locator("figure svg").bounding_box()
        assert foreseen
        assert picture
        assert foreseen["y"] < picture["y"]
        assert page.evaluate("document.documentElement.scrollWidth") == size[0], "nothing sticks out"
        assert_accessible(page)
