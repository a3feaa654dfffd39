"""What is cited is what is marked: sixty citations over PDF, DOCX and Markdown, the letters below each box against the
sentence. Of documents that are made here, and of the samples where they are."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from docx import Document as Docx
from playwright.sync_api import Page
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer

from tests.e2e.corpus_page import uploaded
from tests.e2e.documents import SHARED
from tests.e2e.visits import Visits

pytestmark = pytest.mark.browser

WANTED = 60
OF_EACH = 20  # articles of a document that is made
THINGS = (
    *("faro", "muelle", "almacén", "taller", "archivo", "comedor", "vivero", "molino", "puente", "mercado"),
    *("teatro", "museo", "jardín", "establo", "horno", "lavadero", "granero", "astillero", "palomar", "herrería"),
)

# One sentence over two pages: its first lines are the last of a page.
PARTED = (
    "Artículo 21. Del campanario impreso",
    "La llave del campanario impreso se guarda en la sacristía, dentro del armario que queda a la izquierda de la"
    " puerta, y solo la recoge quien figure en la lista que cada lunes firma la persona encargada, que anota además la"
    " hora en que se entrega, la hora en que se devuelve, el motivo de la visita y el nombre de quienes suben con ella,"
    " sean vecinas del lugar o visitantes que hayan pedido hora con antelación en la conserjería.",
    "¿Dónde se guarda la llave del campanario impreso?",
)
LINES_BEFORE_THE_EDGE = 4  # its heading and two of its own, with their spaces

# The letters of the text layer whose middle lies in a box of the cited sentence, in the order of the lines.
LETTERS_BELOW = """() => {
  const boxes = [...document.querySelectorAll("rect.quote")].map((one) => one.getBBox());
  let read = "";
  for (const line of document.querySelectorAll(".printed text")) {
    for (let at = 0; at < line.getNumberOfChars(); at++) {
      const sign = line.getExtentOfChar(at);
      const [x, y] = [sign.x + sign.width / 2, sign.y + sign.height / 2];
      if (boxes.some((box) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height)) {
        read += line.textContent[at];
      }
    }
  }
  return read;
}"""


def articles(kind: str) -> list[tuple[str, str, str]]:
    """Heading, text, question: each about a thing of its own."""
    return [
        (
            f"Artículo {n}. Del {thing} {kind}",
            f"El {thing} {kind} abre a las {n % 12 + 1} de la mañana y lo cuida una cuadrilla de {n + 3} personas. "
            f"La llave del {thing} {kind} se guarda en la casilla número {n * 7} de la conserjería.",
            f"¿Dónde se guarda la llave del {thing} {kind}?",
        )
        for n, thing in enumerate(THINGS[:OF_EACH], 1)
    ]


def made(folder: Path) -> tuple[list[Path], list[str]]:
    style = getSampleStyleSheet()
    story: list[Flowable] = [Paragraph("Reglamento impreso", style["Title"])]
    document = Docx()
    document.add_heading("Reglamento escrito", 0)
    lines = ["# Reglamento anotado", ""]
    for heading, text, _question in articles("impreso"):
        story += [Paragraph(heading, style["Heading2"]), Paragraph(text, style["BodyText"])]
    heading, text, _question = PARTED
    template = SimpleDocTemplate(str(folder / "reglamento-impreso.pdf"))
    left = template.height - 12 - LINES_BEFORE_THE_EDGE * style["BodyText"].leading  # 12: a frame's own padding
    story += [PageBreak(), Spacer(1, left - style["Heading2"].leading), Paragraph(heading, style["Heading2"])]
    story.append(Paragraph(text, style["BodyText"]))
    for heading, text, _question in articles("escrito"):
        document.add_heading(heading, 2)
        document.add_paragraph(text)
    for heading, text, _question in articles("anotado"):
        lines += [f"## {heading}", "", text.replace("llave", "**llave**"), ""]
    paths = [Path(template.filename), folder / "reglamento-escrito.docx", folder / "reglamento-anotado.md"]
    template.build(story)
    document.save(str(paths[1]))
    paths[2].write_text("\n".join(lines))
    asked = [question for kind in ("impreso", "escrito", "anotado") for _, _, question in articles(kind)]
    return paths, [PARTED[2], *asked[:-1]]  # as many as may be asked in a minute


def samples() -> tuple[list[Path], list[str]]:
    folder = SHARED / "samples"
    laws = sorted((folder / "leyes").glob("ley-*.pdf"))[:2]
    course = sorted((folder / "curso-redes").rglob("*.md"))[:4]
    docx = folder / "handbook" / "team-charter-template.docx"
    numbers = re.compile(r"(\d+)-(\d{4})")
    named = [f"Ley {found[1]}/{found[2]}" for law in laws if (found := numbers.search(law.name))]
    asked = [f"¿Qué dice el artículo {n} de la {law}?" for law in named for n in range(2, 22)]
    asked += ["¿Qué es una máscara de subred?", "¿Qué es una VLAN?", "¿Qué es el gateway?", "¿Qué es un switch?"]
    asked += ["¿Qué es ARP?", "¿Qué es NAT?", "¿Qué es OSPF?", "What is the purpose of the team charter?"]
    return [*laws, docx, *course], asked


@pytest.fixture(params=["made", "samples"])
def who(request: pytest.FixtureRequest) -> str:
    """Somebody for each: nobody asks a hundred questions a minute."""
    return "bob" if request.param == "made" else "alicia"


@pytest.fixture
def cited(who: str, visits: Visits, tmp_path: Path) -> Iterator[list[dict[str, Any]]]:
    if who == "alicia" and not (SHARED / "samples").is_dir():
        pytest.skip("shared/samples is not here; the documents that are made are judged")
    paths, asked = made(tmp_path) if who == "bob" else samples()
    api = visits.installation.api
    corpus = api(who, "POST", "/api/corpora/", {"name": f"Citados de {who}"})["id"]
    for path in paths:
        uploaded(visits, corpus, path, who)
    agent = f"/api/agents/escritor-de-libros/corpora/{corpus}/"
    api(who, "POST", "/api/agents/escritor-de-libros/corpora/", {"corpus": corpus})
    found = list(citations_of(visits, who, asked, corpus))
    yield found
    api(who, "DELETE", agent)
    for one in sorted({quote["conversation"] for quote in found}):
        api(who, "DELETE", f"/api/conversations/{one}/")


def citations_of(visits: Visits, who: str, questions: Sequence[str], corpus: str) -> Iterator[dict[str, Any]]:
    for question in questions:
        ask = {"messages": [{"role": "user", "content": question}], "stream": False}
        answer = visits.installation.api(who, "POST", "/api/agents/escritor-de-libros/chat/", ask)
        sources = {one["n"]: one for one in answer["sources"] if one["corpus"] == corpus}
        for quote in answer["citations"]:
            if quote["text"] and quote["n"] in sources:
                yield {**quote, "source": sources[quote["n"]], "conversation": answer["conversation"]}


def letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def marked_on(page: Page, quote: dict[str, Any]) -> str:
    source = quote["source"]
    mark = f"chunk={source['chunk']}&mark={quote['start']}-{quote['end']}"
    page.goto(f"/documents/{source['document']}/?{mark}#passage")
    if page.locator("figure.printed").count():
        return "".join(letters_of_pages(page))
    return "".join(page.locator("article.reading mark:not(.faint)").all_inner_texts())


def letters_of_pages(page: Page) -> Iterator[str]:
    """Of this page, and of those after it on which the sentence goes on."""
    yield str(page.evaluate(LETTERS_BELOW))
    while page.locator("[data-goes-on]").count():
        page.goto(page.locator("[data-goes-on]").evaluate("link => link.href"))
        yield str(page.evaluate(LETTERS_BELOW))


def test_each_box_holds_the_letters_of_its_sentence(visits: Visits, who: str, cited: list[dict[str, Any]]) -> None:
    assert len(cited) >= WANTED - 10, f"{len(cited)} citations are too few to judge"
    wrong = []
    with visits.window(who) as page:
        for quote in cited[: WANTED + 20]:
            shown, said = letters(marked_on(page, quote)), letters(quote["text"])
            if shown != said:
                wrong.append(f"{quote['source']['title']}, p. {quote['page']}:\n  said  {said}\n  shown {shown}")
    allowed = 0.0 if who == "bob" else 0.02 * len(cited)
    assert len(wrong) <= allowed, "\n".join(wrong)
