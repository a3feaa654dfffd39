"""Builds the sample PDF and DOCX files from source/*.md (a development tool: needs requirements-dev.txt)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import to_docx
import to_pdf
from markdown_blocks import parse_blocks

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class SampleFile:
    """One file to build: its source, its name (whose ending chooses the writer), its author and language."""

    source: str
    target: str
    author: str
    language: str


SAMPLES = (
    SampleFile("guia-del-prestamo.md", "guia-del-prestamo.pdf", "Biblioteca Aurora", "es-ES"),
    SampleFile("technical-handbook.md", "technical-handbook.pdf", "Aurora Library & Academy", "en-GB"),
    SampleFile("manual-de-estilo.md", "manual-de-estilo.docx", "Aurora Ediciones", "es-ES"),
    SampleFile("employee-handbook.md", "employee-handbook.docx", "Aurora Library & Academy", "en-GB"),
)


def build_samples(folder: Path = HERE) -> list[Path]:
    """Writes every sample into `folder` and returns their paths; the bytes depend on the sources alone."""
    written = []
    for sample in SAMPLES:
        blocks = parse_blocks((HERE / "source" / sample.source).read_text(encoding="utf-8"))
        target = folder / sample.target
        writer = to_pdf if target.suffix == ".pdf" else to_docx
        writer.write(blocks, target, sample.author, sample.language)
        written.append(target)
    return written


if __name__ == "__main__":
    for path in build_samples(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE):
        print(f"{path.name}: {path.stat().st_size:,} bytes")
