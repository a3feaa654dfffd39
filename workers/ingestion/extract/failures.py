"""Why a document cannot be read: stable codes, each with the sentence that says what to do."""

ADVICE = {
    "encrypted_document": "The document is protected with a password. Remove it and upload the file again.",
    "scanned_document": "The document has only pictures of its pages. Run text recognition (OCR) and "
    "upload the result.",
    "empty_document": "The document has no text. Check the file and upload it again.",
    "corrupt_document": "The document is damaged or incomplete. Open it in its own program, save it "
    "again and upload the copy.",
    "too_many_pages": "The document has more than 5,000 pages. Split it and upload the parts.",
    "archive_bomb": "The document unpacks to far more than it should. Save it again without embedded "
    "files, or split it.",
    "unsupported_encoding": "The encoding of the text cannot be recognised. Save it as UTF-8 and upload it again.",
    "extraction_timeout": "Reading the document took too long. Split it, or save it in a simpler format.",
    "extraction_memory": "Reading the document needs too much memory. Split it and upload the parts.",
    "extraction_crashed": "The document could not be read safely. Save it again, perhaps in another format, "
    "and upload the copy.",
}
"""Every code of ExtractionError (mirrored by docs/errors.md). English; callers translate."""


class ExtractionError(Exception):
    """A document cannot be read, and trying again will not help.

    `code` is a key of ADVICE; `detail` is a sentence for the user, ADVICE's unless given; `cause` is
    technical, for the log, and never quotes the document (RELIABILITY R24).
    """

    def __init__(self, code: str, detail: str = "", *, cause: str = "") -> None:
        self.code = code
        self.detail = detail or ADVICE[code]
        self.cause = cause
        super().__init__(code, self.detail)

    def __str__(self) -> str:
        return f"{self.code} ({self.cause})" if self.cause else self.code
