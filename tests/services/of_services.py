"""A pytest plugin (`-p tests.services.of_services`): of a run with servers, leaves out what asks neither of them.

pytest-django lets no other test reach the database; those were run on SQLite a moment ago and would only run again.
Whoever asks the cache does so in `accounts` and `config`. What is settled before any row is looked for, by hosts,
headers, methods, sessions without a second factor and the names of filters, or after, in what is drawn of it, is
settled alike whatever holds the rows; what starts processes on a SQLite of its own does so here again.
"""

import pytest

ASKING_THE_CACHE = ("accounts/", "config/")
BEFORE_ANY_ROW = (
    "accounts/tests/test_relay.py",
    "accounts/tests/test_two_factor_requirement.py",
    "config/tests/test_connections.py",
    "config/tests/test_correlation.py",
    "config/tests/test_logs.py",
    "corpora/tests/test_downloads.py::test_a_hostile_name",
    "tests/attacks/test_every_route.py",
    "tests/attacks/test_installation.py::test_no_page",
    "tests/attacks/test_hostile_requests.py::test_an_answer_is_rendered_in_time_linear_in_it",
    "tests/test_body_limit.py",
    "tests/test_guard_lookups.py",
    "tests/test_guard_routes.py::test_a_method_without_a_case_is_not_allowed",
    "tests/test_guard_routes.py::test_a_session_without_the_csrf_token_is_refused",
    "tests/test_heads.py",
    "tests/test_hostile_bodies.py::test_a_megabyte_of_one_field_is_counted_before_it_is_looked_at",
)
ON_ITS_OWN_SQLITE = (
    "accounts/tests/test_organization_command.py::test_before_migrate_a_command_says_in_a_line_what_to_do",
    "workers/tests/test_commands.py::test_exit_codes",
)
DATABASE = {"db", "transactional_db"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asking = [item for item in items if asks_a_server(item)]
    config.hook.pytest_deselected(items=[item for item in items if not asks_a_server(item)])
    items[:] = asking


def asks_a_server(item: pytest.Item) -> bool:
    if item.nodeid.startswith((*BEFORE_ANY_ROW, *ON_ITS_OWN_SQLITE)):
        return False
    if item.nodeid.startswith(ASKING_THE_CACHE) or item.get_closest_marker("django_db"):
        return True
    return bool(DATABASE & {*getattr(item, "fixturenames", ())})
