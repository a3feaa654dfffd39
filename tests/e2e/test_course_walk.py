"""From a folder of Markdown to a tutor beside each unit, as a student walks it: on a desktop and on a phone."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import Screenshot
from tests.e2e.server import ROOT, prepared, serving
from tests.e2e.visits import PHONE, Visits

pytestmark = pytest.mark.browser

MOST_SECONDS = 180  # from a folder to the first tutored answer
WIDE = (1440, 900)
FILLING = "\n\n".join(
    f"En el paso {n} del repaso se dibuja el esquema en una hoja, se comparan los resultados con los de la mesa de al "
    "lado y se apunta en el cuaderno lo que no haya quedado claro, para preguntarlo en voz alta al día siguiente."
    for n in range(1, 13)
)
VLAN = "Una VLAN separa en varias redes lógicas los puertos de un mismo conmutador."
MASK = "La máscara de subred dice qué bits de la dirección nombran la red."
FILES = {
    "01-capas.md": f"# Unidad 1. Las capas\n\n## Para qué sirven\n\nEl modelo OSI tiene siete capas.\n\n{FILLING}\n",
    "02-subredes.md": f"# Unidad 2. Subredes\n\n## Repaso\n\n{FILLING}\n\n## La máscara\n\n{MASK}\n",
    "10-vlan.md": f"# Unidad 10. VLAN\n\n## Redes lógicas\n\n{VLAN}\n\n{FILLING}\n",
}
ABOUT_MASK, ABOUT_VLAN = "¿Qué dice la máscara de subred?", "¿Qué separa una VLAN?"


@dataclass(frozen=True, slots=True)
class Taught:
    """A course made of a folder by the command line, on a served installation. `began`: when, by the clock."""

    visits: Visits
    path: str
    began: float


@pytest.fixture(scope="module")
def taught(browser: Browser, folder_in_memory: Path) -> Iterator[Taught]:
    folder = Path(mkdtemp(dir=folder_in_memory))
    environment, people = prepared(folder)
    course = folder / "redes"
    course.mkdir()
    for name, text in FILES.items():
        (course / name).write_text(text, encoding="utf-8")
    with serving(folder, environment, people) as (installation, _process):
        began = time.monotonic()
        ingest = ["ingest", str(course), "--organization", "aurora", "--course", "Redes de aula", "--wait"]
        command = [sys.executable, str(ROOT / "manage.py"), *ingest]
        told = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
        assert "3 taken in" in told
        address = re.search(r"/courses/[\w-]+/", told)
        assert address
        yield Taught(Visits(browser, installation), address[0], began)


def open_unit(page: Page, taught: Taught, name: str) -> None:
    page.goto(taught.path)
    page.get_by_role("heading", name=name).get_by_role("link").click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    page.wait_for_load_state()  # its scripts, too


def test_from_a_folder_to_a_tutored_answer_whose_source_is_marked_beside_it(
    taught: Taught, screenshot: Screenshot
) -> None:
    with taught.visits.window("alicia", size=WIDE) as page:
        page.goto("/")
        page.get_by_role("region", name="Tus cursos").get_by_role("link", name="Redes de aula").click()
        names = ["Unidad 1. Las capas", "Unidad 2. Subredes", "Unidad 10. VLAN"]
        expect(page.locator(".unit h3")).to_have_text(names)
        expect(page.locator(".unit").nth(1)).to_contain_text("La máscara")
        assert_accessible(page)
        page.get_by_role("link", name="Unidad 2. Subredes").click()
        chat = ChatPage(page)
        expect(page.locator("#reads-now")).to_have_text("Pregunta solo sobre «Unidad 2. Subredes».")
        chat.ask_to_the_end(ABOUT_MASK)
        assert time.monotonic() - taught.began < MOST_SECONDS
        expect(chat.prose).to_contain_text(MASK.rstrip("."))
        assert set(chat.answer.locator("[data-title]").all_inner_texts()) == {"Unidad 2. Subredes"}
        address, before = page.url, page.evaluate("scrollY")
        chat.prose.locator("a.citation").first.click()
        passage = page.locator("#unit-text mark#passage")
        expect(passage).to_be_in_viewport()
        expect(passage).to_be_focused()
        assert MASK in " ".join(page.locator("#unit-text mark:not(.faint)").all_inner_texts())
        assert page.url == address, "the text is not left"
        assert page.evaluate("scrollY") > before
        expect(chat.prose).to_contain_text(MASK.rstrip("."))
        assert_accessible(page)
        screenshot(page, "24-course-unit")


def test_the_whole_course_is_one_click_away_and_a_source_elsewhere_opens_its_unit(taught: Taught) -> None:
    with taught.visits.window("bob", size=WIDE) as page:
        open_unit(page, taught, "Unidad 2. Subredes")
        chat = ChatPage(page)
        chat.ask_to_the_end(ABOUT_VLAN)
        expect(chat.prose).not_to_contain_text(VLAN.rstrip("."))
        page.get_by_role("button", name="Todo el curso").click()
        expect(page.locator("#reads-now")).to_have_text("Pregunta sobre todo el curso «Redes de aula».")
        expect(page.get_by_role("button", name="Todo el curso")).to_have_attribute("aria-pressed", "true")
        chat.ask_to_the_end(ABOUT_VLAN)
        expect(chat.prose).to_contain_text(VLAN.rstrip("."))
        chat.prose.locator("a.citation").first.click()
        expect(page.get_by_role("heading", level=1, name="Unidad 10. VLAN")).to_be_visible()
        expect(page.locator("mark#passage")).to_be_in_viewport()
        expect(chat.prose).to_contain_text(VLAN.rstrip(".")), "the conversation came along"
        page.get_by_text("Conversaciones", exact=True).last.click()
        expect(page.get_by_role("navigation", name="Tus conversaciones en este curso")).to_contain_text(ABOUT_VLAN)


def test_the_end_of_a_unit_marks_it_as_read_and_the_course_goes_on_behind_it(taught: Taught) -> None:
    with taught.visits.window("admin", size=WIDE) as page:
        open_unit(page, taught, "Unidad 1. Las capas")
        page.wait_for_timeout(2000)
        expect(page.get_by_role("button", name="Marcar como leída")).to_be_attached(), "the end was not seen yet"
        page.locator("#unit-end").scroll_into_view_if_needed()
        expect(page.get_by_text("Ya la has leído")).to_be_visible()
        expect(page.locator("#unit-end")).to_contain_text("1 de 3 unidades leídas")
        page.get_by_role("link", name="Siguiente Unidad 2. Subredes").click()
        expect(page.get_by_role("heading", level=1, name="Unidad 2. Subredes")).to_be_visible()
        expect(page.get_by_text("Unidad 2 de 3")).to_be_visible()
        page.wait_for_load_state("networkidle")
        page.goto(taught.path)
        expect(page.locator(".unit").first).to_contain_text("leída")
        page.get_by_role("link", name="Seguir donde lo dejaste").click()
        expect(page.get_by_role("heading", level=1, name="Unidad 2. Subredes")).to_be_visible()
        page.goto(taught.path)
        page.get_by_role("link", name="Unidad 1. Las capas").click()
        page.get_by_role("button", name="Todavía no").click()
        expect(page.get_by_role("button", name="Marcar como leída")).to_be_visible()


def test_ctrl_k_beside_a_unit_goes_to_the_tutor(taught: Taught) -> None:
    with taught.visits.window("alicia", size=WIDE, locale="en-GB") as page:
        open_unit(page, taught, "Unidad 1. Las capas")
        page.get_by_role("button", name="Close the tutor").click()
        expect(page.locator("#question")).to_be_hidden()
        page.keyboard.press("Control+k")
        expect(page.locator("#question")).to_be_focused()
        expect(page.locator("#palette")).to_be_hidden()
        expect(page.locator("#reads-now")).to_have_text("Asks about “Unidad 1. Las capas” alone.")


def test_ctrl_k_in_the_plain_reader_asks_that_document_and_says_so(taught: Taught) -> None:
    """What another document says is no source."""
    with taught.visits.window("bob", size=WIDE) as page:
        open_unit(page, taught, "Unidad 2. Subredes")
        page.get_by_role("link", name="Como documento").click()
        page.wait_for_url("**/documents/**")
        page.wait_for_load_state()
        page.keyboard.press("Control+k")
        expect(page.locator("dialog#ask")).to_contain_text("Pregunta solo sobre «Unidad 2. Subredes».")
        page.locator("#ask-question").fill(ABOUT_VLAN)
        page.locator("dialog#ask").get_by_role("button", name="Preguntar").click()
        page.wait_for_url("**/conversations/**")
        chat = ChatPage(page)
        chat.wait_for_end()
        assert set(chat.answer.locator("[data-title]").all_inner_texts()) <= {"Unidad 2. Subredes"}
        expect(chat.prose).not_to_contain_text(VLAN.rstrip("."))


def test_on_a_phone_the_tutor_is_a_sheet_that_gives_way_to_what_it_cites(taught: Taught) -> None:
    with taught.visits.window("alicia", size=PHONE, has_touch=True, is_mobile=True) as page:
        open_unit(page, taught, "Unidad 2. Subredes")
        expect(page.locator("#question")).to_be_hidden()
        page.locator("[data-tutor]").tap()
        expect(page.locator("#question")).to_be_visible()
        chat = ChatPage(page)
        chat.ask_to_the_end(ABOUT_MASK)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the phone"
        chat.prose.locator("a.citation").first.tap()
        expect(page.locator("#question")).to_be_hidden()
        expect(page.locator("mark#passage")).to_be_in_viewport()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_course_and_unit_have_landmarks_names_and_contrast_and_fit_a_phone(taught: Taught, theme: str) -> None:
    for size in (WIDE, PHONE):
        with taught.visits.window("alicia", size=size, color_scheme=theme) as page:
            page.goto(taught.path)
            assert_fits(page)
            open_unit(page, taught, "Unidad 1. Las capas")
            assert_fits(page)
            if size == PHONE:
                page.locator("[data-tutor]").click()
                assert_fits(page)


def assert_fits(page: Page) -> None:
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
