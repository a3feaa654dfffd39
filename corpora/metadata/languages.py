"""What a document's language is called, in the reader's."""

from django.utils.translation import get_language_info


def language_name(code: str) -> str:
    """Of a code of two or three letters; the code where Django has no name for it."""
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code
