"""The 121 files of the ingestion measures, made by code and the same everywhere: a 300-page PDF, 20 DOCX of ten
pages, 100 Markdown files of one page, about 600 pages. Made once and kept in the temporary folder.
"""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

EDITION = 1  # raise it when what is generated changes
SYLLABLES = tuple(consonant + vowel for consonant in "bcdfglmnprstv" for vowel in "aeiou")
FUNCTION_WORDS = ("the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "on", "with", "as", "by", "from")
LINES_A_PAGE = 46
WORDS_A_LINE = 13


class Prose:
    """Sentences of an invented language with English function words; the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        words = random.Random("vocabulary")
        self.vocabulary = ["".join(words.choices(SYLLABLES, k=words.randint(2, 4))) for _ in range(4_000)]

    def words(self, count: int) -> list[str]:
        content = self.random.choices(self.vocabulary, k=count)
        return [self.random.choice(FUNCTION_WORDS) if self.random.random() < 0.45 else word for word in content]

    def sentence(self) -> str:
        return " ".join(self.words(self.random.randint(8, 20))).capitalize() + "."

    def paragraph(self, sentences: int = 6) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def question(self) -> str:
        return " ".join(self.words(9)).capitalize() + "?"


def questions(seed: str, count: int) -> list[str]:
    """Questions that no other seed has: none is answered from a cache."""
    prose = Prose(f"questions {seed}")
    return [prose.question() for _ in range(count)]


def files(edition: str) -> list[Path]:
    """The 121 files of one edition; those of another have the same shape and other words."""
    folder = cache() / edition
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        pdf(folder / "handbook.pdf", f"{edition} pdf", 300)
        for number in range(20):
            docx(folder / f"report-{number:02}.docx", f"{edition} docx {number}", 10)
        for number in range(100):
            markdown(folder / f"note-{number:03}.md", f"{edition} markdown {number}")
        (folder / "complete").touch()
    return sorted(path for path in folder.iterdir() if path.suffix)


def long_pdf() -> Path:
    """One document of 600 pages."""
    path = cache() / "long.pdf"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        pdf(path, "long", 600)
    return path


def cache() -> Path:
    return Path(tempfile.gettempdir()) / f"acervo-bench-{EDITION}"


def pdf(path: Path, seed: str, pages: int) -> None:
    prose = Prose(seed)
    unfinished = path.with_suffix(".part")
    canvas = Canvas(str(unfinished), pagesize=A4, invariant=True)
    for page in range(pages):
        top = A4[1] - 60
        if page % 10 == 0:
            canvas.setFont("Helvetica-Bold", 16)
            canvas.drawString(60, top, prose.sentence()[:60])
            canvas.bookmarkPage(str(page))
            canvas.addOutlineEntry(f"Chapter {page // 10 + 1}", str(page))
        canvas.setFont("Helvetica", 10)
        for line in range(LINES_A_PAGE):
            canvas.drawString(60, top - 30 - 15 * line, " ".join(prose.words(WORDS_A_LINE)))
        canvas.showPage()
    canvas.save()
    unfinished.rename(path)


def docx(path: Path, seed: str, pages: int) -> None:
    from docx import Document

    prose, document = Prose(seed), Document()
    for page in range(pages):
        document.add_heading(prose.sentence()[:60], level=1 if page % 3 == 0 else 2)
        for _ in range(6):
            document.add_paragraph(prose.paragraph(7))
    document.save(str(path))


def markdown(path: Path, seed: str) -> None:
    prose = Prose(seed)
    path.write_text("\n\n".join(markdown_blocks(prose)), encoding="utf-8")


def markdown_blocks(prose: Prose) -> Iterator[str]:
    for level in ("# ", "## ", "## "):
        yield level + prose.sentence()[:60]
        yield prose.paragraph()
        yield "\n".join(f"- {prose.sentence()}" for _ in range(4))


def text_of_chunks(seed: str, chunks: int) -> str:
    """A plain text of at least that many passages of 800 tokens."""
    prose = Prose(seed)
    return "\n\n".join(prose.paragraph(9) for _ in range(5 * chunks))
