"""The attack on PostgreSQL and Redis by whoever reaches them (findings 5, 6): what they hold shows and runs nothing."""

import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis as redis_client

from tests.live import Caller
from tests.services.installation import MEMBER, Installation, Web, new_corpus
from tests.test_guard_models import TENANT_PATHS

AGENT = "investigador-tecnico"
TABLES = sorted(model._meta.db_table for model in TENANT_PATHS)


@pytest.fixture(scope="module")
def member(installation: Installation, web: Web) -> Caller:
    return installation.caller(web, MEMBER)


@pytest.fixture
def as_the_application(installation: Installation, web: Web) -> Iterator[psycopg.Connection[Any]]:
    """Somebody who has the web process's own credentials, and nothing else of it."""
    with psycopg.connect(installation.environment["DATABASE_URL"], autocommit=True) as link:
        yield link


def test_the_application_owns_no_table_and_is_above_no_wall(
    installation: Installation, as_the_application: psycopg.Connection[Any]
) -> None:
    """5."""
    (role,) = as_the_application.execute("SELECT current_user").fetchone() or ("",)
    assert installation.query("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = %s", role) == [
        (False, False)
    ]
    owners = "SELECT DISTINCT relowner FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    may_become = "SELECT count(*) FROM pg_roles WHERE oid IN (" + owners + ") AND pg_has_role(%s, oid, 'MEMBER')"
    assert installation.query(may_become, role) == [(0,)], "it owns tables, or may become their owner"


def test_every_tenants_table_has_forced_row_level_security(installation: Installation, web: Web) -> None:
    """5. On 0.1.0: 38 tables, none of them."""
    walls = {
        name: (enabled, forced)
        for name, enabled, forced in installation.query(
            "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class WHERE relkind = 'r'"
        )
    }
    assert {table: walls[table] for table in TABLES} == dict.fromkeys(TABLES, (True, True))
    policies = {name for (name,) in installation.query("SELECT DISTINCT tablename FROM pg_policies")}
    assert set(TABLES) <= policies


def test_without_a_session_every_tenants_table_is_empty(
    installation: Installation, as_the_application: psycopg.Connection[Any], member: Caller
) -> None:
    """5, R9. The rows are there, and nobody without a session sees one."""
    assert member.call("POST", "/api/corpora/", {"name": "Diario"}).status == 201
    full = {table for table in TABLES if installation.query(f'SELECT 1 FROM "{table}" LIMIT 1')}
    assert {"corpora_corpus", "corpora_document", "accounts_membership", "agents_agent"} <= full
    seen = {table: count(as_the_application, table) for table in full}
    assert {table: rows for table, rows in seen.items() if rows} == {}


def count(link: psycopg.Connection[Any], table: str) -> int:
    found = link.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    assert found is not None
    return int(found[0])


def test_the_application_changes_no_row_without_a_session(
    installation: Installation, as_the_application: psycopg.Connection[Any]
) -> None:
    for statement in (
        "UPDATE corpora_corpus SET name = 'taken over'",
        "DELETE FROM corpora_document",
        "UPDATE accounts_membership SET role = 'admin'",
    ):
        assert as_the_application.execute(statement).rowcount == 0, statement
    for statement in (
        "ALTER TABLE corpora_chunk DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE corpora_chunk NO FORCE ROW LEVEL SECURITY",
        "DROP TABLE corpora_chunk",
        "SET ROLE postgres",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            as_the_application.execute(statement)


class Planted:
    """What runs when it is unpickled: leaves a file."""

    def __init__(self, sign: Path) -> None:
        self.sign = sign

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.sign}",)


def test_what_is_written_to_redis_runs_nowhere(
    installation: Installation, member: Caller, web: Web, folder: Path
) -> None:
    """6. Every key of the cache becomes a pickle that runs a command; then everything that is cached is asked for."""
    sign = folder / "pwned"
    new_corpus(installation.caller(web), AGENT)
    store = redis_client.Redis.from_url(installation.environment["CACHE_URL"])
    for _ in range(3):
        ask_for_everything(member, web)
        keys = list(store.scan_iter("*"))
        for key in keys:
            store.set(key, pickle.dumps(Planted(sign)))
    assert keys, "nothing is cached: the test has poisoned nothing"
    ask_for_everything(member, web)
    assert not sign.exists()
    assert member.call("GET", "/api/corpora/").status == 200, "a poisoned cache locks nobody out"


def ask_for_everything(member: Caller, web: Web) -> None:
    for path in ("/api/corpora/", "/api/agents/", "/v1/models"):
        member.call("GET", path)
    member.answers(AGENT, "¿Cuánto dura un préstamo?")
    member.call("POST", f"/api/agents/{AGENT}/retrieve/", {"query": "préstamo"})
    form = b"login=nobody%40aurora.example&password=wrong"
    kind = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": "csrftoken=" + "a" * 32,
        "X-CSRFToken": "a" * 32,
    }
    Caller(web.port).call("POST", "/accounts/login/", form, **kind)


def test_redis_asks_for_a_password(installation: Installation, web: Web) -> None:
    """6. On 0.1.0 whoever reached its port wrote to it."""
    address = f"redis://127.0.0.1:{installation.services.redis.port}/1"
    with pytest.raises(redis_client.exceptions.AuthenticationError):
        redis_client.Redis.from_url(address).ping()
