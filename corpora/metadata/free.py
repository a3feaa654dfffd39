"""What else is said of a document, by names of one's own: {"author": "Ana", "edition": 3, "reviewed": true}.

Source: rag-for-teaching-agents §3.1 (`metadata JSONB`): what comes up later needs no change of the schema. In the index
each entry is a word, "edition=3", so that one key of the payload serves every name, and a filter says `meta.edition`.
Pure.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from corpora.metadata.names import FREE_PREFIX

Scalar = str | int | float | bool

MAX_KEYS, MAX_KEY, MAX_TEXT = 20, 40, 255  # characters of a name and of a value
HIGHEST = 2**53  # of whole numbers: beyond it JSON's readers disagree


def checked_free(said: Any) -> dict[str, Scalar]:
    """Names and values as they are kept: without spaces around, none that is empty. Raises ValueError, with the
    reason."""
    if not isinstance(said, Mapping):
        raise ValueError("an object of names and values")
    told = {str(name).strip(): _value(value) for name, value in said.items() if value is not None}
    kept = {name: value for name, value in told.items() if value != ""}
    if len(kept) > MAX_KEYS:
        raise ValueError(f"at most {MAX_KEYS} names")
    if wrong := [name for name in kept if not is_free_name(name)]:
        raise ValueError(f"{wrong[0][:MAX_KEY]!r} is no name: up to {MAX_KEY} letters, digits, - and _, no digit first")
    return kept


def is_free_name(name: str) -> bool:
    return len(name) <= MAX_KEY and name.replace("-", "_").isidentifier()


def _value(value: Any) -> Scalar:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if not math.isfinite(value) or abs(value) > HIGHEST:
            raise ValueError("a number that is too large")
        return int(value) if float(value).is_integer() else value
    if not isinstance(value, str):
        raise ValueError("a value is a text, a number, true or false")
    text = value.strip()
    if len(text) > MAX_TEXT or not text.isprintable():
        raise ValueError(f"a text has at most {MAX_TEXT} characters and stands on one line")
    return text


def parse_pairs(pairs: Iterable[str]) -> dict[str, Scalar]:
    """Of "name=value" each. Raises ValueError, with the reason."""
    said = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair[:MAX_KEY]!r} is not name=value")
        said[name.strip()] = read_scalar(value.strip())
    return checked_free(said)


def read_scalar(word: str) -> Scalar:
    """What a word means that was written without quotes: 3, 2.5, true, or itself. "007" stays a text."""
    if word in ("true", "false"):
        return word == "true"
    for kind in (int, float):
        try:
            number = kind(word)
        except ValueError:
            continue
        if str(number) == word and math.isfinite(number):
            return number
    return word


def spell(value: Scalar) -> str:
    """One spelling of each value, in which values are compared: 3 and "3" are the same."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def free_words(said: Mapping[str, Scalar]) -> list[str]:
    """As the index keeps them, in a fixed order."""
    return sorted(free_word(name, value) for name, value in said.items())


def free_word(name: str, value: Scalar) -> str:
    return f"{name}={spell(value)}"


def free_name(condition: str) -> str | None:
    """`edition` of `meta.edition`; None of any other condition's name."""
    return condition.removeprefix(FREE_PREFIX) if condition.startswith(FREE_PREFIX) else None


def split_conditions(conditions: Mapping[str, Iterable[str]]) -> tuple[dict[str, Any], list[str]]:
    """The conditions of fixed names, and those of free ones as words."""
    fixed = {name: values for name, values in conditions.items() if free_name(name) is None}
    words = [free_word(free, value) for name in conditions if (free := free_name(name)) for value in conditions[name]]
    return fixed, words


def conditions_of_words(words: Iterable[str]) -> dict[str, list[str]]:
    """What `split_conditions` took apart: values by `meta.NAME`."""
    conditions: dict[str, list[str]] = {}
    for word in words:
        name, _equals, value = word.partition("=")
        conditions.setdefault(FREE_PREFIX + name.strip(), []).append(value.strip())
    return conditions
