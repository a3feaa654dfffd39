"""Uploads: extension, signature and structure agree; names are harmless."""

import io
import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tests import documents
from corpora.uploads.signatures import UploadError, check_upload, safe_filename

PDF = documents.pdf([["hola"]])
DOCX = documents.docx(lambda document: document.add_paragraph("hola"))
SPANISH = "Año nuevo, ¿qué tal?\n"


def check(name: str, content: bytes, limit: int = 1 << 20) -> str:
    file = io.BytesIO(content)
    media_type = check_upload(name, file, len(content), limit)
    assert file.tell() == 0
    return media_type


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.pdf", PDF, documents.PDF),
        ("A.PDF", b"\xef\xbb\xbf\r\n" * 20 + PDF, documents.PDF),
        ("a.docx", DOCX, documents.DOCX),
        ("a.txt", SPANISH.encode(), documents.TEXT),
        ("a.txt", SPANISH.encode("cp1252"), documents.TEXT),
        ("a.txt", SPANISH.encode("utf-16"), documents.TEXT),
        ("a.txt", SPANISH.encode("utf-16-be"), documents.TEXT),
        ("a.md", "# Año".encode(), documents.MARKDOWN),
        ("a.markdown", b"text", documents.MARKDOWN),
        ("apuntes.v2.final.md", b"text", documents.MARKDOWN),
    ],
)
def test_files_that_are_what_they_say(name: str, content: bytes, media_type: str) -> None:
    assert check(name, content) == media_type


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pdf", DOCX),
        ("a.pdf", b"hello"),
        ("a.pdf", b" " * 1024 + PDF),
        ("a.docx", PDF),
        ("a.docx", DOCX[:-40]),
        ("a.docx", b"PK\x03\x04 not really"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        ("a.docx", documents.docx_bomb(50)),
        ("a.txt", PDF),
        ("a.txt", DOCX),
        ("a.txt", b"GIF89a and so on"),
        ("a.txt", b"text\0binary"),
        ("a.txt", b"a" * 300_000 + b"\0"),
        ("a.md", bytes(range(1, 256)) * 10),
    ],
)
def test_files_that_are_not(name: str, content: bytes) -> None:
    with pytest.raises(UploadError) as caught:
        check(name, content)
    assert (caught.value.code, caught.value.status) == ("signature_mismatch", 422)
    assert str(caught.value) == caught.value.detail != ""


@pytest.mark.parametrize("name", ["a.exe", "a", "", "pdf", "a.pdf.exe", "a.doc", "a.html", "a.pdf\0.exe", "a.pdf/x"])
def test_other_extensions_are_not_supported(name: str) -> None:
    with pytest.raises(UploadError) as caught:
        check(name, PDF)
    assert (caught.value.code, caught.value.status) == ("unsupported_type", 415)


def test_an_empty_file_says_so() -> None:
    with pytest.raises(UploadError) as caught:
        check("a.pdf", b"")
    assert (caught.value.code, caught.value.status) == ("empty_file", 422)


@pytest.mark.parametrize(("declared", "real"), [(11, 11), (5, 11), (11, 5)])
def test_real_bytes_count_and_not_only_declared_ones(declared: int, real: int) -> None:
    with pytest.raises(UploadError) as caught:
        check_upload("a.txt", io.BytesIO(b"a" * real), declared, 10)
    assert (caught.value.code, caught.value.status) == ("file_too_large", 413)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Programación 2026.pdf", "Programación 2026.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.md", "boot.md"),
        ("/", "document"),
        ("..", "document"),
        ("", "document"),
        (".pdf", "document.pdf"),
        ("a\r\nSet-Cookie: x.pdf", "a Set-Cookie: x.pdf"),
        ("a\0b.txt", "a b.txt"),
        ("\u202efdp.exe.pdf", "fdp.exe.pdf"),
        ("📄🙂.docx", "📄🙂.docx"),
        ("0 .0.", "0.0"),
        ("a.pdf .", "a.pdf"),
        ("e\u0301.md", "é.md"),
        ("<script>.md", "<script>.md"),
    ],
)
def test_names_become_harmless(name: str, safe: str) -> None:
    assert safe_filename(name) == safe


@pytest.mark.parametrize("letter", ["a", "é", "漢", "📄"])
def test_long_names_keep_their_extension(letter: str) -> None:
    safe = safe_filename(letter * 400 + ".docx")
    assert safe.endswith(".docx")
    assert 248 <= len(safe.encode()) <= 255


@given(st.one_of(st.text(), st.text(alphabet="./\\ \0\r\n\u202ea.")))
def test_every_name_is_harmless(name: str) -> None:
    safe = safe_filename(name)
    assert safe == os.path.basename(safe) == safe_filename(safe)
    assert safe not in ("", ".", "..")
    assert len(safe.encode()) <= 255
    assert unicodedata.is_normalized("NFC", safe)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in safe)
