"""Fields, "Peso: 12 kg": a name of a few words and its value, each on a line of its own. Pure."""

import re
from collections.abc import Iterator, Sequence

FEWEST = 2  # of a list without marks
LONGEST_ALONE = 80  # characters of a field that stands alone
LONGEST_WORD = 12  # letters of what did not fit on a line

_FIELD = re.compile(r"[*_\s]{0,4}[^\W\d_][^.:;?!¿¡|\n]{1,40}:[*_]{0,3}\s{1,9}(?![\W_]{0,2}[—–-]\s)[^?\n]{1,200}")


def fields_in(lines: Sequence[str]) -> tuple[str, list[str]] | None:
    """What heads a list of fields, or "", and each of them on one line; None of a paragraph. A field that stands alone
    is short, and no sentence."""
    whole = list(_joined(lines))
    title = "" if is_field(whole[0]) else whole[0]
    fields = whole[1:] if title else whole
    if not fields or not all(map(is_field, fields)):
        return None
    if len(fields) >= FEWEST:
        return title, fields
    is_short = len(fields[0]) <= LONGEST_ALONE and not fields[0].rstrip().endswith((".", "!"))
    return (title, fields) if is_short and not title else None


def is_field(line: str) -> bool:
    """Not of what announces the lines below it."""
    said = line.rstrip()
    return not said.rstrip("*_").endswith(":") and _FIELD.fullmatch(said) is not None


def label_of(line: str) -> str:
    """What a field is called; "" of what is none."""
    return line.partition(":")[0] if is_field(line) else ""


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """The lines, each field with what goes on from it: what is none, behind a line that was full."""
    full = max(map(len, lines)) - LONGEST_WORD
    whole = last = lines[0]
    for line in lines[1:]:
        if is_field(whole) and not is_field(line) and len(last) > full:
            whole = f"{whole} {line.strip()}"
        else:
            yield whole
            whole = line
        last = line
    yield whole
