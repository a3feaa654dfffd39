"""What the walk uploads: real documents where `shared/samples` is there, generated ones of the same kind elsewhere."""

import os
from dataclasses import dataclass
from pathlib import Path

from docx import Document as Docx
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

SHARED = Path(os.environ.get("ACERVO_SHARED", Path(__file__).resolve().parents[3] / "shared"))
PAGES = 2_000  # two seconds of work: its progress is asked for 0.3 s after its upload
LAW = "ley-14-1986-general-de-sanidad.pdf"


@dataclass(frozen=True, slots=True)
class WalkDocuments:
    """Two PDFs, one of them of over 200 pages, and a DOCX; a question that `cited` answers."""

    long: Path
    cited: Path
    docx: Path
    question: str


def walk_documents(folder: Path) -> WalkDocuments:
    samples = SHARED / "samples"
    if samples.is_dir():
        return WalkDocuments(
            samples / "estandares" / "manual-429-pages-en.pdf",
            samples / "leyes" / LAW,
            samples / "handbook" / "team-charter-template.docx",
            "¿Quiénes son titulares del derecho a la protección de la salud?",
        )
    return WalkDocuments(
        long_pdf(folder / "cuaderno-de-bitacora.pdf"),
        short_pdf(folder / "reglamento-del-faro.pdf"),
        minutes(folder / "acta-de-la-tripulacion.docx"),
        "¿Cada cuántas horas se limpia la linterna del faro?",
    )


def pdf(path: Path, pages: list[list[str]]) -> Path:
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for lines in pages:
        for row, line in enumerate(lines):
            canvas.drawString(60, 780 - 18 * row, line)
        canvas.showPage()
    canvas.save()
    return path


def long_pdf(path: Path) -> Path:
    weather = ("viento del norte y mar rizada", "calma y niebla al amanecer", "marejada y chubascos aislados")
    pages = []
    for day in range(1, PAGES + 1):
        lines = [f"Jornada {day} del cuaderno de bitácora."]
        lines += [f"Hora {hour}: {weather[(day + hour) % 3]}, rumbo {(day * 7 + hour) % 360}." for hour in range(24)]
        pages.append(lines)
    return pdf(path, pages)


def short_pdf(path: Path) -> Path:
    pages = [
        ["Reglamento del faro", "", "Este reglamento obliga al farero y a sus ayudantes."],
        ["Turnos", "", "El relevo se hace a la puesta del sol y se firma en el libro de guardias."],
        ["Limpieza", "", "La linterna del faro se limpia cada seis horas con paño de algodón y alcohol."],
        ["Averías", "", "Toda avería se comunica a la capitanía antes de una hora."],
    ]
    return pdf(path, pages)


def minutes(path: Path) -> Path:
    document = Docx()
    document.add_heading("Acta de la tripulación", level=1)
    document.add_paragraph("Se acuerda repartir las guardias de la semana entre los tres ayudantes.")
    document.add_heading("Provisiones", level=2)
    document.add_paragraph("El barco de provisiones llega los martes, si el tiempo lo permite.")
    document.save(str(path))
    return path
