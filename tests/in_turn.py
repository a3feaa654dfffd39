"""A pytest plugin: of what is long, a run with ACERVO_TURN=N shows a sixth, and with N + 1 the next one.

`.ci/run` counts commits by it: each shows all that is quick, six together all there is, and FEWER_TURNS of some rooms.
What is LONG takes turns on either database. Else the walls between organizations, and what more is PostgreSQL's to show
(`of_the_database.ROOMS`), are shown there by each commit, and in turn on SQLite; there in turn, what else commits.
Without ACERVO_TURN everything is shown: `make test`, `.ci/nightly`.
"""

import os

import pytest
from django.db import connection

from tests.services.of_the_database import ROOMS as OF_THE_DATABASE

TURN = "ACERVO_TURN"
TURNS = 6
FEWER_TURNS = {"tests/canaries/": 2, "tests/services/": 4}
LONG = (
    "accounts/tests/test_organization_command.py",
    "accounts/tests/test_two_factor_requirement.py",
    "agents/tests/test_mysql_source.py",
    "agents/tests/test_query.py",
    "agents/tests/test_query_analytics.py",
    "agents/tests/test_query_crm.py",
    "agents/tests/test_trends.py",
    "chat/tests/test_adaptive.py",
    "chat/tests/test_admission.py::test_an_error_at_any_",
    "chat/tests/test_calling.py",
    "chat/tests/test_degraded.py",
    "chat/tests/test_following.py",
    "chat/tests/test_mcp.py",
    "chat/tests/test_stop.py",
    "foreign/tests/test_attacked.py",
    "provisioning/tests/test_conformance.py",
    "retrieval/tests/test_index_edge.py",
    "retrieval/tests/test_index_proved.py",
    "retrieval/tests/test_index_server.py",
    "sign_on/tests/test_hostile_provider.py",
    "sign_on/tests/test_hostile_saml.py",
    "tests/attacks/test_admin_forms.py",
    "tests/attacks/test_every_route.py",
    "tests/attacks/test_frozen_process.py",
    "tests/attacks/test_hostile_requests.py",
    "tests/attacks/test_installation.py",
    "tests/attacks/test_traces.py",
    "tests/canaries/",
    "tests/chaos/",
    "tests/e2e/test_a",
    "tests/e2e/test_boxes.py",
    "tests/e2e/test_chat_page.py",
    "tests/e2e/test_course_walk.py",
    "tests/e2e/test_documents_walk.py",
    "tests/e2e/test_e",
    "tests/e2e/test_finding.py",
    "tests/e2e/test_first_and_last_things.py",
    "tests/e2e/test_metrics_walk.py",
    "tests/e2e/test_new_organization.py",
    "tests/e2e/test_oauth_walk.py",
    "tests/e2e/test_p",
    "tests/e2e/test_s",
    "tests/e2e/test_two_factor_walk.py",
    "tests/services/faults/test_rows.py::test_nothing_is_lost_doubled_or_stuck",
    "tests/services/test_doctor.py",
    "tests/services/test_first_steps.py",
    "tests/services/test_limits.py::test_of_64_at_once_exactly_5_are_let_in",
    "tests/services/test_metrics.py",
    "tests/services/test_moves.py",
    "tests/services/test_object_store.py",
    "tests/services/test_one_part_at_a_time.py",
    "tests/services/test_tracing.py",
    "tests/test_admin_isolation.py",
    "tests/test_guard_lookups.py",
    "tests/test_guard_routes.py::test_a_",
    "tests/test_guard_routes.py::test_each_caller_gets_the_answer_of_the_matrix",
    "tests/test_guard_routes.py::test_what_belongs_to_a_stranger_answers_like_what_never_was",
    "tests/test_guard_routes.py::test_with_the_csrf_token_the_same_request_is_answered",
    "tests/test_hostile_bodies.py",
    "tests/test_hostile_text.py",
    "tests/test_linear.py",
    "tests/test_stray_words.py",
    "tests/test_two_tiers_stateful.py",
    "tools/tests/test_buckets.py",
    "tools/tests/test_described.py",
    "tools/tests/test_engines.py",
    "tools/tests/test_hostile_statements.py",
    "tools/tests/test_measuring.py",
    "tools/tests/test_mysql.py",
    "tools/tests/test_mysql_harm.py",
    "tools/tests/test_postgresql.py",
    "tools/tests/test_service_engines.py",
    "tools/tests/test_services_attacked.py",
    "tools/tests/test_sources_api.py",
    "tools/tests/test_sql_gate.py",
    "tools/tests/test_statistics.py",
    "tools/tests/test_workbooks.py",
    "workers/tests/test_backlog.py",
    "workers/tests/test_calibration.py",
    "workers/tests/test_chunking.py",
    "workers/tests/test_commands.py::test_exit_codes",
    "workers/tests/test_erasure_walk.py",
    "workers/tests/test_index_command.py",
    "workers/tests/test_space_change.py",
    "workers/tests/test_space_filling.py",
    "workers/tests/test_space_server.py",
    "workers/tests/test_turns.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    turn = os.environ.get(TURN)
    if turn and not config.getoption("lf"):  # what failed is shown again, alone: it had its turn
        left = set(not_of(int(turn), [item.nodeid for item in items], connection.vendor))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
        items[:] = [item for item in items if item.nodeid not in left]


def not_of(turn: int, names: list[str], database: str) -> list[str]:
    """Of tests by their `names`, those that `turn` leaves to another. Cases of one test are taken one after another."""
    in_turn = [name for name in names if takes_turns(name, database)]
    left = list[str]()
    for room, turns in {**FEWER_TURNS, "": TURNS}.items():
        own = [name for name in in_turn if name.startswith(room)]
        in_turn = [name for name in in_turn if not name.startswith(room)]
        left += [name for n, name in enumerate(own) if n % turns != turn % turns]
    return left


def takes_turns(name: str, database: str) -> bool:
    return name.startswith(LONG) or name.startswith(OF_THE_DATABASE) != (database == "postgresql")
