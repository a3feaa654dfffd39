"""Who is to say it, as a question names it: left out where only what is asked counts. Pure."""

import re
from collections.abc import Callable

from retrieval.text.asked_names import MentionKind, asked_mentions
from retrieval.text.asked_places import LONGEST_QUESTION, asked_places
from retrieval.text.folding import fold_latin

_WORD = re.compile(r"\w")
_BY_WHOM = re.compile(
    r"(?:^|\b)(?:segun|conforme a|de acuerdo con|en|in|under|per|according to)"
    r"(?: (?:el|la|los|las|the|our|nuestra|nuestro))? ?$"
)


def no_short_name(_name: str) -> bool:
    return False


def without_source(question: str, is_source: Callable[[str], bool] = no_short_name) -> str:
    """A question without who is to say it, where that stands at its beginning or end: "según la Ley 41/2002", "in the
    staff handbook". `is_source`: whether a short name ("under GDPR") is a document's."""
    original = question[:LONGEST_QUESTION]
    formal = (MentionKind.ACT, MentionKind.NOUN, MentionKind.FILE)
    for one in asked_mentions(original, asked_places(original)):
        says_where = one.kind in formal or (one.kind is MentionKind.SHORT and is_source(one.text))
        before = _BY_WHOM.search(fold_latin(original[: one.start])) if says_where else None
        if before is None:
            continue
        said, rest = original[: before.start()], original[one.end :]
        if not _WORD.search(rest) and _WORD.search(said):
            return f"{said.rstrip(' ,;')}{rest}"
        if not _WORD.search(said) and _WORD.search(rest):
            return f"{said}{rest.lstrip(' ,;:')}"
    return question
