"""What a person should do about a document that failed, by its error code (docs/errors.md).

The only one: pages, the API, the admin and commands show it, in the reader's language.
"""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ADVICE: dict[str, Promise] = {
    "encrypted_document": _("It is protected with a password. Remove the protection and upload it again."),
    "scanned_document": _("It only has images of its pages. Run text recognition (OCR) on it and upload the result."),
    "empty_document": _("It contains no text. Check that it is the right file and upload it again."),
    "corrupt_document": _(
        "It is damaged or incomplete. Open it in its own program, save it again and upload that copy."
    ),
    "too_many_pages": _("It has more than 5,000 pages. Split it and upload each part."),
    "archive_bomb": _("It expands to far more than its size. Save it again without embedded files, or split it."),
    "unsupported_encoding": _("Its text encoding cannot be recognised. Save it as UTF-8 and upload it again."),
    "extraction_timeout": _("Reading it took too long. Split it, or save it in a simpler format."),
    "extraction_memory": _("Reading it needs too much memory. Split it into smaller parts."),
    "extraction_crashed": _("It could not be read safely. Save it in another format and upload that copy."),
    "embedding_rejected": _("The embedding service does not accept its text. Try again; then tell your administrator."),
    "service_unavailable": _("A service does not answer at the moment. It is tried again by itself."),
    "embedding_space_changed": _(
        "The embedding model is not the one that the index was made with. Tell your administrator."
    ),
    "original_missing": _("Its file is not in the file store. Upload it again, or tell your administrator."),
    "too_many_attempts": _(
        "Processing stopped three times before its end. Try again; if it fails again, split the file."
    ),
    "internal_error": _("Processing failed. Try again; if it keeps failing, tell your administrator."),
}


def failure_advice(code: str) -> str:
    """The sentence in the reader's language; unknown codes get the general one."""
    return str(ADVICE.get(code, ADVICE["internal_error"]))
