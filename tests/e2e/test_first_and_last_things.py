"""What is met before and after a conversation: the icon, the way in, and the sheet of paper."""

import re
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.visits import Visits

pytestmark = pytest.mark.browser

USTED = re.compile(
    r"\b(usted|su (contraseña|correo|cuenta)|ha (olvidado|indicado)|introduzca|escriba)\b", re.IGNORECASE
)
COLOURS = """(one) => [getComputedStyle(document.documentElement).backgroundColor,
  getComputedStyle(document.body).backgroundColor, getComputedStyle(one).color]"""


def test_the_icon_is_there_where_browsers_look_for_it_unasked(visits: Visits) -> None:
    with urlopen(f"{visits.installation.url}/favicon.ico", timeout=10) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("image/")


def test_the_way_in_is_ready_to_be_typed_into_and_says_tu(visits: Visits) -> None:
    with visits.window() as page:
        page.goto("/accounts/login/")
        expect(page.get_by_label("Correo electrónico")).to_be_focused()
        expect(page.get_by_role("link", name="olvidado")).to_contain_text("Has olvidado tu")
        assert_says_tu(page)
        page.keyboard.type("nobody@acervo.test")
        page.get_by_label("Contraseña", exact=True).fill("not the one")
        page.get_by_role("button", name="Iniciar sesión", exact=True).click()
        expect(page.get_by_text("no son correctos")).to_be_visible()
        assert_says_tu(page)


def test_who_changes_a_password_is_told_tu(visits: Visits) -> None:
    with visits.window("bob") as page:
        page.goto("/accounts/password/change/")
        assert_says_tu(page)
        for field in page.locator("input[type=password]").all():
            field.fill("1234")
        page.locator("main form button.primary").click()
        expect(page.locator(".errorlist").first).to_be_visible()
        assert_says_tu(page)


def assert_says_tu(page: Page) -> None:
    assert not USTED.search(text := page.locator("body").inner_text()), text


def brightness(colour: str) -> float:
    """0..255, of what is painted; paper where nothing is."""
    red, green, blue, alpha = (*map(float, re.findall(r"[\d.]+", colour)), 1.0)[:4]
    return (red + green + blue) / 3 if alpha else 255.0


def assert_prints_dark_on_light(page: Page, text: str) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    root, body, letters = page.locator(text).first.evaluate(COLOURS)
    assert min(brightness(root), brightness(body)) > 250, (root, body)
    assert brightness(letters) < 80, letters


def test_a_conversation_is_printed_dark_on_light_and_without_controls(visits: Visits) -> None:
    with visits.window("alicia", color_scheme="dark") as page:
        page.goto("/agents/asistente-corporativo/")
        chat = ChatPage(page)
        chat.ask_to_the_end("¿Cuánto dura el préstamo de un libro?")
        page.reload()
        assert page.locator("html").get_attribute("data-theme") == "dark"
        assert_prints_dark_on_light(page, ".prose")
        for control in page.get_by_role("button").all():
            expect(control).to_be_hidden()
        expect(page.locator("#question")).to_be_hidden()
        expect(page.locator(".prose").first).to_be_visible()


def test_a_document_is_printed_dark_on_light(visits: Visits) -> None:
    api = visits.installation.api
    corpus = next(one for one in api("admin", "GET", "/api/corpora/")["results"] if one["name"] == "Biblioteca Aurora")
    document = api("admin", "GET", f"/api/corpora/{corpus['id']}/documents/")["results"][0]["id"]
    with visits.window("admin", color_scheme="dark") as page:
        page.goto(f"/documents/{document}/")
        assert_prints_dark_on_light(page, ".reading")
