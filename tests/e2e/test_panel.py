"""A document beside the conversation: what it shows, how one goes about in it, and that the chat stays where it is."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.corpus_page import uploaded
from tests.e2e.documents import WalkDocuments, short_pdf
from tests.e2e.visits import PHONE, Visits

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(visits: Visits, documents: WalkDocuments) -> str:
    return conversation_about(visits, documents.cited, documents.question)


def conversation_about(visits: Visits, cited: Path, question: str) -> str:
    """The address of one whose answer cites a PDF of its own."""
    api = visits.installation.api
    corpus = api("alicia", "POST", "/api/corpora/", {"name": f"Al lado de {cited.stem}"})["id"]
    uploaded(visits, corpus, cited)
    api("alicia", "POST", "/api/agents/escritor-de-libros/corpora/", {"corpus": corpus})
    ask = {"messages": [{"role": "user", "content": question}], "stream": False}
    answer = api("alicia", "POST", "/api/agents/escritor-de-libros/chat/", ask)
    assert any(one["text"] for one in answer["citations"])
    return f"{visits.installation.url}/conversations/{answer['conversation']}/"


@pytest.fixture
def beside(visits: Visits, address: str) -> Iterator[Page]:
    """With the panel open at the first citation."""
    with visits.window("alicia") as page:
        page.goto(address)
        page.evaluate("window.stayed = true")
        page.locator("#question").fill("A medio escribir")
        page.locator("a.citation").first.click()
        expect(page.locator("#panel rect#passage")).to_be_in_viewport()
        yield page
        assert page.evaluate("window.stayed"), "the conversation was unloaded"
        assert page.url == address


def test_opening_a_source_leaves_the_conversation_as_it_is(beside: Page) -> None:
    expect(beside.locator("#question")).to_have_value("A medio escribir")
    answer, panel = beside.locator("article.answer").last.bounding_box(), beside.locator("#panel").bounding_box()
    assert answer is not None
    assert panel is not None
    assert answer["x"] + answer["width"] <= panel["x"], "they stand side by side"
    assert panel["width"] >= 550
    beside.keyboard.press("Escape")
    expect(beside.locator("#panel")).to_be_hidden()
    expect(beside.locator("a.citation").first).to_be_focused()


def test_a_sentence_on_a_later_page_than_its_passage_begins_on_is_gone_to(visits: Visits, tmp_path: Path) -> None:
    address = conversation_about(visits, short_pdf(tmp_path / "faro.pdf"), "¿Cuándo se hace el relevo en el faro?")
    with visits.window("alicia") as page:
        page.goto(address)
        page.locator("a.citation").first.click()
        panel = page.locator("#panel")
        for _ in range(2):
            expect(panel.locator("rect#passage")).to_be_in_viewport()
            expect(panel.locator("#page")).to_have_value("2")
            panel.get_by_role("link", name="Leer como texto").click()
            panel.get_by_role("link", name="Tal como está impreso").click()


def test_the_passage_is_in_view_when_the_styles_come_late(visits: Visits, address: str) -> None:
    def late(route: Route) -> None:
        time.sleep(1.5)
        route.continue_()

    with visits.window("alicia") as page:
        page.route(re.compile(r"/reader[.\w]*\.css"), late)
        page.goto(address)
        page.locator("a.citation").first.click()
        expect(page.locator("#panel rect#passage")).to_be_attached()
        page.wait_for_load_state("networkidle")
        expect(page.locator("#panel rect#passage")).to_be_in_viewport()


def test_its_letters_stand_over_the_printed_ones_and_can_be_selected(beside: Page) -> None:
    box = beside.locator("#panel rect#passage").bounding_box()
    assert box is not None
    lines = beside.locator("#panel .printed text")
    tops = [one.bounding_box() for one in lines.all()]
    assert any(one and abs(one["y"] - box["y"]) < box["height"] for one in tops), "no line stands where the box is"
    lines.first.select_text()
    assert len(beside.evaluate("getSelection().toString().trim()")) > 3


def test_what_is_selected_becomes_the_beginning_of_a_question(beside: Page) -> None:
    line = beside.locator("#panel .printed text").filter(has_text=re.compile(r"\w+ \w+ \w+ \w+")).first
    said = line.text_content()
    line.select_text()
    line.dispatch_event("pointerup")
    beside.get_by_role("button", name="Preguntar sobre esto").click()
    assert said
    expect(beside.locator("#question")).to_be_focused()
    assert " ".join(said.split()) in beside.locator("#question").input_value()


def test_pages_words_and_size_are_gone_through_inside_of_it(beside: Page, documents: WalkDocuments) -> None:
    panel = beside.locator("#panel")
    at = int(panel.locator("#page").input_value())
    panel.get_by_role("link", name="Adelante").first.click()
    expect(panel.locator("#page")).to_have_value(str(at + 1))
    panel.locator("#page").fill(str(at))
    panel.locator("#page").press("Enter")
    expect(panel.locator(f".printed img[src*='/pages/{at}/']")).to_be_visible()
    width = panel.locator(".printed").bounding_box()
    panel.get_by_role("button", name="Más grande").click()
    wider = panel.locator(".printed").bounding_box()
    assert width is not None
    assert wider is not None
    assert wider["width"] > 1.4 * width["width"]
    word = max(documents.question.strip("¿?").split(), key=len)
    panel.get_by_role("searchbox").fill(word.upper())
    panel.get_by_role("searchbox").press("Enter")
    expect(panel.locator(".hits li").first).to_be_visible()
    panel.locator(".hits li a").first.click()
    expect(panel.locator("rect#passage")).to_be_in_viewport()
    expect(panel.locator(".hits")).to_contain_text("1 ")
    panel.get_by_role("link", name="Leer como texto").click()
    expect(panel.locator("article.reading")).to_be_visible()
    panel.get_by_role("link", name="Tal como está impreso").click()
    expect(panel.locator(".printed img")).to_be_visible()


def test_on_a_phone_it_is_a_sheet_that_back_closes(visits: Visits, address: str) -> None:
    with visits.window("alicia", size=PHONE, has_touch=True, is_mobile=True) as page:
        page.goto(address)
        page.evaluate("window.stayed = true")
        page.locator(".source [data-link]").first.tap()
        expect(page.locator("#panel #reader")).to_be_visible()
        box = page.locator("#panel").bounding_box()
        assert box is not None
        assert box["width"] == PHONE[0]
        page.go_back()
        expect(page.locator("#panel")).to_be_hidden()
        assert page.evaluate("window.stayed"), "Back has left the conversation"
