"""The units of a course by their names. Free of Django."""

import re

LONGEST_UNIT = 100  # characters, as the column has
_LEADING = re.compile(r"^\W*(\d{1,4})(?!\d)")


def unit_number(unit: str) -> int | None:
    """The first number in a unit's name: 4 of "U04 — Subnetting" and of "4"."""
    digits = ""
    for letter in unit[:100]:
        if letter in "0123456789":
            digits += letter
        elif digits:
            break
    return int(digits) if digits else None


def leading_number(filename: str) -> int | None:
    """The number that a file's name begins with: 4 of "04-subnetting.md"; none of "ipv6.md"."""
    found = _LEADING.match(filename)
    return int(found[1]) if found else None


def unit_named(title: str, filename: str) -> str:
    """The unit that a document of a course is, where nobody says: its title, behind the number of its file's name
    where the title has none."""
    number = leading_number(filename)
    said = " ".join(title.split())
    if number is not None and unit_number(said) is None:
        said = f"{number}. {said}"
    return said[:LONGEST_UNIT].strip()
