"""Lines of SHOW GRANTS, as MariaDB 10.11 and MySQL 8.4 write them."""

import pytest

from tools.engines.grants import is_powerful, roles_in


@pytest.mark.parametrize(
    "line",
    [
        "GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION",
        "GRANT FILE ON *.* TO `x`@`%`",
        "GRANT SELECT, PROCESS ON *.* TO `x`@`%` IDENTIFIED BY PASSWORD '*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29'",
        "GRANT SELECT ON *.* TO `x`@`%` WITH GRANT OPTION",
        "GRANT SELECT, INSERT, UPDATE ON *.* TO `x`@`%`",
        "GRANT APPLICATION_PASSWORD_ADMIN,BACKUP_ADMIN ON *.* TO `x`@`%`",
        "GRANT PROXY ON ``@`%` TO `root`@`localhost` WITH GRANT OPTION",
        "GRANT CREATE USER ON *.* TO 'x'@'%'",
        'GRANT "a role" TO "x"@"%"',  # as a session with ANSI_QUOTES is told it
        'GRANT "a ON b" TO "x"@"%"',
        "GRANT odd$role TO x",
        "GRANT ALL PRIVILEGES ON `mysql`.* TO `x`@`%`",
        "GRANT ALL PRIVILEGES ON `%`.* TO `x`@`%`",
        "GRANT SELECT, INSERT ON `m_s%`.* TO `x`@`%`",
        "GRANT SELECT (`a`, `b, INSERT`), UPDATE (`a`) ON `mysql`.`global_priv` TO `x`@`%`",
        "GRANT SELECT ON `mysql`.`user` TO `x`@`%` WITH GRANT OPTION",
        "GRANT EXECUTE ON PROCEDURE `mysql`.`p` TO `x`@`%`",
    ],
)
def test_what_is_more_than_reading_everywhere_is_powerful(line: str) -> None:
    assert is_powerful(line)
    assert roles_in(line) == []


@pytest.mark.parametrize(
    "line",
    [
        "GRANT USAGE ON *.* TO `x`@`%`",
        "GRANT USAGE ON *.* TO `x`@`%` REQUIRE SSL WITH MAX_QUERIES_PER_HOUR 9",
        "GRANT SELECT, SHOW DATABASES, SHOW VIEW ON *.* TO `x`@`%`",
        "GRANT SELECT ON `shop`.* TO `x`@`%`",
        "GRANT ALL PRIVILEGES ON `shop`.* TO `x`@`%` WITH GRANT OPTION",
        "GRANT SELECT (`id`, `region`) ON `shop`.`customers` TO `x`@`%`",
        "GRANT EXECUTE ON FUNCTION `shop`.`f` TO `x`@`%`",
        "GRANT ALL PRIVILEGES ON `mysql\\_shop`.* TO `x`@`%`",
        "GRANT ALL PRIVILEGES ON `my_shop%`.* TO `x`@`%`",
        "GRANT SELECT, SHOW VIEW ON `mysql`.* TO `x`@`%`",
        "GRANT SELECT (`Host`, `User`) ON `mysql`.`user` TO `x`@`%`",
        "REVOKE SELECT ON `mysql`.* FROM `x`@`%`",
        "SET DEFAULT ROLE `r` FOR `x`@`%`",
    ],
)
def test_what_is_of_one_database_or_reads_is_not(line: str) -> None:
    assert not is_powerful(line)
    assert roles_in(line) == []


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        ("GRANT `r` TO `x`@`%`", ["`r`"]),
        ("GRANT `r` TO `x`@`%` WITH ADMIN OPTION", ["`r`"]),
        ("GRANT `a`@`%`,`b`@`10.%` TO `x`@`%`", ["`a`@`%`", "`b`@`10.%`"]),
        ("GRANT `odd, name`, `with ``quotes`` TO z` TO `x`@`%`", ["`odd, name`", "`with ``quotes`` TO z`"]),
        ("GRANT 'r'@'%' TO 'x'@'%'", ["'r'@'%'"]),
        ("GRANT r TO 'x'@'%'", ["r"]),
    ],
)
def test_roles_are_told_as_the_server_quotes_them(line: str, roles: list[str]) -> None:
    assert roles_in(line) == roles
    assert not is_powerful(line)
