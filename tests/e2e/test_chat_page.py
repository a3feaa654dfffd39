"""The conversation with a scripted model: streaming, stopping, failing, asking again (RELIABILITY, "Faults")."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import Screenshot
from tests.e2e.visits import Visits
from tests.fakes.fixtures import ModelServer
from tests.live import eventually

pytestmark = pytest.mark.browser

QUESTION = "¿Cuántos libros puedo llevarme en préstamo?"
MARKDOWN = """### El préstamo

Con el carné **general** te llevas hasta *seis* documentos [1]. Estas son las reglas:

- pide el carné en el mostrador,
- devuelve cada libro en su fecha [1].

| carné | libros | días |
|-------|-------:|-----:|
| general | 6 | 21 |
| infantil | 4 | 14 |

```python
renovar(libro, dias=7)
```

Y si dudas, pregunta en la [web](https://biblioteca.example/normas).
"""


@pytest.fixture
def chat(modelled_visits: Visits, model_server: ModelServer) -> Iterator[ChatPage]:
    """A new conversation with the writer."""
    with modelled_visits.window("alicia") as page:
        page.goto("/agents/escritor-de-libros/")
        yield ChatPage(page)


def asked_endlessly(chat: ChatPage, model: ModelServer) -> None:
    """A question whose answer has begun and does not end by itself."""
    model.script(path="chat", text="Primero una frase.\n\nY luego", endless=True, pace=0.02)
    chat.ask(QUESTION)
    expect(chat.prose).to_contain_text("más5")


def assert_stopped_with_its_text(page: Page) -> None:
    """What had arrived is on the page, which says that there is no more, and offers to ask again."""
    chat = ChatPage(page)
    expect(chat.answer.locator("[data-stopped]")).to_be_visible()
    expect(chat.prose).to_contain_text("Primero una frase.")
    expect(chat.prose).to_contain_text("más5")
    expect(chat.failure).to_be_hidden()


def answered_again(chat: ChatPage, model: ModelServer) -> None:
    model.reset()
    model.script(path="chat", text="Seis libros [1].")
    chat.answer.get_by_role("button", name="Preguntar otra vez").click()
    expect(chat.page.locator("article.answer")).to_have_count(2)
    chat.wait_for_end()
    expect(chat.page.locator("article.question").last).to_have_text(re.compile(re.escape(QUESTION)))
    expect(chat.prose).to_contain_text("Seis libros")


def test_the_sources_come_first_and_the_answer_block_by_block(
    chat: ChatPage, model_server: ModelServer, screenshot: Screenshot
) -> None:
    model_server.script(path="chat", text=MARKDOWN, stall_before=0.6, pace=0.02)
    chat.ask(QUESTION)
    expect(chat.sources.first).to_be_visible()
    assert chat.prose.inner_text().strip() == ""
    expect(chat.page.locator("#stage")).to_have_text("Escribiendo la respuesta…")
    expect(chat.page.locator("article.question")).to_be_in_viewport()
    screenshot(chat.page, "07-sources")
    expect(chat.prose.locator("strong")).to_have_text("general")
    assert chat.stop.is_visible(), "the first block is set while the answer is still being written"
    expect(chat.prose.locator("td").first).to_be_visible()
    chat.wait_for_end()
    expect(chat.page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    screenshot(chat.page, "12-markdown")
    written = chat.prose.inner_text()
    assert "**" not in written
    assert "|--" not in written
    assert "```" not in written
    expect(chat.prose.locator("pre code")).to_have_text("renovar(libro, dias=7)\n")
    chat.page.reload()
    expect(chat.prose.locator("td")).to_have_count(6)
    assert chat.prose.inner_text().split() == written.split()


def test_what_is_wider_than_an_answer_is_reached_by_the_keyboard(chat: ChatPage, model_server: ModelServer) -> None:
    code, row = f"```python\ntotal = {'1 + ' * 200}1\n```", f"| {'palabra' * 60} | x |"
    model_server.script(path="chat", text=f"{code}\n\n| uno | dos |\n|---|---|\n{row}\n")
    chat.ask(QUESTION)
    chat.wait_for_end()
    for _again in range(2):
        wide = chat.prose.locator("pre")
        assert wide.evaluate("one => one.scrollWidth > one.clientWidth"), "it is wide"
        assert_accessible(chat.page)
        chat.page.reload()
        expect(chat.prose.locator("td").first).to_be_visible()


def test_stop_ends_the_answer_and_the_models_work(chat: ChatPage, model_server: ModelServer) -> None:
    asked_endlessly(chat, model_server)
    chat.stop.click()
    eventually(lambda: model_server.stats()["active"] == 0, 1)
    chat.wait_for_end()
    assert_stopped_with_its_text(chat.page)
    expect(chat.page.locator("#stage")).to_have_text("Detenida. Lo escrito se conserva.")
    chat.page.reload()
    assert_stopped_with_its_text(chat.page)
    answered_again(chat, model_server)


def test_a_model_that_fails_in_the_middle_leaves_its_text_and_a_sentence(
    chat: ChatPage, model_server: ModelServer, screenshot: Screenshot
) -> None:
    model_server.script(path="chat", text="Con el carné general te llevas seis libros durante", error_after=7)
    chat.ask(QUESTION)
    expect(chat.failure).to_be_visible()
    expect(chat.failure.locator("[data-detail]")).to_have_text(re.compile(r"\w+ .*\."))
    expect(chat.prose).to_contain_text("Con el carné general te llevas seis")
    expect(chat.page.locator("body")).not_to_contain_text("upstream-secret")
    screenshot(chat.page, "13-error")
    chat.page.reload()
    expect(chat.failure).to_be_visible()
    expect(chat.prose).to_contain_text("Con el carné general te llevas seis")
    answered_again(chat, model_server)


def test_a_model_that_is_down_is_said_in_a_sentence(chat: ChatPage, model_server: ModelServer) -> None:
    model_server.script(path="chat", status=400, complaint="upstream-secret: no")
    chat.ask(QUESTION)
    expect(chat.failure.locator("[data-detail]")).to_have_text(re.compile(r"\w+ .*\."))
    expect(chat.page.locator("body")).not_to_contain_text("upstream-secret")
    answered_again(chat, model_server)


def test_a_new_conversation_can_be_renamed_and_deleted_without_a_reload(
    chat: ChatPage, model_server: ModelServer
) -> None:
    page = chat.page
    chat.ask_to_the_end(QUESTION)
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    expect(page).to_have_title(f"{QUESTION} · Acervo")
    page.get_by_role("button", name="Nombre y proyecto").click()
    page.get_by_role("textbox", name="Nombre", exact=True).fill("Los préstamos")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Los préstamos")
    page.get_by_role("button", name="Eliminar").click()
    page.get_by_role("dialog").get_by_role("button", name="Eliminar").click()
    page.wait_for_url("**/conversations/")
    expect(page.get_by_text("Los préstamos")).to_have_count(0)


def test_the_last_question_is_answered_again_changed_and_both_versions_are_kept(
    chat: ChatPage, model_server: ModelServer
) -> None:
    page = chat.page
    model_server.script(path="chat", text="La primera.")
    chat.ask_to_the_end(QUESTION)
    beside = page.context.new_page()
    beside.goto(page.url)
    expect(ChatPage(beside).prose).to_have_text("La primera.")
    model_server.script(path="chat", text="La segunda.")
    page.get_by_role("button", name="Responder otra vez").click()
    expect(chat.prose).to_have_text("La segunda.")
    expect(ChatPage(beside).prose).to_have_text("La segunda.")
    expect(beside.locator("article.answer")).to_have_count(1)
    beside.close()
    expect(page.locator("article.answer")).to_have_count(1)
    expect(page.locator(".versions")).to_contain_text("2/2")
    page.get_by_role("button", name="Cambiar la pregunta").click()
    expect(chat.question).to_have_value(QUESTION)
    model_server.script(path="chat", text="La tercera.")
    chat.question.fill("¿Y de otra manera?")
    chat.question.press("Enter")
    expect(chat.prose).to_have_text("La tercera.")
    expect(page.locator(".versions")).to_contain_text("3/3")
    page.get_by_role("button", name="La versión anterior").click()
    expect(chat.prose).to_have_text("La segunda.")
    expect(page.locator(".versions")).to_contain_text("2/3")
    expect(page.locator("article.question")).to_contain_text(QUESTION)


CODE = "Así se hace:\n```python\ndef saluda(nombre):\n    return 'hola ' + nombre\n```\n\nY $e = mc^2$ lo dice."


def test_code_is_code_from_its_first_line_then_coloured_and_formulas_are_set(
    chat: ChatPage, model_server: ModelServer
) -> None:
    page = chat.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    model_server.script(path="chat", text=CODE, pace=0.1)
    chat.ask(QUESTION)
    expect(chat.prose.locator(".pending pre")).to_contain_text("def saluda")
    assert "```" not in chat.prose.inner_text()
    expect(chat.answer).to_have_class(re.compile("settled"))
    expect(chat.prose.locator("pre code .hljs-keyword").first).to_have_text("def")
    expect(chat.prose.locator("math")).to_have_count(1)
    chat.prose.get_by_role("button", name="Copiar").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("def saluda(nombre):\n    return")
    page.reload()
    expect(chat.prose.locator("pre code .hljs-keyword").first).to_have_text("def")
    expect(chat.prose.locator("math")).to_have_count(1)


def test_without_a_script_a_question_is_asked_and_answered_all_the_same(
    modelled_visits: Visits, model_server: ModelServer
) -> None:
    model_server.script(path="chat", text="Seis.")
    with modelled_visits.window("alicia", java_script_enabled=False) as page:
        page.goto("/agents/escritor-de-libros/")
        page.locator("#question").fill(QUESTION)
        page.get_by_role("button", name="Enviar").click()
        page.wait_for_url("**/conversations/**")
        chat = ChatPage(page)
        expect(chat.prose).to_have_text("Seis.")
        page.locator("#question").fill("¿Y cuántos más?")
        page.get_by_role("button", name="Enviar").click()
        expect(page.locator("article.answer")).to_have_count(2)


def test_without_a_script_a_long_answer_goes_on_while_its_page_loads_again(
    modelled_visits: Visits, model_server: ModelServer
) -> None:
    words = " ".join(f"palabra{n}" for n in range(60))
    model_server.script(path="chat", text=words, pace=0.1)
    with modelled_visits.window("alicia", java_script_enabled=False) as page:
        page.goto("/agents/escritor-de-libros/")
        page.locator("#question").fill(QUESTION)
        page.get_by_role("button", name="Enviar").click()
        page.wait_for_url("**/conversations/**")
        prose = ChatPage(page).prose
        assert "palabra59" not in prose.inner_text(), "it was waited for"
        expect(prose).to_contain_text("palabra59")
        expect(page.get_by_text("se está escribiendo")).to_have_count(0)


def test_a_conversation_is_narrowed_to_documents_that_are_found_by_name(
    chat: ChatPage, model_server: ModelServer
) -> None:
    page = chat.page
    model_server.script(path="chat", text="Seis [1].", times=2)
    chat.ask(QUESTION)
    chat.wait_for_end()
    page.locator("#context > summary").click()
    expect(page.locator("#picked input").nth(3)).to_be_visible()
    page.locator("#pick-words").fill("guia del")
    expect(page.locator("#picked label")).to_have_text([re.compile("Guía del préstamo")])
    page.locator("#picked input").check()
    page.locator("#pick-words").fill("frecuentes")
    expect(page.locator("#picked label")).to_have_count(2)
    page.get_by_role("button", name="Aplicar").click()
    expect(page.locator("#context > summary")).to_have_text("Mira: Guía del préstamo")
    chat.ask("¿Cuántos días puedo tener los libros en préstamo?")
    chat.wait_for_end()
    expect(chat.answer.locator(".source-document")).to_have_count(1)
    expect(chat.answer.locator(".source-document")).to_contain_text("Guía del préstamo")


def test_a_conversation_begins_with_one_corpus_alone(modelled_visits: Visits, model_server: ModelServer) -> None:
    api = modelled_visits.installation.api
    corpus = api("alicia", "POST", "/api/corpora/", {"name": "Lo primero"})["id"]
    api("alicia", "POST", "/api/agents/escritor-de-libros/corpora/", {"corpus": corpus})
    model_server.script(path="chat", text="Nada.", times=2)
    for has_script in (True, False):
        with modelled_visits.window("alicia", java_script_enabled=has_script) as page:
            page.goto("/agents/escritor-de-libros/")
            page.get_by_label("Esta conversación mira").select_option("Lo primero")
            page.locator("#question").fill(QUESTION)
            page.get_by_role("button", name="Enviar").click()
            page.wait_for_url("**/conversations/**")
            page.reload()
            expect(page.locator("#context > summary")).to_have_text("Mira: Lo primero")


def test_a_conversation_begins_with_single_documents(modelled_visits: Visits, model_server: ModelServer) -> None:
    model_server.script(path="chat", text="Seis [1].", times=2)
    with modelled_visits.window("alicia") as page:
        chat = ChatPage(page)
        page.goto("/agents/escritor-de-libros/")
        page.get_by_text("Elegir documentos sueltos").click()
        expect(page.locator("#picked input").nth(3)).to_be_visible()
        page.locator("#pick-words").fill("guia del")
        expect(page.locator("#picked label")).to_have_text([re.compile("Guía del préstamo")])
        page.locator("#picked input").check()
        page.locator("#pick-words").fill("frecuentes")
        expect(page.locator("#picked label")).to_have_count(2)
        chat.ask(QUESTION)
        chat.wait_for_end()
        expect(chat.documents).to_have_count(1)
        expect(chat.documents).to_contain_text("Guía del préstamo")
        chat.ask("¿Cuántos días puedo tener los libros en préstamo?")
        chat.wait_for_end()
        expect(chat.documents).to_have_count(1)
        page.reload()
        expect(page.locator("#context > summary")).to_have_text("Mira: Guía del préstamo")


def test_a_corpus_that_is_gone_before_the_first_question_is_let_go_of(
    modelled_visits: Visits, model_server: ModelServer
) -> None:
    api = modelled_visits.installation.api
    corpus = api("alicia", "POST", "/api/corpora/", {"name": "Lo efímero"})["id"]
    api("alicia", "POST", "/api/agents/escritor-de-libros/corpora/", {"corpus": corpus})
    model_server.script(path="chat", text="Seis libros [1].")
    with modelled_visits.window("alicia", is_refused=True) as page:
        page.goto("/agents/escritor-de-libros/")
        chat = ChatPage(page)
        page.get_by_label("Esta conversación mira").select_option("Lo efímero")
        api("alicia", "DELETE", f"/api/corpora/{corpus}/")
        chat.ask(QUESTION)
        expect(chat.failure).to_contain_text("Aquello con lo que debía empezar la conversación ya no está.")
        chat.answer.get_by_role("button", name="Preguntar otra vez").click()
        expect(chat.prose).to_contain_text("Seis libros")
        chat.wait_for_end()
        page.reload()
        expect(page.locator("#context > summary")).not_to_contain_text("efímero")


def test_what_stands_next_in_the_cited_document_can_be_asked_with_two_keys(
    chat: ChatPage, model_server: ModelServer
) -> None:
    model_server.script(path="chat", text="Con el carné General, ocho libros durante 21 días [1].", times=2)
    chat.ask(QUESTION)
    chat.wait_for_end()
    offered = chat.answer.locator(".follow-ups button")
    expect(offered.first).to_be_in_viewport()
    wanted = offered.first.inner_text()
    offered.first.press("Enter")
    expect(chat.page.locator("#question")).to_have_value(wanted)
    chat.page.keyboard.press("Enter")
    expect(chat.page.locator("article.answer")).to_have_count(2)
    chat.wait_for_end()
    expect(chat.page.locator(".follow-ups button:visible").first).to_be_in_viewport()
    expect(chat.page.locator(".follow-ups button:visible", has_text=wanted)).to_have_count(0)


def test_that_a_rating_has_not_arrived_is_said(modelled_visits: Visits, model_server: ModelServer) -> None:
    model_server.script(path="chat", text="Seis [1].")
    with modelled_visits.window("alicia", is_refused=True) as page:
        page.goto("/agents/escritor-de-libros/")
        chat = ChatPage(page)
        chat.ask(QUESTION)
        chat.wait_for_end()
        good = chat.answer.get_by_role("button", name="Buena respuesta")
        trouble, no_room = page.locator("#trouble"), page.locator("#no-room")
        page.route("**/feedback/", lambda route: route.abort())
        good.click()
        expect(trouble).to_be_visible()
        expect(good).to_have_attribute("aria-pressed", "false")
        page.unroute("**/feedback/")
        page.route("**/feedback/", lambda route: route.fulfill(status=507))
        good.click()
        expect(no_room).to_be_visible()
        expect(trouble).to_be_hidden()
        page.unroute("**/feedback/")
        good.click()
        expect(good).to_have_attribute("aria-pressed", "true")
        expect(trouble).to_be_hidden()
        expect(no_room).to_be_hidden()
