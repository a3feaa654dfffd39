"""What every test shares: state of its own under a temporary folder, no broker, quick passwords."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any
from unittest import mock

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.cache import cache
from django.db import connections
from django.test import TransactionTestCase
from django.utils import translation

from accounts.tenancy.owner import as_owner
from accounts.tenancy.scope import system_scope
from tests.analyzing import let_tests_analyze
from tests.emptying import empty_after
from tests.migrated import TEMPLATE, copy_migrated
from tests.people import People

ROOT = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("ACERVO_SHARED", ROOT.parent / "shared"))
if (SHARED / "tiktoken").is_dir():  # exact token counts without the network; without it they are estimates
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(SHARED / "tiktoken"))

pytest_plugins = ["tests.fakes.fixtures", "tests.hypothesis_profiles", "tests.in_turn", "tests.standing"]

Hints = list[str]
LONGEST_ID = 80
MEMORY = Path("/dev/shm")  # noqa: S108 - what is made there has a name of its own
ROOM_WANTED = 2**30  # bytes
ROUNDS = (10_000, 20, 50)  # of the garbage collector, as in a web process (config/asgi.py)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected is never garbage: no round over it, neither meanwhile nor, each time, later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*ROUNDS)
        gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Files and long texts are no names of tests; a file made by the minute would be another name to each worker."""
    unwieldy = isinstance(val, bytes) or (isinstance(val, str) and len(val) > LONGEST_ID)
    return argname if unwieldy else None


@pytest.fixture(scope="session")
def folder_in_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """For databases and indexes, which on a disk wait 50 ms a test for their writes; on a disk if there is no room."""
    has_room = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM_WANTED
    place = MEMORY if has_room else tmp_path_factory.getbasetemp()
    with TemporaryDirectory(prefix="acervo-tests-", dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session", autouse=True)
def eyes_of_the_tests() -> Iterator[None]:
    """A test and the pools of threads that it makes see every row; requests and other threads are under the rules (R9).

    The product's own pools run everything in a copy of its task's context, which is not touched by this.
    """
    submit = ThreadPoolExecutor.submit

    def submit_with_context(pool: Any, work: Any, /, *args: Any, **kwargs: Any) -> Any:
        return submit(pool, copy_context().run, work, *args, **kwargs)

    with system_scope(), mock.patch.object(ThreadPoolExecutor, "submit", submit_with_context):
        yield


@pytest.fixture(scope="session")
def owner_of_the_database() -> Iterator[ExitStack]:
    """While open, the connection is the owner's: who makes, migrates and removes the tests' database."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    folder_in_memory: Path, owner_of_the_database: ExitStack, request: pytest.FixtureRequest
) -> None:
    """SQLite in a file of this worker: in memory, threads would share a cache that knows no busy timeout. Migrated
    already, as is PostgreSQL's template."""
    if connections["default"].vendor == "sqlite":
        database = folder_in_memory / "acervo.sqlite3"
        copy_migrated(database)
        connections["default"].settings_dict["TEST"]["NAME"] = str(database)
    else:
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")
        owner_of_the_database.enter_context(as_owner())
        connections["default"].settings_dict["TEST"]["TEMPLATE"] = os.environ.get(TEMPLATE)


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """A copy is migrated on, not made anew; its folder goes at the end."""
    return django_db_keepdb or connections["default"].vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, owner_of_the_database: ExitStack, django_db_blocker: Any) -> Iterator[None]:
    """PostgreSQL drops no database that somebody is in: a thread whose test has ended may not be gone yet."""
    with django_db_blocker.unblock():
        let_tests_analyze()
        owner_of_the_database.close()
    yield
    with django_db_blocker.unblock():
        if connections["default"].vendor == "postgresql":
            with connections["default"].cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename = current_user"
                )
            owner_of_the_database.enter_context(as_owner())
        else:
            connections["default"].close()  # what is kept nobody else takes down


@pytest.fixture(scope="session", autouse=True)
def database_emptied_quickly() -> Iterator[None]:
    with mock.patch.object(TransactionTestCase, "_fixture_teardown", empty_after):
        yield


@pytest.fixture(autouse=True)
def own_state(folder_in_memory: Path, settings: Any) -> Iterator[None]:
    """Index and originals of this test alone. The index is made when it is first asked for."""
    from retrieval.spaces import opened

    folder = Path(mkdtemp(dir=folder_in_memory))
    settings.DATA_DIR = folder
    local = {"location": str(folder / "files"), "base_url": None}
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": local},
    }
    settings.QUOTAS = False  # tests are quicker than people; those of the limits switch them on (tests/limits.py)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Each test client makes its own middlewares: listing every static file took 85 % of a request's time.
    settings.SERVESTATIC_USE_FINDERS = settings.SERVESTATIC_USE_STATIC_ROOT = False
    cache.clear()
    yield
    opened.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def own_language() -> None:
    """The installation's, whichever a request of the test before was answered in: it stays with the thread."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def bare_index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedded index is opened without its indexes on payload, unless the test is marked `payload_indexes`.

    They cost 50 ms of processor time wherever a test has an index of its own, and find nothing else: the contract of
    `retrieval/tests/test_index_contract.py` holds engines with and without them to the same hits.
    """
    from retrieval.index import is_remote, make_index, open_index

    def open_bare(collection: str, dimensions: int) -> Any:
        if is_remote():
            return open_index(collection, dimensions)
        return make_index(collection, dimensions, url="", folder=Path(settings.DATA_DIR) / "index")

    if not request.node.get_closest_marker("payload_indexes"):
        monkeypatch.setattr("retrieval.spaces.opened.open_index", open_bare)


@pytest.fixture(autouse=True)
def hints(monkeypatch: pytest.MonkeyPatch) -> Hints:
    """The lanes that would have been told of work. Nothing reaches a broker."""
    from workers.queue import hints

    told: Hints = []
    monkeypatch.setattr(hints, "hint", lambda *lanes, **_options: told.extend(lanes))
    return told


@pytest.fixture
def worker() -> Callable[[], int]:
    """Calling it ingests every due document in this process, as a worker would; returns how many."""
    from workers.ingestion import pipeline
    from workers.queue import claims

    def work() -> int:
        waiting = list(claims.due_documents().values_list("pk", flat=True))
        return sum(pipeline.ingest_if_due(document_id) for document_id in waiting)

    return work


@pytest.fixture
def people(db: None) -> People:
    """Alice owns, Bob is in her team, Charlie is a stranger."""
    return People.assembled()


@pytest.fixture
def in_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asynchronous views do their database work on the test's own thread, inside the test's transaction."""

    async def on_the_main_thread(_executor: Executor, work: Callable[[], Any]) -> Any:
        return await sync_to_async(work, thread_sensitive=True)()

    monkeypatch.setattr("config.concurrency.threads.change_thread", on_the_main_thread)
    monkeypatch.setattr("config.concurrency.threads.close_old_connections", lambda: None)


@pytest.fixture(scope="session", autouse=True)
def no_extraction_outlives_the_tests() -> Iterator[None]:
    yield
    from workers.ingestion.sandbox.pool import close_sandbox

    close_sandbox()
