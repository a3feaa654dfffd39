"""How a document that is not there is told: by the words of the question that name it, and no more. Pure."""

from collections.abc import Sequence

from retrieval.text.document_names import NOUNS
from retrieval.text.folding import fold_latin
from retrieval.text.naming.name_words import NameWord, name_words
from retrieval.text.stems import STOP_WORDS


def told_name(name: str) -> str:
    """Of what a question may have of a name, "AI Act prohibit", the name: up to its word for a document where others
    stand before that, and to what is written in capitals or figures behind it; all where nothing is."""
    words = name_words(fold_latin(name))
    at = next((n for n, word in enumerate(words) if word.text in NOUNS), None)
    if at is None:
        return name
    written = [n for n in range(at + 1, len(words)) if _is_written(name, words[n])]
    if any(word.text not in STOP_WORDS for word in words[:at]):
        last = _in_a_row(words, at, written)
    else:
        last = max(written, default=len(words) - 1)
    return name[: words[last].end]


def _is_written(name: str, word: NameWord) -> bool:
    return not name[word.start].islower()


def _in_a_row(words: Sequence[NameWord], at: int, written: Sequence[int]) -> int:
    """The last of those right behind a word, with nothing but function words between: "Data Act of 2018"."""
    last = at
    for n in written:
        if any(word.text not in STOP_WORDS for word in words[last + 1 : n]):
            break
        last = n
    return last
