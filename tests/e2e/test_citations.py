"""Citations as people follow them: of a model's answer, just written and long ago, by pointer, key and finger."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.corpus_page import uploaded
from tests.e2e.visits import PHONE, Visits
from tests.fakes.fixtures import ModelServer

pytestmark = pytest.mark.browser

QUESTION = "¿Qué hace falta para llevarse un material en préstamo?"
SENTENCE = "Para llevarse un material en préstamo hace falta el carné de la biblioteca."
INVENTED = "La biblioteca regala un coche de caballos a cada socio nuevo"


@pytest.fixture
def address(modelled_visits: Visits, model_server: ModelServer) -> str:
    """Of a conversation that holds an answer with a supported and an unsupported claim about the same source."""
    installation = modelled_visits.installation
    ask = {"messages": [{"role": "user", "content": QUESTION}], "stream": False}
    found = installation.api("alicia", "POST", "/api/agents/escritor-de-libros/retrieve/", {"query": QUESTION})
    n = next(n for n, one in enumerate(found["chunks"], 1) if SENTENCE in " ".join(one["text"].split()))
    model_server.script(path="chat", text=f"{SENTENCE} [{n}] {INVENTED} [{n}].")
    answer = installation.api("alicia", "POST", "/api/agents/escritor-de-libros/chat/", ask)
    assert [one["text"] for one in answer["citations"]] == [SENTENCE, None]
    return f"/conversations/{answer['conversation']}/"


@pytest.fixture
def past(modelled_visits: Visits, address: str) -> Iterator[Page]:
    with modelled_visits.window("alicia") as page:
        page.goto(address)
        yield page


def citations(page: Page) -> Locator:
    return ChatPage(page).prose.locator("a.citation")


def assert_reads_the_sentence(page: Page) -> None:
    """In the panel, while the conversation stays where it is."""
    panel = page.locator("#panel")
    expect(panel.locator("[data-whole]")).to_have_attribute("href", re.compile(r"/documents/.*mark=\d+-\d+#passage$"))
    expect(panel.locator("rect#passage")).to_be_in_viewport()
    panel.get_by_text("El texto de esta página").click()
    assert " ".join(panel.locator("mark:not(.faint)").all_inner_texts()) == SENTENCE
    expect(panel.locator("mark.faint").first).to_be_attached()
    assert "/conversations/" in page.url
    assert page.evaluate("window.stayed"), "the conversation was unloaded"


def assert_its_source_opens_at_the_sentence(page: Page) -> None:
    source = page.locator("li.source.pointed [data-link]")
    expect(source).to_have_attribute("href", re.compile(r"mark=\d+-\d+#passage$"))


def test_a_citation_of_a_past_answer_shows_and_opens_its_sentence(past: Page) -> None:
    citations(past).first.hover()
    expect(past.get_by_role("tooltip")).to_contain_text(f"p. 2: {SENTENCE}")
    expect(past.locator("li.source.pointed")).to_have_count(1)
    expect(past.locator("li.source.pointed [data-page]")).to_have_text("p. 2")
    assert_its_source_opens_at_the_sentence(past)
    past.evaluate("window.stayed = true")
    citations(past).first.click()
    assert_reads_the_sentence(past)


def test_a_citation_of_an_answer_that_was_just_written_does_the_same(
    modelled_visits: Visits, model_server: ModelServer, address: str
) -> None:
    with modelled_visits.window("alicia") as page:
        page.goto(address)
        ChatPage(page).ask_to_the_end(QUESTION)  # the model is scripted still
        citations(page).first.hover()
        expect(page.get_by_role("tooltip")).to_contain_text(f"p. 2: {SENTENCE}")
        assert_its_source_opens_at_the_sentence(page)
        page.evaluate("window.stayed = true")
        citations(page).first.click()
        assert_reads_the_sentence(page)


def test_what_may_be_asked_next_moves_no_citation_from_under_the_pointer(modelled_visits: Visits, address: str) -> None:
    with modelled_visits.window("alicia", size=(1280, 640)) as page:
        page.goto(address)
        expect(page.locator(".follow-ups button").first).to_be_attached()
        held: list[Route] = []
        page.route("**/follow-ups/", lambda route: held.append(route))
        ChatPage(page).ask(QUESTION)
        expect(page.locator("article.answer")).to_have_count(2)
        expect(ChatPage(page).answer).to_have_class(re.compile("settled"))
        citations(page).first.hover()
        expect(page.get_by_role("tooltip")).to_be_visible()
        (route,) = held
        stands = citations(page).first.bounding_box()
        route.continue_()
        expect(ChatPage(page).answer.locator(".follow-ups button").first).to_be_attached()
        page.wait_for_timeout(300)
        expect(page.get_by_role("tooltip")).to_be_visible()
        assert citations(page).first.bounding_box() == stands


def test_a_claim_that_nothing_supports_says_so_and_opens_its_source_without_a_sentence(past: Page) -> None:
    unsupported = citations(past).nth(1)
    expect(unsupported).to_have_class("citation unsupported")
    unsupported.focus()
    expect(past.get_by_role("tooltip")).to_have_text("Nada en esta fuente lo dice.")
    unsupported.press("Enter")
    expect(past.locator("#panel [data-whole]")).to_have_attribute(
        "href", re.compile(r"/documents/[^&]*chunk=[^&]*(&page=\d+)?#passage$")
    )
    expect(past.locator("mark.faint")).to_have_count(0)


def test_a_finger_reads_what_is_cited_before_it_leaves_the_chat(modelled_visits: Visits, address: str) -> None:
    with modelled_visits.window("alicia", size=PHONE, has_touch=True, is_mobile=True) as page:
        page.goto(address)
        citations(page).first.tap()
        tooltip = page.get_by_role("tooltip")
        expect(tooltip).to_contain_text(f"{SENTENCE} Toca otra vez para abrir la fuente.")
        box = tooltip.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
        expect(page.locator("li.source.pointed")).to_be_in_viewport()
        assert page.url.endswith(address)
        page.locator("h1").tap()
        expect(tooltip).to_be_hidden()
        page.evaluate("window.stayed = true")
        citations(page).first.tap()
        citations(page).first.tap()
        assert_reads_the_sentence(page)


def test_a_citation_of_a_deleted_document_says_that_it_was_deleted(visits: Visits, tmp_path: Path) -> None:
    (tmp_path / "sirena.md").write_text("# Sirena\n\nLa sirena de Punta Brava suena a las nueve de la noche.\n")
    api = visits.installation.api
    corpus = api("alicia", "POST", "/api/corpora/", {"name": "Breve"})["id"]
    document = uploaded(visits, corpus, tmp_path / "sirena.md")
    api("alicia", "POST", "/api/agents/escritor-de-libros/corpora/", {"corpus": corpus})
    ask = {"messages": [{"role": "user", "content": "¿Cuándo suena la sirena de Punta Brava?"}], "stream": False}
    answer = api("alicia", "POST", "/api/agents/escritor-de-libros/chat/", ask)
    with visits.window("alicia") as page:
        page.goto(f"/conversations/{answer['conversation']}/")
        expect(page.locator(".marks")).not_to_contain_text("se eliminó", use_inner_text=True)
        api("alicia", "DELETE", f"/api/documents/{document}/")
        page.reload()
        expect(page.locator(".marks")).to_have_text("Se eliminó una fuente que cita", use_inner_text=True)
        tooltip = page.get_by_role("tooltip")
        page.evaluate("document.querySelector('a.citation').click()")  # as by touch: no pointer hovers over it
        expect(tooltip).to_have_text("Un documento que se eliminó")
        page.keyboard.press("Escape")
        expect(tooltip).to_be_hidden()
        citations(page).first.focus()
        page.keyboard.press("Enter")
        expect(tooltip).to_have_text("Un documento que se eliminó")
        expect(page.locator("#panel")).to_be_hidden()
