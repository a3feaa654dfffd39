"""What SHOW GRANTS of MySQL and MariaDB tells of a role, line by line."""

import re

# What a role may have been granted on everything (*.*): whatever else it is, it is more than reading.
HARMLESS = frozenset(("USAGE", "SELECT", "SHOW DATABASES", "SHOW VIEW"))
ON_EVERYTHING = re.compile(r"GRANT (?P<what>.+) ON \*\.\* TO .*", re.DOTALL)
NAME = r"(?:`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*'|\w+)"
ROLE = f"{NAME}(?:@{NAME})?"
OF_ROLES = re.compile(f"GRANT (?P<roles>{ROLE}(?:, ?{ROLE})*) TO .*", re.DOTALL)


def is_powerful(line: str) -> bool:
    """Whether it grants more on everything than to read it, or to become another."""
    if line.startswith("GRANT PROXY "):
        return True
    found = ON_EVERYTHING.fullmatch(line)
    granted = {one.strip() for one in found["what"].split(",")} if found else set[str]()
    return bool(granted - HARMLESS) or bool(found and "WITH GRANT OPTION" in line)


def roles_in(line: str) -> list[str]:
    """Those that can be taken on, as the server quotes them: they go back to it as they came."""
    found = OF_ROLES.fullmatch(line)
    return [one[0] for one in re.finditer(ROLE, found["roles"])] if found else []
