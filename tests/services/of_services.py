"""A pytest plugin (`-p tests.services.of_services`): of a run with servers, leaves out what asks neither of them.

pytest-django lets no other test reach the database; those were run on SQLite a moment ago and would only run again.
Whoever asks the cache does so in `accounts` and `config`. What is settled before any row is looked for, by hosts,
headers and the names of filters, is settled alike whatever holds the rows.
"""

import pytest

ASKING_THE_CACHE = ("accounts/", "config/")
BEFORE_ANY_ROW = ("tests/attacks/test_every_route.py", "tests/test_guard_lookups.py")
DATABASE = {"db", "transactional_db"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asking = [item for item in items if asks_a_server(item)]
    config.hook.pytest_deselected(items=[item for item in items if not asks_a_server(item)])
    items[:] = asking


def asks_a_server(item: pytest.Item) -> bool:
    if item.nodeid.startswith(BEFORE_ANY_ROW):
        return False
    if item.nodeid.startswith(ASKING_THE_CACHE) or item.get_closest_marker("django_db"):
        return True
    return bool(DATABASE & {*getattr(item, "fixturenames", ())})
