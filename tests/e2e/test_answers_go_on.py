"""An answer belongs to its conversation, not to the tab: it goes on, and every tab follows it (API.md, "Chat")."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.server import Installation, prepared, serving
from tests.e2e.visits import Visits
from tests.fakes.fixtures import ModelServer
from tests.live import eventually

pytestmark = pytest.mark.browser

QUESTION = "¿Cuántos libros puedo llevarme en préstamo?"
# Three paragraphs of numbered words and a citation: what is lost, doubled or out of order shows.
WORDS = [f"palabra{n}" for n in range(120)]
TEXT = "\n\n".join(" ".join([*WORDS[n : n + 40], "[1]."]) for n in range(0, 120, 40))
READ = re.sub(r"\[1\]\.", "1.", TEXT).split()
TOLD_WITHIN = 15_000  # ms for an answer whose writer has died


@pytest.fixture
def chat(modelled_visits: Visits, model_server: ModelServer) -> Iterator[ChatPage]:
    """A new conversation with the writer."""
    with modelled_visits.window("alicia") as page:
        page.goto("/agents/escritor-de-libros/")
        yield ChatPage(page)


def asked(chat: ChatPage, model: ModelServer, pace: float = 0.05) -> None:
    """A question whose answer is being written: six seconds of it."""
    model.script(path="chat", text=TEXT, pace=pace)
    chat.ask(QUESTION)
    expect(chat.prose).to_contain_text("palabra20 ")
    expect(chat.page).to_have_url(re.compile("/conversations/"))


def assert_whole(chat: ChatPage, model: ModelServer) -> None:
    """The rest has arrived; nothing is lost or doubled, here or on a fresh page; and the model was asked once."""
    chat.wait_for_end()
    assert chat.written() == READ
    expect(chat.failure).to_be_hidden()
    expect(chat.answer.locator("[data-stopped]")).to_be_hidden()
    expect(chat.stage).to_have_text("La respuesta está completa.")
    assert model.stats()["chat_requests"] == 1
    chat.page.reload()
    assert chat.written() == READ


def test_a_reload_in_the_middle_shows_what_there_is_and_the_rest_arriving(
    chat: ChatPage, model_server: ModelServer
) -> None:
    asked(chat, model_server)
    chat.page.reload()
    expect(chat.prose).to_contain_text("palabra20 ", timeout=2_000)
    expect(chat.stop).to_be_visible()
    expect(chat.stage).to_have_text("Escribiendo la respuesta…")
    expect(chat.page.locator("article.question")).to_have_count(1)
    expect(chat.prose).to_have_attribute("aria-busy", "true")
    seen = len(chat.written())
    expect(chat.prose).to_contain_text(f"palabra{seen + 10} ")
    assert chat.stop.is_visible(), "the rest arrives while it is written"
    assert_whole(chat, model_server)


def test_a_list_that_is_not_finished_is_not_left_out_after_a_reload(chat: ChatPage, model_server: ModelServer) -> None:
    """Its block is told only when the line behind it is whole; what was told as text meanwhile stays."""
    model_server.script(
        path="chat", text="Reglas:\n\n- pide el carné\n- devuélvelo\n\nY luego", endless=True, pace=0.02
    )
    chat.ask(QUESTION)
    expect(chat.prose).to_contain_text("más5 ")
    chat.page.reload()
    expect(chat.prose.locator("[data-block]")).to_have_count(1)
    expect(chat.prose).to_contain_text("- devuélvelo")
    chat.stop.click()
    chat.wait_for_end()
    expect(chat.prose.locator("li")).to_have_count(2)
    assert chat.written()[:7] == ["Reglas:", "pide", "el", "carné", "devuélvelo", "Y", "luego"]


def test_back_from_a_source_in_the_middle_shows_the_rest_arriving(chat: ChatPage, model_server: ModelServer) -> None:
    asked(chat, model_server)
    chat.leave_for_a_source()
    chat.page.go_back()
    expect(chat.stop).to_be_visible()
    expect(chat.prose).to_contain_text("palabra30 ")
    assert_whole(chat, model_server)


def test_an_answer_that_ended_while_its_reader_was_elsewhere_is_whole(
    chat: ChatPage, model_server: ModelServer
) -> None:
    asked(chat, model_server, pace=0.01)
    chat.leave_for_a_source()
    eventually(lambda: model_server.stats()["active"] == 0, 5)
    chat.page.go_back()
    expect(chat.answer).to_have_class(re.compile("settled"))
    assert chat.written() == READ


def test_an_answer_goes_on_when_its_tab_is_closed(chat: ChatPage, model_server: ModelServer) -> None:
    asked(chat, model_server)
    address, window = chat.page.url, chat.page.context
    chat.page.close()
    again = ChatPage(window.new_page())
    again.page.wait_for_timeout(500)
    again.page.goto(address)
    expect(again.stop).to_be_visible()
    assert_whole(again, model_server)


def test_a_page_that_comes_out_of_the_browsers_cache_follows_on(chat: ChatPage, model_server: ModelServer) -> None:
    """What the browser does to a page that it puts aside and takes out again, without leaving it."""
    asked(chat, model_server)
    chat.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    chat.page.wait_for_timeout(200)
    chat.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert_whole(chat, model_server)


def test_a_second_tab_follows_at_the_same_time_and_its_stop_stops_both(
    chat: ChatPage, model_server: ModelServer
) -> None:
    model_server.script(path="chat", text="Primero una frase.\n\nY luego", endless=True, pace=0.02)
    chat.ask(QUESTION)
    expect(chat.prose).to_contain_text("más5 ")
    second = ChatPage(chat.page.context.new_page())
    second.page.goto(chat.page.url)
    expect(second.prose).to_contain_text("más5 ", timeout=2_000)
    later = f"más{len(second.written()) + 50} "
    for tab in (chat, second):
        expect(tab.prose).to_contain_text(later)
    second.stop.click()
    eventually(lambda: model_server.stats()["active"] == 0, 1)
    for tab in (chat, second):
        tab.wait_for_end()
        expect(tab.answer.locator("[data-stopped]")).to_be_visible()
        expect(tab.failure).to_be_hidden()
    assert chat.written() == second.written()
    second.page.reload()
    assert second.written() == chat.written()


def test_a_tab_that_was_open_before_shows_the_question_that_another_one_asks(
    chat: ChatPage, model_server: ModelServer
) -> None:
    model_server.script(path="chat", text="Seis [1].")
    chat.ask_to_the_end(QUESTION)
    second = ChatPage(chat.page.context.new_page())
    second.page.goto(chat.page.url)
    expect(second.page.locator("article.answer")).to_have_count(1)
    model_server.script(path="chat", text=TEXT, pace=0.03)
    chat.ask("¿Y cuánto dura?")
    expect(second.page.locator("article.question")).to_have_count(2)
    expect(second.page.locator("article.question").last).to_contain_text("¿Y cuánto dura?")
    expect(second.stop).to_be_visible()
    for tab in (chat, second):
        tab.wait_for_end()
        assert [word for word in tab.written() if word.startswith("palabra")] == WORDS


def test_a_lost_connection_is_said_and_taken_up_again(chat: ChatPage, model_server: ModelServer) -> None:
    asked(chat, model_server)
    chat.page.route("**/api/messages/*/events/", lambda route: route.abort())
    chat.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")  # lets go of it
    expect(chat.stage).to_have_text("Sin conexión. Conectando de nuevo…")
    expect(chat.stop).to_be_visible()
    chat.page.unroute("**/api/messages/*/events/")
    expect(chat.stage).to_have_text("Escribiendo la respuesta…")
    assert_whole(chat, model_server)


def test_a_question_is_there_after_a_reload_while_its_search_still_runs(
    chat: ChatPage, model_server: ModelServer
) -> None:
    model_server.script(path="chat", text="Seis [1].")
    chat.ask_to_the_end(QUESTION)
    model_server.script(path="chat", latency=3.5, times=1, json_answer={"question": QUESTION, "phrasings": []})
    chat.ask("¿Y cuánto dura?")
    chat.page.wait_for_timeout(500)
    second = ChatPage(chat.page.context.new_page())
    second.page.goto(chat.page.url)
    chat.page.reload()
    for tab in (chat, second):
        expect(tab.page.locator("article.question")).to_have_count(2)
        expect(tab.page.locator("article.question").last).to_contain_text("¿Y cuánto dura?")
        expect(tab.stage).to_have_text("Buscando en los documentos…")
        expect(tab.stop).to_be_visible()
    for tab in (chat, second):
        tab.wait_for_end()
        assert tab.written() == ["Seis", "1."]
    assert chat.page.locator("article.answer").count() == 2


def test_a_new_conversation_has_its_address_before_anything_was_found(
    chat: ChatPage, model_server: ModelServer
) -> None:
    model_server.script(path="chat", text="Seis.")
    model_server.script(path="embeddings", latency=20)  # more than the search waits for
    chat.ask(QUESTION)
    chat.page.wait_for_url("**/conversations/**")
    chat.page.reload()
    expect(chat.page.locator("article.question")).to_contain_text(QUESTION)
    chat.wait_for_end()
    expect(chat.page.locator("article.answer")).to_have_count(1)
    expect(chat.prose).to_have_text("Seis.")


def test_back_from_a_citation_returns_to_the_place_where_it_was_read(chat: ChatPage, model_server: ModelServer) -> None:
    page = chat.page
    model_server.script(path="chat", text=TEXT)
    for n in range(4):
        chat.ask_to_the_end(f"{QUESTION} {n}")
    page.evaluate("document.querySelectorAll('article.answer')[1].scrollIntoView()")
    page.locator("#question").fill("A medio escribir")
    page.mouse.wheel(0, -60)
    page.wait_for_timeout(200)
    left = page.evaluate("scrollY")
    chat.leave_for_a_source()
    assert left > 0
    page.go_back()
    expect(chat.answer).to_have_class(re.compile("settled"))
    page.wait_for_timeout(300)
    assert abs(page.evaluate("scrollY") - left) <= 2
    expect(page.locator("#question")).to_have_value("A medio escribir")
    page.goto(page.url)
    expect(page.locator("article.question").last).to_be_in_viewport()


def test_a_killed_server_leaves_what_had_arrived_and_it_is_marked(
    modelled_visits: Visits, model_server: ModelServer, tmp_path: Path
) -> None:
    environment, people = prepared(tmp_path, OPENAI_BASE_URL=model_server.openai_url)
    with serving(tmp_path, environment, people) as (installation, process):
        visits = Visits(modelled_visits.browser, installation)
        with visits.window("alicia", is_refused=True) as page:
            chat = ChatPage(page)
            page.goto("/agents/escritor-de-libros/")
            model_server.script(path="chat", text="Primero una frase.\n\nY luego", endless=True, pace=0.05)
            chat.ask(QUESTION)
            expect(chat.prose).to_contain_text("más60 ")
            process.kill()
            process.wait()
            expect(chat.stage).to_have_text("Sin conexión. Conectando de nuevo…")
            with serving(tmp_path, environment, people, port_of(installation)):
                second = ChatPage(page.context.new_page())
                second.page.goto(page.url)
                expect(second.prose).to_contain_text("más15 ")
                for tab in (chat, second):
                    assert_broken_off(tab)
                assert chat.written() == second.written(), "what is shown is what was kept"
                page.reload()
                assert_broken_off(chat)


def test_back_among_earlier_messages_loads_them_and_gives_the_focus_back(
    chat: ChatPage, model_server: ModelServer, modelled_visits: Visits
) -> None:
    page, api = chat.page, modelled_visits.installation.api
    model_server.script(path="chat", text="Seis [1].")
    asking = {"messages": [{"role": "user", "content": QUESTION}], "stream": False}
    conversation = api("alicia", "POST", "/api/agents/escritor-de-libros/chat/", asking)["conversation"]
    for _n in range(30):
        api("alicia", "POST", "/api/agents/escritor-de-libros/chat/", {**asking, "conversation": conversation})
    page.goto(f"/conversations/{conversation}/")
    expect(page.locator("article.answer")).to_have_count(25)
    page.get_by_role("button", name="Mensajes anteriores").click()
    expect(page.locator("article.answer")).to_have_count(31)
    citation = page.locator("article.answer").nth(2).locator("a.citation")
    citation.scroll_into_view_if_needed()
    page.locator("article.answer").nth(2).get_by_role("button", name="Copiar").focus()
    page.keyboard.press("Shift+Tab")
    expect(citation).to_be_focused()
    page.wait_for_timeout(200)
    top = page.evaluate("document.activeElement.getBoundingClientRect().top")
    chat.leave_for_a_source()
    page.go_back()
    expect(citation).to_be_focused()
    assert abs(page.evaluate("document.activeElement.getBoundingClientRect().top") - top) <= 2


def port_of(installation: Installation) -> int:
    return int(installation.url.rpartition(":")[2])


def assert_broken_off(chat: ChatPage) -> None:
    expect(chat.failure).to_be_visible(timeout=TOLD_WITHIN)
    expect(chat.failure).to_contain_text("Lo que había llegado se conserva")
    expect(chat.answer.get_by_role("button", name="Preguntar otra vez")).to_be_visible()
    expect(chat.prose).to_contain_text("Primero una frase.")
    expect(chat.prose).to_contain_text("más15 ")
    expect(chat.stop).to_be_hidden()
