"""Documents for tests, built from code: PDF, DOCX, and files made to break whoever reads them."""

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MARKDOWN = "text/markdown"
TEXT = "text/plain"

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
    '.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def pdf(
    pages: Sequence[Sequence[str]],
    outline: Sequence[tuple[str, int, int]] = (),
    title: str = "",
    password: str | None = None,
    owner_password: str | None = None,
) -> bytes:
    """A PDF with one line of text per string; `outline`: (title, level from 0, page index)."""
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    encrypt = None
    if password is not None:
        encrypt = StandardEncryption(password, ownerPassword=owner_password or "owner", canPrint=0)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=encrypt)
    canvas.setTitle(title or "untitled")
    for index, lines in enumerate(pages):
        for key, (name, level, page) in enumerate(outline):
            if page == index:
                canvas.bookmarkPage(str(key))
                canvas.addOutlineEntry(name, str(key), level)
        for number, line in enumerate(lines):
            canvas.drawString(60, 800 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def scanned_pdf(pages: int = 1, stamp: str = "") -> bytes:
    """Pages that hold an image and, at most, a stamp."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    picture = ImageReader(Image.new("L", (60, 80), 200))
    for _ in range(pages):
        canvas.drawImage(picture, 0, 0, 595, 842)
        canvas.drawString(60, 20, stamp)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def raw_pdf(objects: Sequence[bytes]) -> bytes:
    """Objects numbered from 1 (1 is the catalog), with a correct cross-reference table."""
    parts, offsets, start = [b"%PDF-1.7\n"], [], len(b"%PDF-1.7\n")
    for number, body in enumerate(objects, start=1):
        offsets.append(start)
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, body))
        start += len(parts[-1])
    rows = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, rows))
    parts.append(b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (size, start))
    return b"".join(parts)


def many_pages_pdf(pages: int) -> bytes:
    """That many blank pages in a small file."""
    kids = b" ".join(b"%d 0 R" % (number + 3) for number in range(pages))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"
    tree = b"<</Type/Pages/Count %d/Kids[%b]>>" % (pages, kids)
    return raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", tree, *[page] * pages])


def cyclic_pdf() -> bytes:
    """A page tree that contains itself."""
    node = b"<</Type/Pages/Count 2/Kids[3 0 R 2 0 R]/Parent 2 0 R>>"
    return raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", node, b"<</Type/Pages/Count 1/Kids[2 0 R]/Parent 2 0 R>>"])


def deep_pdf(depth: int) -> bytes:
    """A page tree `depth` levels deep, and an array nested as deeply in its catalog."""
    nodes = [b"<</Type/Pages/Count 1/Kids[%d 0 R]>>" % (number + 3) for number in range(depth)]
    leaf = b"<</Type/Page/MediaBox[0 0 9 9]/Deep %b%b>>" % (b"[" * depth, b"]" * depth)
    return raw_pdf([b"<</Type/Catalog/Pages 2 0 R/X %b%b>>" % (b"[" * depth, b"]" * depth), *nodes, leaf])


def docx(build: Callable[[Any], object]) -> bytes:
    """A DOCX made by python-docx; `build` receives the document."""
    from docx import Document

    document = Document()
    build(document)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def docx_of_xml(body: str | bytes, extra: Sequence[tuple[str, bytes]] = ()) -> bytes:
    """The smallest DOCX around the XML of a body."""
    content = body.encode() if isinstance(body, str) else body
    head = f'<w:document xmlns:w="{_W}"><w:body>'.encode()
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES.encode(),
        "_rels/.rels": _RELATIONS.encode(),
        "word/document.xml": head + content + b"</w:body></w:document>",
        **dict(extra),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def docx_bomb(megabytes: int = 50) -> bytes:
    """A small DOCX whose document.xml unpacks to that much (RELIABILITY, fact 5)."""
    paragraph = b"<w:p><w:r><w:t>A</w:t></w:r></w:p>"
    return docx_of_xml(paragraph * (megabytes * 1024 * 1024 // len(paragraph)))


def lying_docx(megabytes: int = 50) -> bytes:
    """The bomb, with a declared size of 1,000 bytes in both of the zip's headers."""
    bomb = docx_bomb(megabytes)
    with zipfile.ZipFile(io.BytesIO(bomb)) as archive:
        size = archive.getinfo("word/document.xml").file_size
    return bomb.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
