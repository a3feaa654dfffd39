"""Documents as the bench reads them by itself: the truth must not come from the extraction that is measured.

PDF: the text of each page as PDFium gives it; DOCX: the paragraphs as python-docx gives them; Markdown: as it is.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import docx
import pypdfium2

OWN = Path(__file__).resolve().parent.parent.parent / "samples"
READABLE = (".pdf", ".docx", ".md")
_CONTENTS = re.compile(r"(?:\.{4,}|(?:\s\.){3,})\s*[\divxlc]*\s*$")
_BEGINNING = 30  # letters that tell where a text begins
_LEAST = 6  # of them, of a text that runs on to the next page
_EDGE = 400  # letters at a page's foot or head
_SHARED = 3  # letters that furniture may begin with as well as the text goes on
_FEWEST = 5  # lines with leaders on a page that make it one of a table of contents


@dataclass(frozen=True, eq=False)
class Paper:
    """One file. `pages` are its texts; one, and not `paged`, where the format has none. `group` is the work that it
    belongs to: a folder of Markdown is one work in chapters, any other file is one by itself."""

    path: Path
    group: str
    pages: tuple[str, ...]
    paged: bool

    @property
    def name(self) -> str:
        return self.path.name

    @cached_property
    def squeezed(self) -> tuple[str, ...]:
        """The letters and figures of each page."""
        return tuple(map(squeeze, self.pages))

    @cached_property
    def whole(self) -> str:
        return "".join(self.squeezed)

    def stands_on(self, text: str, page: int | None) -> bool:
        """Whether a text stands, or begins, on a page (from 1); anywhere in what has no pages."""
        wanted = squeeze(text)
        if not wanted:
            return False
        if not self.paged or page is None:
            return not self.paged and wanted in self.whole
        if not 1 <= page <= len(self.pages):
            return False
        here = self.squeezed[page - 1]
        return (
            wanted in here or (len(wanted) > _BEGINNING and wanted[:_BEGINNING] in here) or self._runs_on(wanted, page)
        )

    def _runs_on(self, wanted: str, page: int) -> bool:
        """Whether letters, at least _LEAST of them, are the last of a page and the others the first of the next one:
        furniture may stand on both edges, for which _EDGE letters are allowed."""
        foot = self.squeezed[page - 1][-_EDGE:]
        head = self.squeezed[page][: _EDGE + len(wanted)] if page < len(self.pages) else ""
        first = next((size for size in range(min(len(wanted), _BEGINNING), _LEAST - 1, -1) if wanted[:size] in foot), 0)
        return any(wanted[size:][:_BEGINNING] in head for size in range(max(_LEAST, first - _SHARED), first + 1))

    def is_contents(self, page: int) -> bool:
        """Whether a page (from 1) is of a table of contents."""
        return sum(bool(_CONTENTS.search(line)) for line in self.pages[page - 1].splitlines()) >= _FEWEST


@cache
def squeeze(text: str) -> str:
    """Folded letters and figures alone: hyphens, line ends and marks are written in many ways."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", text).casefold() if sign.isalnum())


def read_papers(folder: Path) -> list[Paper]:
    """Every readable file below `folder`, in order of its path; what cannot be read is left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in READABLE and path.name != "README.md":
            try:
                found.append(_read(path))
            except Exception as error:  # a library's own: an encrypted or broken file is no sample
                print(f"left out: {path.name} ({type(error).__name__})")
    return [paper for paper in found if squeeze("".join(paper.pages[:3]))]


def read_own() -> list[Paper]:
    """The project's own samples, each file a work by itself, and the course one in chapters."""
    files = [paper for paper in read_papers(OWN) if paper.path.parent.name != "source"]
    return [paper if paper.path.parent != OWN else replace(paper, group=paper.path.stem) for paper in files]


def _read(path: Path) -> Paper:
    if path.suffix.lower() == ".pdf":
        with pypdfium2.PdfDocument(path) as pdf:
            pages = tuple(page.get_textpage().get_text_range().replace("\r\n", "\n") for page in pdf)
        return Paper(path, path.stem, pages, paged=True)
    if path.suffix.lower() == ".docx":
        text = "\n".join(paragraph.text for paragraph in docx.Document(str(path)).paragraphs)
        return Paper(path, path.stem, (text,), paged=False)
    return Paper(path, path.parent.name, (path.read_text(encoding="utf-8"),), paged=False)
