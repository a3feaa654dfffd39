"""A pytest plugin (`-p tests.services.of_the_database`): of a run on PostgreSQL and Redis, what is theirs to show.

Whole rooms: where a database refuses, and SQLite does not or does so by other means. Walls between organizations,
constraints, triggers and statements written by hand, migrations, counts, locks and limits that many reach at once,
texts that PostgreSQL does not hold, and what is kept in Redis. Of the other rooms each test that commits, for it meets
other connections: the first of its cases; not of ELSEWHERE, which commit so that a server, a child or an index of the
test's own sees it. What is left asks the same rows by the same statements of Django's; `.ci/nightly` runs all of it.
"""

import pytest

ROOMS = (
    "accounts/tests/test_api_keys.py",
    "accounts/tests/test_idempotency.py",
    "accounts/tests/test_limits.py",
    "accounts/tests/test_oauth_races.py",
    "accounts/tests/test_organization_command.py",
    "accounts/tests/test_sessions.py",
    "chat/tests/test_migrations.py",
    "config/tests/test_cache.py",
    "config/tests/test_health.py",
    "config/tests/test_prepared.py",
    "corpora/tests/test_kept_counts.py",
    "corpora/tests/test_metadata.py",
    "corpora/tests/test_moving.py",
    "corpora/tests/test_moving_at_once.py",
    "corpora/tests/test_selection.py",
    "corpora/tests/test_trash.py",
    "corpora/tests/test_upload_idempotency.py",
    "evaluation/tests/test_migrations.py",
    "provisioning/tests/test_at_once.py",
    "provisioning/tests/test_attacks.py",
    "retrieval/tests/test_search.py",
    "retrieval/tests/test_statement_plans.py",
    "tests/attacks/test_foreign_ids.py",
    "tests/attacks/test_spending.py",
    "tests/canaries/",
    "tests/tenancy/",
    "tests/test_admin_isolation.py",
    "tests/test_emptying.py",
    "tests/test_guard_migrations.py",
    "tests/test_guard_models.py",
    "tests/test_guard_routes.py::test_each_caller_gets_the_answer_of_the_matrix",
    "tests/test_hostile_text.py::test_in_a_form_it_is_refused",
    "tests/test_hostile_text.py::test_in_a_json_body_it_is_refused",
    "tests/test_hostile_text.py::test_in_an_upload_it_is_refused_or_left_out",
    "tests/test_metadata_filter.py",
    "tests/test_two_tiers_stateful.py::test_every_user_finds_everything_allowed_and_nothing_else",
    "webhooks/tests/test_delivering.py",
    "workers/tests/test_clocks.py",
    "workers/tests/test_leases.py",
)
ELSEWHERE = (
    "chat/tests/test_calling.py",
    "chat/tests/test_crm_answers.py",
    "chat/tests/test_data_page.py",
    "chat/tests/test_foreign_tools.py",
    "chat/tests/test_mcp.py",
    "chat/tests/test_planted_calls.py",
    "foreign/",
    "provisioning/tests/test_conformance.py",
    "tests/attacks/test_traces.py",
    "tests/test_guard_straight.py",
    "tests/test_printed_pages.py",
    "tools/",
    "workers/tests/test_calibration.py",
    "workers/tests/test_index_command.py",
    "workers/tests/test_sample.py",
    "workers/tests/test_space_server.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    met: set[str] = set()
    chosen = [item.nodeid.startswith(ROOMS) or is_first_that_commits(item, met) for item in items]
    config.hook.pytest_deselected(items=[item for item, is_chosen in zip(items, chosen, strict=True) if not is_chosen])
    items[:] = [item for item, is_chosen in zip(items, chosen, strict=True) if is_chosen]


def is_first_that_commits(item: pytest.Item, met: set[str]) -> bool:
    """Whether no case of the same test was met before; `met` is added to."""
    name = item.nodeid.partition("[")[0]
    if name in met or item.nodeid.startswith(ELSEWHERE) or not commits(item):
        return False
    met.add(name)
    return True


def commits(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or "transactional_db" in getattr(item, "fixturenames", ())
