"""A DOCX as a zip archive: is it one, and does what it declares stay within the limits of RELIABILITY R13?"""

import re
import zipfile
from typing import BinaryIO

MAX_ENTRIES = 2_000
MAX_DOCUMENT_BYTES = 20 * 1024 * 1024  # of any XML part: the main one may have any name
MAX_TOTAL_BYTES = 100 * 1024 * 1024
MAX_RATIO = 100
RATIO_MATTERS_FROM = 1024 * 1024  # a small part that compresses well is harmless
CONTENT_TYPES = "[Content_Types].xml"
_MAIN_PART = re.compile(r"word/document\d*\.xml")  # Word on the web also writes document2.xml


class NotADocx(Exception):
    """Not a zip, or a zip that is no Word document."""


class ArchiveBomb(Exception):
    """The archive declares more entries or bytes than a document needs."""


def check_docx(file: BinaryIO) -> None:
    """Read only the zip's directory, never a part. Raises NotADocx or ArchiveBomb (RELIABILITY R13, fact 5).

    Declared sizes may lie; zipfile stops reading a part at its declared size and then fails on its CRC.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeDecodeError) as error:
        raise NotADocx("not a readable zip archive") from error
    _check_sizes(parts)
    names = {part.filename for part in parts}
    if CONTENT_TYPES not in names or not any(map(_MAIN_PART.fullmatch, names)):
        raise NotADocx("a zip archive without a Word document in it")


def _check_sizes(parts: list[zipfile.ZipInfo]) -> None:
    if len(parts) > MAX_ENTRIES:
        raise ArchiveBomb(f"{len(parts)} entries")
    total = sum(part.file_size for part in parts)
    if total > MAX_TOTAL_BYTES:
        raise ArchiveBomb(f"{total} bytes in all")
    for part in parts:
        if part.file_size > MAX_DOCUMENT_BYTES and part.filename.lower().endswith((".xml", ".rels")):
            raise ArchiveBomb(f"a part of {part.file_size} bytes")
        if part.file_size > max(RATIO_MATTERS_FROM, MAX_RATIO * part.compress_size):
            raise ArchiveBomb(f"a part that expands more than {MAX_RATIO} times")
