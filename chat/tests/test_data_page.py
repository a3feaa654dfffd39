"""The tools over an agent's data as forms: what they show, what is counted, and whose they are."""

import re
from datetime import date
from typing import Any

import pytest
from django.test import Client

from accounts.models import ToolCall
from agents.models import Agent
from tests.cast import Cast, browser, make_cast
from tests.factories import AgentFactory
from tests.limits import limit
from tests.metrics import count_customers, name_metrics, sales
from tests.shops import EMAIL, grant, shop
from tools.models import DataSource, Dimension, Metric, SourceTable

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/agents/analyst/data/"


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def agent(cast: Cast) -> Agent:
    made = AgentFactory(organization=cast.alice.organization, slug="analyst")
    grant(made, *shop(cast.alice.organization).tables.all(), sales(cast.alice.organization, rows=four_years()))
    return made


def four_years() -> str:
    days = [date(2021 + n // 12, n % 12 + 1, 5) for n in range(48)]
    rows = [f"{day},{region},{100 + 10 * n}," for n, day in enumerate(days) for region in ("norte", "sur")]
    return "\n".join(("day,region,amount,email", *rows))


def sent(client: Client, tool: str, **fields: Any) -> str:
    return client.post(f"{PAGE}?tool={tool}", fields).content.decode()


def cells(page: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", page)


def test_numbers_are_divided_and_held_to_days_and_values(cast: Cast, agent: Agent) -> None:
    client = browser(cast.alice)
    said = {"dimensions_shown": ["región"], "since": "2021-01-01", "until": "2021-02-28"}
    assert cells(sent(client, "query_analytics", **said)) == ["norte", "210", "sur", "210"]
    assert cells(sent(client, "query_analytics", **said, where_0="sur")) == ["sur", "210"]
    assert cells(sent(client, "query_analytics", **said, where_0="Sur")) == ["sur", "210"]
    assert cells(sent(client, "query_analytics", **said | {"dimensions_shown": []})) == ["420"]


@pytest.fixture
def others(cast: Cast, agent: Agent) -> dict[str, Metric]:
    """Two more, of other tables, neither of which has a time."""
    source = DataSource.objects.get(name="Shop")
    name_metrics(source)
    count_customers(source)
    return {one.name: one for one in Metric.objects.all()}


def chosen(client: Client, before: Metric, tool: str = "query_analytics", **fields: Any) -> str:
    """The form of one metric, sent."""
    answer = client.post(f"{PAGE}?tool={tool}&metric={before.pk}", fields)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_metric_that_the_form_says_is_shown_whichever_button_is_pressed(
    cast: Cast, others: dict[str, Metric]
) -> None:
    client, pk = browser(cast.alice), others["pedidos"].pk
    shown = chosen(client, others["ventas"], metric=pk)
    assert cells(shown) == ["3"]
    ready = chosen(client, others["ventas"], metric=pk, choose="1")
    assert cells(ready) == []
    for page in (shown, ready):
        assert f'action="?tool=query_analytics&amp;metric={pk}"' in page
        assert f'<option value="{pk}" selected>' in page
        assert "Only where cliente is" in page
        assert "left out" not in page
    assert ToolCall.objects.count() == 1, "who only chooses asks nothing"
    assert cells(chosen(client, others["pedidos"], metric=pk, where_0="1")) == ["2"]


def test_the_result_is_called_as_the_metric_that_was_chosen(cast: Cast, others: dict[str, Metric]) -> None:
    client = browser(cast.alice)
    for name, table in (("ventas", "Ventas: sales"), ("pedidos", "Shop: orders")):
        shown = chosen(client, others["ventas"], metric=others[name].pk)
        assert f'<h2>{name}</h2><p class="small soft">{table}</p>' in shown
        assert f'aria-label="{name}"' in shown
    assert "<title>ventas</title>" in chosen(client, others["ventas"], "get_trends", period="month")


def test_what_the_new_metric_has_no_place_for_is_left_out_with_a_word(cast: Cast, others: dict[str, Metric]) -> None:
    client = browser(cast.alice, "es")
    filled = {"dimensions_shown": ["región"], "where_0": "<norte>", "since": "2021-01-01", "group_by": "month"}
    shown = chosen(client, others["ventas"], metric=others["pedidos"].pk, **filled)
    assert cells(shown) == ["3"]
    assert "pedidos no tiene esto, así que no se ha tenido en cuenta" in shown
    for word in ("Repartido por «región»", "Solo donde región es «&lt;norte&gt;»", "«2021-01-01»", "«meses»"):
        assert word in shown
    assert "no se ha tenido en cuenta" in chosen(
        client, others["ventas"], metric=others["pedidos"].pk, choose="1", **filled
    )


def test_what_both_metrics_have_is_taken_over(cast: Cast, others: dict[str, Metric]) -> None:
    client, table = browser(cast.alice), others["clientes"].table
    Dimension.objects.create(table=table, name="Región", column="region")
    filled = {"dimensions_shown": ["región"], "where_0": "north"}
    shown = chosen(client, others["ventas"], metric=others["clientes"].pk, **filled)
    assert cells(shown) == ["north", "1"]
    assert "left out" not in shown
    ready = chosen(client, others["ventas"], metric=others["clientes"].pk, choose="1", **filled)
    assert 'value="north"' in ready
    assert re.search(r'value="Región"[^>]* checked', ready)


def test_a_metric_without_time_is_left_again_for_one_that_has_a_trend(cast: Cast, others: dict[str, Metric]) -> None:
    client = browser(cast.alice)
    none = chosen(client, others["ventas"], "get_trends", metric=others["pedidos"].pk, period="month", where_0="norte")
    assert "pedidos has no column of time" in none
    assert 'name="choose"' in none
    for button in ({}, {"choose": "1"}):
        back = chosen(client, others["pedidos"], "get_trends", metric=others["ventas"].pk, **button)
        assert 'name="period"' in back


def test_enter_in_a_field_shows_and_does_not_only_choose(cast: Cast, others: dict[str, Metric]) -> None:
    """It presses the form's first button, in browsers."""
    page = browser(cast.alice).get(f"{PAGE}?metric={others['ventas'].pk}").content.decode()
    form = page[page.index('<form class="card stack"') :]
    first = form[form.index("<button") :].partition(">")[0]
    assert "choose" not in first


def test_a_trend_and_a_forecast_are_drawn_with_their_numbers(cast: Cast, agent: Agent) -> None:
    client = browser(cast.alice, "es")
    trend = sent(client, "get_trends", period="month")
    assert 'class="plot"' in trend
    assert "<dt>dirección</dt><dd>sube</dd>" in trend
    forecast = sent(client, "forecast", period="month", horizon="3")
    assert "<dt>periodos por venir</dt><dd>3</dd>" in forecast
    assert "previsión" in forecast


def many(agent: Agent, rows: int) -> str:
    """A metric of so many rows, each of a region of its own."""
    said = "\n".join(("day,region,amount,email", *(f"2021-01-05,r{n:04},1," for n in range(rows))))
    grant(agent, sales(agent.organization, "Muchas", said))
    return str(Metric.objects.get(table__source__name="Muchas").pk)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (1, "1 fila"),
        (50, "50 filas"),
        (420, "420 filas; se muestran las 50 primeras."),
        (1_000, "1000 filas; se muestran las 50 primeras."),
        (1_001, "Se leyeron 1000 filas o más; se muestran las 50 primeras."),
    ],
)
def test_that_there_may_be_more_is_said_only_where_that_is_so(rows: int, told: str, cast: Cast, agent: Agent) -> None:
    shown = browser(cast.alice, "es").post(
        f"{PAGE}?tool=query_analytics&metric={many(agent, rows)}", {"dimensions_shown": ["región"]}
    )
    assert re.search(r'<p class="small soft">([^<·]*?)\s*·', shown.content.decode())[1] == told  # type: ignore[index]


def test_of_a_long_series_the_last_periods_are_shown_and_all_are_counted(cast: Cast, agent: Agent) -> None:
    days = "\n".join(f"{date(2005 + n // 12, n % 12 + 1, 5)},r,{100 + n + n % 7}," for n in range(150))
    grant(agent, sales(agent.organization, "Largas", f"day,region,amount,email\n{days}"))
    pk = Metric.objects.get(table__source__name="Largas").pk
    shown = browser(cast.alice).post(f"{PAGE}?tool=get_trends&metric={pk}", {"period": "month"}).content.decode()
    assert "150 rows; the last 120 are shown." in shown


def test_what_a_forecast_foresees_stands_above_what_was_known(cast: Cast, agent: Agent) -> None:
    """Without the columns in which the one or the other has nothing."""
    shown = sent(browser(cast.alice, "es"), "forecast", period="month", horizon="3")
    ahead, known = re.findall(r"<caption>.*?</table>", shown, re.DOTALL)
    assert shown.index("<caption>") < shown.index('class="plot"') < shown.rindex("<caption>")
    assert "Periodos por venir" in ahead
    assert re.findall(r'<td data-label="mes">([^<]+)</td>', ahead) == ["2025-01-01", "2025-02-01", "2025-03-01"]
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", ahead)
    assert heads == ["mes", "previsión", "al menos (80 %)", "como mucho (80 %)", "al menos (95 %)", "como mucho (95 %)"]
    assert all(cells(ahead))
    assert "Periodos conocidos" in known
    assert re.findall(r"<th[^>]*>([^<]*)</th>", known) == ["mes", "valor"]
    assert len(cells(known)) == 2 * 48
    assert all(cells(known))


def test_a_statement_reads_what_the_agent_reads_and_nothing_else(cast: Cast, agent: Agent) -> None:
    client, source = browser(cast.alice), SourceTable.objects.get(name="customers").source_id
    shown = sent(client, "query", source=source, sql="SELECT region, email FROM customers ORDER BY region")
    assert cells(shown) == ["north", "•••", "south", "•••"]
    assert EMAIL not in shown
    answer = client.post(f"{PAGE}?tool=query", {"source": source, "sql": "DROP TABLE customers"})
    assert answer.status_code == 400
    assert "DROP TABLE customers" in answer.content.decode(), "what was written is still there"
    assert 'class="plot"' not in answer.content.decode()


def test_it_is_counted_and_recorded_as_a_call_over_the_api_is(cast: Cast, agent: Agent, settings: Any) -> None:
    limit(settings, searches=1)
    sent(browser(cast.alice), "query_analytics")
    (call,) = ToolCall.objects.all()
    assert (call.user_id, call.source_id) == (cast.alice.user_id, SourceTable.objects.get(name="sales").source_id)
    assert "is reached" in sent(browser(cast.alice), "query_analytics")
    assert ToolCall.objects.count() == 1


def test_a_metric_without_time_has_numbers_alone(cast: Cast, agent: Agent) -> None:
    Metric.objects.update(time_column="")
    shown = browser(cast.alice).get(f"{PAGE}?tool=get_trends").content.decode()
    assert "no column of time" in shown
    assert 'name="group_by"' not in browser(cast.alice).get(PAGE).content.decode()


def test_an_agent_without_metrics_is_asked_by_statements(cast: Cast, agent: Agent) -> None:
    Metric.objects.all().delete()
    shown = browser(cast.alice).get(PAGE).content.decode()
    assert 'name="sql"' in shown
    assert "tool=forecast" not in shown
    assert browser(cast.alice).get(f"{PAGE}?tool=forecast").status_code == 404


def test_it_is_there_for_who_may_ask_the_agent_alone(cast: Cast, agent: Agent) -> None:
    assert browser(cast.charlie).get(PAGE).status_code == 404
    assert browser(cast.charlie).post(f"{PAGE}?tool=query_analytics").status_code == 404
    assert browser(None).get(PAGE).status_code == 302
    agent.is_active = False
    agent.save()
    assert browser(cast.alice).get(PAGE).status_code == 404
    AgentFactory(organization=cast.alice.organization, slug="reader")
    assert browser(cast.alice).get("/agents/reader/data/").status_code == 404


def test_what_stands_in_the_address_chooses_among_its_own(cast: Cast, agent: Agent) -> None:
    for strange in ("tool=nothing", "tool=retrieve", "tool=upsert_knowledge"):
        assert browser(cast.alice).get(f"{PAGE}?{strange}").status_code == 404
    own = Metric.objects.get(table__source__organization=cast.alice.organization)
    elsewhere = sales(cast.charlie.organization).metrics.get()
    shown = browser(cast.alice).get(f"{PAGE}?metric={elsewhere.pk}").content.decode()
    assert f'action="?tool=query_analytics&amp;metric={own.pk}"' in shown
