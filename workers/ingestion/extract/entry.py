"""Extraction's one entry: bytes and a media type to canonical text. Runs inside the sandbox's child."""

from collections.abc import Callable

from corpora.media_types import DOCX, MARKDOWN, PDF, TEXT
from workers.ingestion.extract.extracted import Extracted, HeadingSpan, PageSpan
from workers.ingestion.extract.failures import ExtractionError

__all__ = ["Extracted", "ExtractionError", "HeadingSpan", "PageSpan", "extract", "preload_parsers"]


def _extractor(media_type: str) -> Callable[[bytes], Extracted]:
    # Imported here so that whoever only needs the types (the server) does not load the parsers.
    if media_type == PDF:
        from workers.ingestion.extract.pdf import extract_pdf

        return extract_pdf
    if media_type == DOCX:
        from workers.ingestion.extract.docx import extract_docx

        return extract_docx
    if media_type == MARKDOWN:
        from workers.ingestion.extract.markdown import extract_markdown

        return extract_markdown
    if media_type == TEXT:
        from workers.ingestion.extract.plain import extract_text

        return extract_text
    raise ValueError(f"no extractor for {media_type!r}")


def extract(content: bytes, media_type: str) -> Extracted:
    """Read a document (SPEC §3, Extract). Raises ExtractionError; ValueError for an unknown media type.

    Call it through `sandbox.pool.read_in_sandbox`: the parsers are other people's code on strangers' files.
    """
    extractor = _extractor(media_type)
    if not content:
        raise ExtractionError("empty_document", cause="zero bytes")
    try:
        extracted = extractor(content)
    except (ExtractionError, MemoryError):
        raise
    except Exception as error:  # the libraries raise whatever they like on damaged files
        raise ExtractionError("corrupt_document", cause=type(error).__name__) from error
    if not extracted.text.strip():
        raise ExtractionError("empty_document", cause="no text")
    return extracted


def preload_parsers() -> None:
    """Load every parser and what it loads lazily: the child cannot open files later."""
    from workers.ingestion.extract import docx, markdown, pdf, plain

    for module in (pdf, docx, markdown, plain):
        module.warm_up()
