"""What SHOW GRANTS of MySQL and MariaDB tells of a role, line by line."""

import re

# What a role may have been granted on everything (*.*): whatever else it is, it is more than reading.
HARMLESS = frozenset(("USAGE", "SELECT", "SHOW DATABASES", "SHOW VIEW"))
ON_EVERYTHING = re.compile(r"GRANT (?P<what>.+) ON \*\.\* TO .*", re.DOTALL)
NAME = r"(?:`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*'|\w+)"
ROLE = f"{NAME}(?:@{NAME})?"
OF_ROLES = re.compile(f"GRANT (?P<roles>{ROLE}(?:, ?{ROLE})*) TO .*", re.DOTALL)
# Grants on a database, whose name is a pattern as LIKE has them, or on what is in it.
ON_A_DATABASE = re.compile(r"GRANT (?P<what>.+) ON (?:[A-Z]+ )*`(?P<name>(?:[^`]|``)*)`\..*", re.DOTALL)
COLUMNS = re.compile(r"\((?:[^`)]|`(?:[^`]|``)*`)*\)")
ACCOUNTS = "mysql"  # the database in which the server keeps who may do what


def is_powerful(line: str) -> bool:
    """Whether it grants more on everything, or on the server's accounts, than to read it, or to become another; so is
    what cannot be read."""
    if line.startswith("GRANT PROXY ") or _is_unknown(line) or _writes_accounts(line):
        return True
    found = ON_EVERYTHING.fullmatch(line)
    granted = {one.strip() for one in found["what"].split(",")} if found else set[str]()
    return bool(granted - HARMLESS) or bool(found and "WITH GRANT OPTION" in line)


def _is_unknown(line: str) -> bool:
    is_of_objects = re.match(r"GRANT [A-Z]", line) and " ON " in line
    return line.startswith("GRANT ") and not is_of_objects and not roles_in(line)


def _writes_accounts(line: str) -> bool:
    found = ON_A_DATABASE.fullmatch(line)
    if not found or not _is_like(ACCOUNTS, found["name"]):
        return False
    granted = {one.strip() for one in COLUMNS.sub("", found["what"]).split(",")}
    return bool(granted - HARMLESS) or "WITH GRANT OPTION" in line


def _is_like(text: str, pattern: str) -> bool:
    signs = {"%": ".*", "_": "."}
    parts = re.findall(r"\\.|%+|.", pattern, re.DOTALL)
    return bool(re.fullmatch("".join(signs.get(one[:1]) or re.escape(one[-1]) for one in parts), text, re.IGNORECASE))


def roles_in(line: str) -> list[str]:
    """Those that can be taken on, as the server quotes them: they go back to it as they came."""
    found = OF_ROLES.fullmatch(line)
    return [one[0] for one in re.finditer(ROLE, found["roles"])] if found else []
