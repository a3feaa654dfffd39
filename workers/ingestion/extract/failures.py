"""Why a document cannot be read: stable codes. What a person should do about each is `corpora.advice`'s to say."""

CODES = frozenset(
    {
        "encrypted_document",
        "scanned_document",
        "empty_document",
        "corrupt_document",
        "too_many_pages",
        "archive_bomb",
        "unsupported_encoding",
        "extraction_timeout",
        "extraction_memory",
        "extraction_crashed",
    }
)


class ExtractionError(Exception):
    """A document cannot be read, and trying again will not help.

    `code` is one of CODES; `cause` is technical, for the log, and never quotes the document (RELIABILITY R24).
    """

    def __init__(self, code: str, *, cause: str = "") -> None:
        self.code = code
        self.cause = cause
        super().__init__(code)

    def __str__(self) -> str:
        return f"{self.code} ({self.cause})" if self.cause else self.code
