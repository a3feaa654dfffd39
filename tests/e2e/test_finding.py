"""Finding one's way: the list beside a chat, the palette, the keys, a phone's bar, and paper."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Screenshot
from tests.e2e.visits import PHONE, Visits

pytestmark = pytest.mark.browser

WIDE = (1440, 900)
TUTOR = "/agents/tutor/"
QUESTION = "¿Qué es una lista?"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT_PAPER, WHITE = "rgb(246, 243, 236)", "rgb(255, 255, 255)"


def ask_from_home(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Tu pregunta").fill(QUESTION)
    page.get_by_label("Responde").select_option("Tutor")
    page.get_by_role("button", name="Preguntar", exact=True).click()
    expect(page).to_have_url(re.compile("/conversations/"))
    expect(page.locator(".answer-actions").last).to_be_visible()


def test_a_question_of_the_front_page_is_answered_and_its_conversation_listed_beside(
    visits: Visits, screenshot: Screenshot
) -> None:
    with visits.window("alicia", WIDE) as page:
        ask_from_home(page)
        beside = page.locator("#beside")
        expect(beside).to_be_visible()
        expect(beside.locator("[aria-current]")).to_be_visible()
        expect(page.locator("#question")).to_be_focused()  # the list has taken nothing
        screenshot(page, "20-beside")
        page.get_by_role("button", name="Cerrar la lista").click()
        expect(beside).to_be_hidden()
        page.reload()
        expect(beside).to_be_hidden()
        page.get_by_role("button", name="Conversaciones").click()
        expect(beside).to_be_visible()


def test_on_a_phone_the_list_is_a_drawer_and_the_navigation_a_bar_below(visits: Visits, screenshot: Screenshot) -> None:
    with visits.window("alicia", PHONE) as page:
        page.goto(TUTOR)
        expect(page.locator("#beside")).to_be_hidden()
        bar = page.get_by_role("navigation", name="Principal").bounding_box()
        box = page.locator(".composer-box").bounding_box()
        assert bar is not None
        assert box is not None
        assert bar["y"] + bar["height"] == PHONE[1]
        assert box["y"] + box["height"] <= bar["y"]
        screenshot(page, "21-phone-bar")
        page.get_by_role("button", name="Conversaciones").click()
        expect(page.locator("#beside")).to_be_visible()
        screenshot(page, "22-phone-drawer")
        page.keyboard.press("Escape")
        expect(page.locator("#beside")).to_be_hidden()


def test_the_palette_leads_anywhere_by_the_keyboard_alone(visits: Visits, screenshot: Screenshot) -> None:
    with visits.window("alicia", WIDE) as page:
        page.goto("/corpora/")
        page.keyboard.press("Control+k")
        expect(page.locator("#wanted")).to_be_focused()
        page.keyboard.type("TECNICO")
        expect(page.locator("#found")).to_contain_text("Investigador Técnico")
        expect(page.locator("#found")).not_to_contain_text("Escritor de Libros")
        screenshot(page, "23-palette")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#found a").first).to_be_focused()
        page.keyboard.press("ArrowUp")
        first = page.locator("#found a").first.get_attribute("href") or ""
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(re.escape(first)))


def test_enter_opens_what_is_asked_for_and_not_what_was_there_before(visits: Visits) -> None:
    with visits.window("alicia", WIDE) as page:
        page.goto("/corpora/")
        page.keyboard.press("Control+k")
        expect(page.locator("#found a")).not_to_have_count(0)
        page.keyboard.type("investigador")
        page.keyboard.press("Enter")  # before the answer to it
        expect(page).to_have_url(re.compile("/agents/investigador-tecnico/"))


def test_a_search_that_fails_says_so(visits: Visits) -> None:
    with visits.window("alicia", WIDE) as page:
        page.goto("/corpora/")
        page.route("**/find/**", lambda route: route.abort())
        page.keyboard.press("Control+k")
        expect(page.locator("#found")).to_contain_text("Ahora no se ha podido buscar")


def test_on_a_phone_nothing_of_the_reader_lies_below_the_bar(visits: Visits) -> None:
    with visits.window("alicia", PHONE) as page:
        page.goto("/corpora/")
        page.get_by_role("link", name="Curso de Python").click()
        page.locator("#documents a.title").first.click()
        bar = page.get_by_role("navigation", name="Principal").bounding_box()
        ask = page.locator(".ask-button").bounding_box()
        assert bar is not None
        assert ask is not None
        assert ask["y"] + ask["height"] <= bar["y"]


def test_the_keys_are_told(visits: Visits) -> None:
    with visits.window("alicia", WIDE) as page:
        page.goto("/conversations/")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Teclado")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("/")
        expect(page.locator("#search")).to_be_focused()
        page.keyboard.type("/?")
        expect(page.locator("#search")).to_have_value("/?")


def test_our_fonts_arrive_and_paper_is_light(visits: Visits) -> None:
    with visits.window("alicia", WIDE, color_scheme="dark") as page:
        page.goto("/")
        page.evaluate("document.fonts.ready.then(() => true)")
        for family in ("Acervo Serif", "Acervo Sans"):
            faces = page.evaluate(
                "(name) => [...document.fonts].filter((one) => one.family.includes(name)).map((one) => one.status)",
                family,
            )
            assert faces == ["loaded"], family
        assert page.evaluate(BACKGROUND) != LIGHT_PAPER
        page.emulate_media(media="print")
        assert page.evaluate(BACKGROUND) == WHITE
        expect(page.get_by_role("button", name="Preguntar", exact=True)).to_be_hidden()
