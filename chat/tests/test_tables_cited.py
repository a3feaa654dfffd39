"""Which row stands behind a claim; and the table on its page, in the conversation, and among what is taken along."""

import time
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from chat.citing.rows import AnswerTable, nothing_left
from chat.citing.support import MOST_JUDGED
from chat.citing.tables import rows_behind
from chat.leaving.transcripts import as_json, as_markdown, markdown_sources
from chat.models import Message
from tests.cast import Cast, browser, make_cast
from tests.factories import AgentFactory, ConversationFactory, MessageFactory, table_of_answer
from tests.shops import grant, shop

COLUMNS = [{"name": "region", "type": "text"}, {"name": "total", "type": "decimal"}, {"name": "since", "type": "date"}]
ROWS = [["Norte", "1234.567", "2025-01-03"], ["Sur", -20, "2024-06-30"], ["Este y Oeste", None, None]]


def table(**changes: Any) -> AnswerTable:
    made = {"n": 3, "columns": COLUMNS, "rows": ROWS, "row_count": 3, "statement": "SELECT … WHERE year >= 2025"}
    return AnswerTable(**made | changes)


def behind(answer: str, **changes: Any) -> list[str | None]:
    return rows_behind(answer, [table(**changes)], others=(1, 2))[3]


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("El norte vendió 1234.567 euros [3].", 0),
        ("El norte vendió 1.234,567 euros [3].", 0),
        ("El norte vendió 1,234.6 euros [3].", 0),
        ("El norte vendió unos 1.235 euros [3].", 0),
        ("El sur perdió 20 euros [3].", 1),
        ("El sur perdió veinte euros [3].", 1),
        ("En 2025 el norte vendió 1234.567 euros [3].", 0),
        ("Este y Oeste no tienen ventas [3].", 2),
        ("Se cuenta desde el 30 de la zona [3].", 1),
        ("El norte vendió 1.234.567 euros [3].", None),
        ("El norte vendió 9999 euros [3].", None),
        ("El norte vendió 1234.5 euros [3].", None),
        ("En 2019 el norte vendió 1234.567 euros [3].", None),
        ("El centro es la mejor zona de todas [3].", None),
    ],
)
def test_a_claim_is_held_against_the_cells(claim: str, row: int | None) -> None:
    (said,) = behind(claim)
    assert (said is None) == (row is None)
    if row is not None and said is not None:
        assert said.startswith(f"region: {ROWS[row][0]} · ")


def test_other_citations_of_the_sentence_are_no_numbers_of_the_claim() -> None:
    assert behind("Según la norma [2] y la tabla, el sur perdió 20 euros [1][3].") != [None]


NUMBERS = {"direction": "up", "change": 87.5, "noise": 3.25, "unusual": ""}


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("Las ventas subieron 87,5 en todo el tiempo [3].", True),
        ("Las ventas subieron 88 en todo el tiempo [3].", True),
        ("Las ventas subieron 55,5 en todo el tiempo [3].", False),
    ],
)
def test_what_was_computed_of_all_rows_bears_out_a_claim_too(claim: str, supported: bool) -> None:
    with override("en"):
        (said,) = behind(claim, numbers=NUMBERS)
    assert (said is not None) == supported
    if said:
        assert said.startswith("direction: up · change: 87.5")


@pytest.mark.parametrize(
    ("claim", "way", "supported"),
    [
        ("Las ventas han crecido [3].", "up", True),
        ("Las ventas van al alza [3].", "up", True),
        ("Sales are falling [3].", "down", True),
        ("Las ventas se mantienen estables [3].", "flat", True),
        ("Las ventas han bajado [3].", "up", False),
        ("Las ventas no han crecido [3].", "up", False),
        ("Las ventas suben y bajan [3].", "up", False),
        ("Las ventas han crecido 87,5 [3].", "up", True),
        ("Las ventas han bajado 87,5 [3].", "up", False),
        ("Las bajas por enfermedad son un problema [3].", "down", False),
        ("Las ventas han crecido [3].", "", False),
    ],
)
def test_a_trend_bears_out_which_way_it_goes_and_no_other(claim: str, way: str, supported: bool) -> None:
    (said,) = behind(claim, tool="get_trends", numbers={**NUMBERS, "direction": way})
    assert (said is not None) == supported


def test_what_was_computed_is_told_in_the_language_of_whoever_reads() -> None:
    columns = [{"name": name, "type": "number"} for name in ("month", "value", "forecast", "low_80")]
    rows = [["2025-01-01", 3, None, None], ["2025-02-01", None, 4.5, 4]]
    with override("es"):
        assert table(tool="get_trends", numbers=NUMBERS).snippet == "dirección: sube · cambio: 87.5 · ruido: 3.25"
        said = table(tool="forecast", columns=columns, rows=rows, numbers={"model": "level"}).snippet
        assert said == "mes: 2025-02-01 · valor: — · previsión: 4.5 · al menos (80 %): 4"
        assert table(tool="query", columns=columns, rows=rows).snippet.startswith("month: 2025-01-01 · value: 3")


def test_the_number_of_rows_counts_as_said_by_the_table() -> None:
    names = [["Norte"], ["Sur"], ["Este"]]
    assert behind("Hay 3 regiones [3].", columns=COLUMNS[:1], rows=names) == ["3"]
    assert behind("Hay 4 regiones [3].", columns=COLUMNS[:1], rows=names) == [None]


def test_a_year_that_was_asked_for_alone_tells_nothing_of_a_row() -> None:
    asked = {"statement": "SELECT region FROM sales WHERE year = 2023"}
    assert behind("En 2023 la mejor zona fue el Norte [3].", **asked)[0] is not None
    assert behind("En 2023 la mejor zona fue el centro [3].", **asked) == [None]


@pytest.mark.parametrize(
    "cell", ["1e9999999", "-1E-9999999", "9" * 4_000, "NaN", "sNaN", "Infinity", "1_0", "0e999999"]
)
def test_no_cell_keeps_an_answer_from_its_end(cell: str) -> None:
    names = [{"name": "a", "type": "text"}]
    assert behind("Hay 77 clientes [3]. Hay 1 cliente [3].", columns=names, rows=[[cell], ["77"]])[0] == "a: 77"


def test_an_answer_full_of_numbers_and_citations_is_looked_through_once() -> None:
    """A model repeats what rows tell it to, and rows are anybody's."""
    names = [{"name": f"c{n}", "type": "text"} for n in range(20)]
    rows = [["1 2 3 4.5 " * 6] * 20 for _ in range(50)]
    said = " ".join(["99", *(f"{n}.{'1' * (n % 60 + 1)}" for n in range(100))])
    began = time.process_time()
    found = behind(f"El valor es {said} [3]. " * 300, columns=names, rows=rows)
    assert time.process_time() - began < 20
    assert found == [None] * MOST_JUDGED


def test_each_citation_has_its_own() -> None:
    assert [one is None for one in behind("El sur perdió 20 [3]. El norte ganó 7 [3].")] == [False, True]


def test_where_nothing_was_found_a_number_is_borne_out_by_nothing() -> None:
    empty = {"rows": [], "row_count": 0}
    assert behind("El sur perdió 20 euros [3].", **empty) == [None]
    assert behind("Hay 0 regiones [3].", **empty) == ["0"]


def test_where_nothing_was_found_nothing_is_a_claim_that_is_borne_out() -> None:
    empty, zero, none = ({"rows": rows, "row_count": len(rows)} for rows in ([], [["0.00"]], [[None]]))
    for nothing in (empty, zero, none):
        said = behind("No hubo ventas en el norte [3]. There were no sales [3].", columns=COLUMNS[1:2], **nothing)
        assert None not in said, nothing
        assert behind("El norte es la mejor zona [3].", columns=COLUMNS[1:2], **nothing) == [None]
    assert behind("No hubo ventas en el centro [3].") == [None]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def cited(cast: Cast) -> AnswerTable:
    conversation = ConversationFactory(of=cast.alice, agent=AgentFactory(organization=cast.alice.organization))
    answer = MessageFactory(conversation=conversation, role="assistant", content="Hay 1 [9]. Hay 7 [9].")
    made = table_of_answer(answer, "<b>Tienda</b>")
    made.quotes = ["region: a · n: 1", None]
    made.save()
    return made


def address(one: AnswerTable) -> str:
    return f"/messages/{one.message_id}/tables/{one.n}/"


def test_a_table_is_a_page_of_whoever_asked_alone(cast: Cast, cited: AnswerTable) -> None:
    page = browser(cast.alice).get(address(cited))
    assert page.status_code == 200
    text = page.content.decode()
    assert "&lt;b&gt;Tienda&lt;/b&gt;: customers" in text
    assert "SELECT region, n FROM customers" in text
    assert "<b>Tienda" not in text
    for stranger in (cast.bob, cast.admin, cast.charlie):
        assert browser(stranger).get(address(cited)).status_code == 404
    assert browser(cast.alice).get(f"/messages/{cited.message_id}/tables/1/").status_code == 404


def test_beside_the_conversation_it_is_a_fragment(cast: Cast, cited: AnswerTable) -> None:
    text = browser(cast.alice).get(address(cited), headers={"HX-Request": "true"}).content.decode()
    assert 'id="reader"' in text
    assert "<html" not in text


def test_a_series_opens_with_a_picture_and_its_numbers(cast: Cast, cited: AnswerTable) -> None:
    hostile = "<script>alert(1)</script>"
    AnswerTable.objects.update(
        columns=[{"name": "month", "type": "date"}, {"name": hostile, "type": "number"}],
        rows=[["2025-01-01", 1], ["2025-02-01", 2.5]],
        numbers={**NUMBERS, "model": hostile},
    )
    text = browser(cast.alice, "es").get(address(cited)).content.decode()
    assert text.count("<svg") >= 1
    assert 'class="plot"' in text
    assert "<dt>dirección</dt><dd>sube</dd>" in text
    assert "<dt>cambio</dt><dd>87,5</dd>" in text
    assert hostile not in text
    AnswerTable.objects.update(numbers=None, columns=[{"name": "region", "type": "text"}], rows=[["norte"]])
    assert 'class="plot"' not in browser(cast.alice).get(address(cited)).content.decode()


def test_the_conversation_shows_it_after_it_was_loaded_again(cast: Cast, cited: AnswerTable) -> None:
    client: Client = browser(cast.alice, "es")
    text = client.get(f"/conversations/{cited.message.conversation_id}/").content.decode()
    assert f'href="{address(cited)}"' in text
    assert "1 filas" in text
    assert 'data-quote="region: a · n: 1"' in text
    assert "citation unsupported" in text


def test_what_was_deleted_says_so(cast: Cast, cited: AnswerTable) -> None:
    Message.objects.filter(pk=cited.message_id).update(state="supported", confidence="high")
    AnswerTable.objects.update(cited=True, **nothing_left())
    assert "deleted" in browser(cast.alice).get(address(cited)).content.decode()
    page = browser(cast.alice).get(f"/conversations/{cited.message.conversation_id}/")
    text = page.content.decode()
    assert "A data source that was deleted" in text
    assert 'data-states="deleted">' in text, "the answer still counts as supported"
    (exported,) = as_json(cited.message.conversation)["messages"]
    assert "[9] The data source was deleted." in markdown_sources(exported["sources"])


def test_it_is_taken_along_with_the_conversation(cited: AnswerTable) -> None:
    said = as_json(cited.message.conversation)
    (source,) = said["messages"][0]["sources"]
    assert (source["n"], source["rows"], source["statement"]) == (9, cited.rows, cited.statement)
    with override("es"):
        assert "[9] <b>Tienda</b>: customers" in as_markdown(said)


def test_members_see_which_data_an_agent_reads(cast: Cast) -> None:
    agent = AgentFactory(organization=cast.alice.organization, slug="clerk")
    source = shop(cast.alice.organization)
    grant(agent, source.tables.get(name="customers"))
    conversation = ConversationFactory(of=cast.alice, agent=agent)
    for place in ("/agents/clerk/", f"/conversations/{conversation.pk}/"):
        text = browser(cast.alice, "es").get(place).content.decode()
        assert "Consulta datos de" in text, place
        assert "Shop" in text
        assert "orders" not in text
