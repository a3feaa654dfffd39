"""Reading a document: everything between its bytes and its vectors that needs neither network nor database.

    bytes ── extract ──▶ text ── language, passages with their tokens, terms for BM25 ──▶ Reading

The sandbox's child does all of it (`read`): several documents then use several cores, and the server's global lock
is free for answers. Who has a text already does the rest with the same code (`read_extracted`). The same child shows a
single page as it is printed, or a picture inside of a document, where that is what it is
asked for.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from corpora.reader.printed import PageRequest, PrintedPage
from retrieval.index import bm25
from retrieval.index.base import SparseVector
from retrieval.text import language
from retrieval.text.passages import indexed_text
from workers.ingestion.chunk import code
from workers.ingestion.chunk.chunking import OVERLAP, ChunkDraft, cut_chunks
from workers.ingestion.chunk.tokens import token_counter
from workers.ingestion.extract import entry
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.titles import title_of_file

# What the child leaves to the server, so that no document fails at the child's limits for want of time to cut it.
# Characters times granularities: some 4 s of the child's 30.
MOST_CUT = 16_000_000
MOST_PARSING_SECONDS = 12.0  # of CPU
_JUDGED = 20_000  # characters that tell a text's language


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What is known of a document before it is read; `title` and `language` are empty where nobody said them."""

    media_type: str
    granularities: tuple[int, ...] = ()
    title: str = ""
    filename: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, its passages at every granularity, and each passage's terms, weighed in `language`."""

    extracted: Extracted
    language: str
    chunks: tuple[ChunkDraft, ...]
    terms: tuple[SparseVector, ...]


def read(content: bytes, request: ReadRequest | PageRequest) -> Reading | Extracted | PrintedPage:
    """Runs in the sandbox's child. Only the text when cutting it might take longer than the child may.

    Raises ExtractionError.
    """
    if isinstance(request, PageRequest):
        # Loaded by `preload`: the server loads no parser.
        from workers.ingestion.pictures.drawing import show_picture
        from workers.ingestion.showing.page import show_page

        return show_picture(content, request) if request.picture_of else show_page(content, request)
    extracted = entry.extract(content, request.media_type)
    long = len(extracted.text) * len(request.granularities) > MOST_CUT
    return extracted if long or time.process_time() > MOST_PARSING_SECONDS else read_extracted(extracted, request)


def read_extracted(extracted: Extracted, request: ReadRequest) -> Reading:
    """Everything after extraction."""
    spoken = request.language or language.detect(extracted.text[:_JUDGED])
    chunks = [draft for size in request.granularities for draft in cut_chunks(extracted, size, OVERLAP[size])]
    texts = indexed_texts(title_of(extracted, request.title, request.filename), chunks)
    return Reading(extracted, spoken, tuple(chunks), tuple(bm25.encode_documents(texts, spoken)))


def title_of(extracted: Extracted, given: str, filename: str) -> str:
    """What people call it, else what it calls itself, else its file's name in words."""
    return given or extracted.title or title_of_file(filename)


def indexed_texts(title: str, chunks: Sequence[ChunkDraft]) -> list[str]:
    """What of each passage is embedded and searched."""
    return [indexed_text(title, one.heading_path, one.text) for one in chunks]


def preload() -> None:
    """Load every parser, analyser and vocabulary, with what they load lazily: the child cannot open files later."""
    from workers.ingestion.pictures import drawing
    from workers.ingestion.showing import page

    entry.preload_parsers()
    page.warm_up()
    drawing.warm_up()
    token_counter()("warming up")
    code.warm_up()
    for spoken in ("es", "en"):
        bm25.encode_documents(["calentando, warming up"], spoken)
