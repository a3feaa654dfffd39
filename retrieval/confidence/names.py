"""The names and numbers of a question: what it is about and nothing else is. Pure."""

import re

from retrieval.text.folding import fold
from retrieval.text.stems import STOP_WORDS, stem

_WORD = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"(?=[IVXLC])C{0,3}(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})")  # a numeral is a number, not a name
_OPENS = frozenset(".?!¿¡:")


def named_stems(question: str) -> tuple[str, ...]:
    """Stems of words with figures, of capitals only, and of those that are capitalised within a sentence.

    A question in capitals throughout names nothing by them.
    """
    shouts = question.isupper()
    found = []
    for match in _WORD.finditer(question):
        word, before = match[0], question[: match.start()].rstrip()
        opens = not before or before[-1] in _OPENS
        is_name = word[0].isupper() and not shouts and (not opens or (len(word) > 1 and word.isupper()))
        is_name = is_name and not _ROMAN.fullmatch(word)
        if (is_name or any(sign.isdigit() for sign in word)) and fold(word) not in STOP_WORDS:
            found.append(stem(fold(word)))
    return tuple(dict.fromkeys(found))
