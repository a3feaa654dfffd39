"""What an uploaded file is: its extension, signature and structure must agree (SPEC §3, RELIABILITY R11-R13).

Free of Django: the sandboxed extractor imports it too.
"""

import os
import re
import unicodedata
from collections.abc import Callable
from typing import BinaryIO

from corpora.media_types import DOCX, MARKDOWN, MEDIA_TYPES, PDF, TEXT
from corpora.uploads.archives import ArchiveBomb, NotADocx, check_docx

MAX_UPLOAD_BYTES = 10 * 1024 * 1024
MAX_FILENAME_BYTES = 255
_PDF_HEADER_WITHIN = 1024
_BLOCK = 256 * 1024
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_BINARY_SIGNATURES = (
    *(b"%PDF-", b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0", b"{\\rtf"),
    *(b"\x7fELF", b"MZ\x90", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh9", b"\xfd7zXZ", b"SQLite format 3"),
    *(b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF"),
)
_MAX_CONTROL_SHARE = 0.02
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\r\f\x0b\x1b\x1a")))
# Control characters, bidi marks and overrides, zero-width spaces, line separators, tags, lone surrogates.
_UNSAFE_IN_NAMES = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def gettext_noop(sentence: str) -> str:
    """Marks a sentence for the catalogue; who shows it translates it (`corpora.uploads.intake`)."""
    return sentence


class UploadError(Exception):
    """A file that is not taken. `code` and `status` are API.md's; `detail` says why, in English."""

    def __init__(self, code: str, status: int, detail: str) -> None:
        super().__init__(detail)
        self.code, self.status, self.detail = code, status, detail


def check_upload(filename: str, file: BinaryIO, size: int, limit: int = MAX_UPLOAD_BYTES) -> str:
    """The media type of an upload; `file` is seekable, `size` and `limit` are bytes. The file is rewound.

    Raises UploadError: unsupported_type (415), file_too_large (413), empty_file, signature_mismatch (422).
    """
    media_type = MEDIA_TYPES.get(os.path.splitext(safe_filename(filename))[1].lower())
    if media_type is None:
        raise UploadError("unsupported_type", 415, gettext_noop("Only PDF, DOCX, TXT and Markdown files are accepted."))
    actual = file.seek(0, os.SEEK_END)  # what is there counts, not what was declared
    file.seek(0)
    if max(size, actual) > limit:
        raise UploadError("file_too_large", 413, f"The file is larger than {limit // 1024 // 1024} MB.")
    if not actual:
        raise UploadError("empty_file", 422, gettext_noop("The file is empty."))
    reason = _CHECKS[media_type](file)
    file.seek(0)
    if reason:
        raise UploadError("signature_mismatch", 422, reason)
    return media_type


def _pdf_problem(file: BinaryIO) -> str:
    start = file.read(_PDF_HEADER_WITHIN)
    if b"%PDF-" not in start or start.startswith(b"PK\x03\x04"):
        return gettext_noop("The file is named PDF but does not contain a PDF.")
    return ""


def _docx_problem(file: BinaryIO) -> str:
    if file.read(4) == b"\xd0\xcf\x11\xe0":
        return gettext_noop(
            "The file is an old or a password-protected Word document. Save it as DOCX without a password."
        )
    file.seek(0)
    try:
        check_docx(file)
    except NotADocx:
        return gettext_noop("The file is named DOCX but does not contain a complete Word document.")
    except ArchiveBomb:
        return "The Word document expands to far more than its size."
    return ""


def _text_problem(file: BinaryIO) -> str:
    """Text is what has no NUL (but for UTF-16), hardly any control character and no binary's signature."""
    block = file.read(_BLOCK)
    if block.startswith(_BINARY_SIGNATURES):
        return gettext_noop("The file is named as text but contains another format.")
    wide = block.startswith(_BOMS[:2]) or bool(utf16_without_bom(block))
    while block:
        if not wide and (b"\0" in block or _controls(block) > _MAX_CONTROL_SHARE * len(block) + 1):
            return gettext_noop("The file is named as text but contains binary data.")
        block = file.read(_BLOCK)
    return ""


def _controls(block: bytes) -> int:
    return len(block) - len(block.translate(None, _CONTROLS))


_CHECKS: dict[str, Callable[[BinaryIO], str]] = {
    PDF: _pdf_problem,
    DOCX: _docx_problem,
    TEXT: _text_problem,
    MARKDOWN: _text_problem,
}


def utf16_without_bom(sample: bytes) -> str:
    """The UTF-16 codec if every other byte of `sample` is mostly NUL and the rest never is; else ""."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    enough = len(sample) // 2 * 0.4
    if odd > enough and not even:
        return "utf-16-le"
    return "utf-16-be" if even > enough and not odd else ""


def safe_filename(name: str) -> str:
    """The client's name as harmless metadata (RELIABILITY R12): NFC, no folders, no invisible characters.

    At most 255 bytes in UTF-8 with the extension kept; never empty, "." or "..".
    """
    base = re.split(r"[/\\]", name)[-1]
    base = unicodedata.normalize("NFC", " ".join(_UNSAFE_IN_NAMES.sub(" ", base).split())).rstrip(". ")
    stem, extension = os.path.splitext(base)
    if stem.startswith(".") and not extension and stem.lower() in MEDIA_TYPES:
        stem, extension = "", stem
    stem = stem.strip(". ") or "document"
    extension = _shortened(extension, 32).rstrip(". ")
    return _shortened(stem, MAX_FILENAME_BYTES - len(extension.encode())).rstrip(". ") + extension


def _shortened(text: str, limit: int) -> str:
    return text.encode()[:limit].decode(errors="ignore")
