"""The documents of a corpus in a real browser: sent, put in order, chosen, changed, taken back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.corpus_page import CorpusPage
from tests.e2e.visits import PHONE, Visits

pytestmark = pytest.mark.browser

UNITS = {
    f"U{number}.md": f"# Unidad {number}\n\nLa clave de la unidad {number} es {number}.\n" for number in (10, 2, 1, 3)
}
IN_ORDER = ["Unidad 1", "Unidad 2", "Unidad 3", "Unidad 10"]
TOO_SMALL = """() => [...document.querySelectorAll("#documents :is(a, button, input), .filter > *, .upload label")]
  .filter((one) => one.checkVisibility() && !one.classList.contains("title"))
  .map((one) => [one.outerHTML.slice(0, 80), one.matches(".tick *") ? 24 : 0, one.getBoundingClientRect()])
  .filter(([, grown, { width, height }]) => width && Math.max(grown, Math.min(width, height)) < 24)
  .map(([html]) => html)"""  # the place to tap of a box is larger than what is drawn
POLL = """() => htmx.ajax("POST", `${location.pathname}progress/`, {
  target: "#poller", swap: "outerHTML", values: { busy: document.querySelector(".tick [name]").value },
})"""
# A folder as Chromium hands it to a page; scripts cannot make one, so the entries are ours. Two readings of each.
DROP_FOLDER = """(names) => {
  const file = (name) => new File([`# ${name}\\n\\nTexto de ${name}.\\n`], name);
  const entry = (name) => ({ name, isFile: true, isDirectory: false, file: (found) => found(file(name)) });
  const folder = (name, entries) => ({ name, isFile: false, isDirectory: true, createReader: () => {
    const parts = [entries.slice(0, 1), entries.slice(1), []];
    return { readEntries: (read) => read(parts.shift() ?? []) };
  } });
  const tree = folder("curso", [entry(names[0]), folder("anexos", names.slice(1).map(entry))]);
  const carried = new DataTransfer();
  carried.items.add(new File([], "curso"));
  carried.items.add(file("suelto.md"));
  DataTransferItem.prototype.webkitGetAsEntry = function () { return this.given ??= given.shift(); };
  const given = [tree, entry("suelto.md")];
  for (const step of ["dragover", "drop"]) {
    const how = { dataTransfer: carried, bubbles: true, cancelable: true };
    document.querySelector("h1").dispatchEvent(new DragEvent(step, how));
    if (step === "dragover") window.veiled = !document.getElementById("drop").hidden;
  }
}"""


@pytest.fixture
def page(visits: Visits) -> Iterator[Page]:
    with visits.window("bob") as page:
        yield page


def titles(page: Page) -> list[str]:
    return page.locator("#documents .title").all_inner_texts()


def tick(page: Page, title: str, *modifiers: str) -> None:
    box = page.get_by_role("checkbox", name=f"Elegir {title}", exact=True)
    box.click(modifiers=list(modifiers))  # type: ignore[arg-type]  # names of keys


def test_a_course_is_in_its_order_and_sorted_and_filtered(page: Page) -> None:
    corpus = CorpusPage.created(page, "Curso en orden")
    corpus.upload(UNITS)
    expect(page.locator("#documents .title")).to_have_text(IN_ORDER)
    assert_accessible(page)
    assert page.locator("#documents thead").bounding_box()["y"] < 450, "the table begins above the fold"  # type: ignore[index]
    page.get_by_role("link", name="Título").click()
    expect(page.get_by_role("columnheader", name="Título")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("link", name="Título").click()
    expect(page.locator("#documents .title")).to_have_text(IN_ORDER[::-1])
    expect(page).to_have_url(re.compile(r"sort=-name"))
    page.reload()
    expect(page.locator("#documents .title")).to_have_text(IN_ORDER[::-1])
    page.get_by_label("Estado").select_option("Con error")
    expect(page.get_by_text("Ningún documento es así.")).to_be_visible()
    page.get_by_label("Estado").select_option("Listo")
    page.get_by_placeholder("Buscar documentos por título").fill("unidad 10")
    expect(page.locator("#documents .title")).to_have_text(["Unidad 10"])


def test_several_are_chosen_described_deleted_and_brought_back(page: Page) -> None:
    corpus = CorpusPage.created(page, "Curso elegido")
    corpus.upload(UNITS)
    bar = page.get_by_role("region", name="Documentos elegidos")
    expect(bar).to_be_hidden()
    tick(page, "Unidad 1")
    expect(bar).to_contain_text("1 elegido")
    tick(page, "Unidad 3", "Shift")
    expect(bar).to_contain_text("3 elegidos")
    expect(page.get_by_role("checkbox", name="Elegir Unidad 2", exact=True)).to_be_checked()
    bar.get_by_text("Detalles").click()
    bar.get_by_label("Unidad", exact=True).fill("Redes")
    bar.get_by_role("button", name="Guardar").click()
    expect(page.locator("#toast")).to_contain_text("Los detalles de 3 documentos están guardados.")
    page.get_by_role("checkbox", name="Elegir todos los que se ven").check()
    expect(bar).to_contain_text("4 elegidos")
    tick(page, "Unidad 10")
    bar.get_by_role("button", name="Eliminar").click()
    expect(page.locator("#documents .title")).to_have_text(["Unidad 10"])
    expect(page.locator("#counts")).to_contain_text("1 documento ")
    undo = page.get_by_role("button", name="Deshacer")
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#documents .title")).to_have_count(4)
    expect(page.locator("#toast")).to_contain_text("3 documentos han vuelto.")
    page.locator("#toast [data-gone]").click()
    expect(page.locator("#toast")).to_be_hidden()


def test_two_are_moved_seen_there_and_brought_back(page: Page) -> None:
    CorpusPage.created(page, "Curso siguiente")
    there = page.url
    corpus = CorpusPage.created(page, "Curso de partida")
    corpus.upload(UNITS)
    for title in ("Unidad 1", "Unidad 10"):
        tick(page, title)
    bar = page.get_by_role("region", name="Documentos elegidos")
    bar.get_by_text("Mover", exact=True).first.click()
    bar.get_by_label("Mover a…").select_option("Curso siguiente")
    assert_accessible(page)
    bar.get_by_role("button", name="Mover").click()
    expect(page.locator("#toast")).to_contain_text("2 documentos están ahora en «Curso siguiente».")
    expect(page.locator("#documents .title")).to_have_text(["Unidad 2", "Unidad 3"])
    expect(page.locator("#counts")).to_contain_text("2 documentos")
    with page.expect_popup() as beside:
        page.evaluate("address => window.open(address)", there)
    expect(beside.value.locator("#documents .title")).to_have_text(["Unidad 1", "Unidad 10"])
    beside.value.close()
    undo = page.get_by_role("button", name="Deshacer")
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("2 documentos han vuelto.")
    expect(page.locator("#documents .title")).to_have_text(IN_ORDER)


def test_one_is_deleted_without_a_question_and_undone(page: Page) -> None:
    corpus = CorpusPage.created(page, "Uno fuera")
    corpus.upload({"a.md": "# Alfa\n\nTexto.\n", "b.md": "# Beta\n\nOtro texto.\n"})
    page.get_by_role("button", name="Eliminar Alfa").click()
    expect(page.locator("#documents .title")).to_have_text(["Beta"])
    expect(page.locator("#toast")).to_contain_text("«Alfa» está en la papelera")
    page.get_by_role("button", name="Deshacer").click()
    expect(page.locator("#documents .title")).to_have_text(["Alfa", "Beta"])


def test_a_guessed_title_is_corrected_where_it_stands(page: Page) -> None:
    corpus = CorpusPage.created(page, "Títulos")
    corpus.upload({"manual.md": "# CAPÍTULO 1\n\nTexto.\n"})
    expect(page.get_by_text("supuesto", exact=True)).to_be_visible()
    pencil = page.get_by_role("button", name=re.compile("Cambiar el título"))
    pencil.click()
    field = page.locator("input.retitle")
    expect(field).to_be_focused()
    page.keyboard.type("Nada")
    page.keyboard.press("Escape")
    assert titles(page) == ["CAPÍTULO 1"]
    expect(pencil).to_be_focused()
    page.keyboard.press("F2")
    field.fill("Manual de la casa")
    page.keyboard.press("Enter")
    expect(page.locator("#documents .title")).to_have_text(["Manual de la casa"])
    expect(page.get_by_text("supuesto", exact=True)).to_be_hidden()
    expect(pencil).to_be_focused()


def test_a_row_that_is_told_anew_stays_chosen_and_keeps_what_is_written(page: Page) -> None:
    corpus = CorpusPage.created(page, "De nuevo")
    corpus.upload({"a.md": "# Alfa\n\nTexto.\n"})
    tick(page, "Alfa")
    before = page.locator("#documents tr[id]").element_handle()
    page.evaluate(POLL)
    assert not before.evaluate("row => row.isConnected"), "the row is a new one"
    expect(page.get_by_role("checkbox", name="Elegir Alfa", exact=True)).to_be_checked()
    page.locator("[data-retitle]").click()
    page.keyboard.type("Nombre")
    page.evaluate(POLL)
    expect(page.locator("input.retitle")).to_have_value("Nombre")


def test_a_folder_is_dropped_anywhere_and_what_is_no_document_is_counted(page: Page) -> None:
    corpus = CorpusPage.created(page, "Carpeta")
    page.evaluate(DROP_FOLDER, ["uno.md", "dos.md", "foto.png", "datos.csv"])
    assert page.evaluate("window.veiled"), "a veil says where it will go"
    expect(page.locator("#drop")).to_be_hidden()
    corpus.wait_until_indexed(3)
    assert sorted(titles(page)) == ["dos.md", "suelto.md", "uno.md"]
    expect(page.locator("#tray")).to_contain_text("Se han dejado fuera 2 archivos de otros tipos.")
    page.locator("#tray").get_by_role("button", name="Cerrar").click()
    expect(page.locator("#tray")).to_be_hidden()


def test_a_folder_is_chosen_with_a_button(page: Page, tmp_path: Path) -> None:
    corpus = CorpusPage.created(page, "Carpeta elegida")
    (tmp_path / "curso" / "anexos").mkdir(parents=True)
    (tmp_path / "curso" / "uno.md").write_text("# Uno\n\nTexto.\n")
    (tmp_path / "curso" / "anexos" / "dos.md").write_text("# Dos\n\nTexto.\n")
    (tmp_path / "curso" / "foto.png").write_bytes(b"PNG")
    page.locator("#folder").set_input_files(tmp_path / "curso")
    corpus.wait_until_indexed(2)
    expect(page.locator("#tray")).to_contain_text("Se ha dejado fuera 1 archivo de otro tipo.")


def test_a_hundred_uploads_stay_in_their_tray_and_are_cancelled(page: Page) -> None:
    CorpusPage.created(page, "Ciento cincuenta")
    held: list[Route] = []
    page.route("**/api/corpora/*/documents/", lambda route: held.append(route))  # nothing is answered
    files = [{"name": f"{n}.md", "mimeType": "text/markdown", "buffer": b"# Texto\n"} for n in range(150)]
    page.locator("#files").set_input_files(files)  # type: ignore[arg-type]  # three of its keys
    tray = page.locator("#tray")
    expect(tray).to_contain_text("Subidas: 0 de 150")
    assert len(held) == 3, "three at once"
    box = tray.bounding_box()
    assert box is not None
    assert box["height"] < 380
    assert page.evaluate("document.documentElement.scrollHeight") < 1500, "the page is not pushed down"
    assert page.evaluate("() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))"), (
        "leaving is asked about"
    )
    tray.locator("summary").click()
    expect(page.locator("#uploads")).to_be_hidden()
    tray.locator("summary").click()
    page.get_by_role("button", name="Cancelar", exact=True).first.click()
    expect(tray).to_contain_text("Subidas: 0 de 149")
    page.get_by_role("button", name="Cancelar todo").click()
    expect(tray).to_be_hidden()
    assert page.evaluate("() => dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    assert len(held) == 4, "what was cancelled makes way, and nothing else is sent"


def test_without_a_script_files_are_sent_and_documents_deleted_and_brought_back(visits: Visits, tmp_path: Path) -> None:
    path = tmp_path / "llano.md"
    path.write_text("# Llano\n\nTexto.\n")
    with visits.window("bob") as page:
        address = CorpusPage.created(page, "Sin guion").page.url
    with visits.window("bob", java_script_enabled=False) as page:
        page.goto(address)
        page.locator("#files").set_input_files(path)
        page.get_by_role("button", name="Subir", exact=True).click()
        expect(page.get_by_text("Se ha subido 1 archivo.")).to_be_visible()
        page.locator(".tick [name=document]").check()
        page.get_by_role("region", name="Documentos elegidos").get_by_role("button", name="Eliminar").click()
        expect(page.get_by_text("1 documento está en la papelera.")).to_be_visible()
        page.get_by_role("button", name="Deshacer").click()
        expect(page.locator("#documents tbody tr[id]")).to_have_count(1)


def test_on_a_phone_nothing_is_too_small_or_too_wide(visits: Visits) -> None:
    with visits.window("bob", size=PHONE, is_mobile=True, has_touch=True) as page:
        corpus = CorpusPage.created(page, "En el teléfono")
        corpus.upload(UNITS)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
        small = page.evaluate(TOO_SMALL)
        assert small == []
        tick(page, "Unidad 2")
        bar = page.get_by_role("region", name="Documentos elegidos")
        expect(bar).to_be_in_viewport(ratio=1)
        bar.get_by_role("button", name="Eliminar").click()
        expect(page.get_by_role("button", name="Deshacer")).to_be_in_viewport(ratio=1)
