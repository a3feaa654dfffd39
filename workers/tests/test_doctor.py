"""`manage.py doctor`: each examination by itself, at most so long, with advice, and nobody's secrets in it."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.utils import timezone
from psycopg.errors import DiskFull, InsufficientPrivilege

from accounts.checks import a_deployment_needs_mail
from corpora.models import Chunk
from corpora.rows.counting.triggers import install_triggers, remove_triggers
from retrieval.spaces.opened import current_index
from retrieval.spaces.registry import active_space
from retrieval.tests.shelf import shelve
from retrieval.tests.spaces import model, name_model
from tests import library as sample
from tests.factories import CorpusFactory, MembershipFactory
from tests.fakes.fixtures import ModelServer
from tests.small_disk import Mounting, fill_disk, read_only, small_disk
from workers.models import Claim
from workers.upkeep.doctor import background, clocks, database, index, others, proxy, stores, versions
from workers.upkeep.doctor.examinations import EXAMINATIONS
from workers.upkeep.doctor.findings import ON_DISKS, DoctorWishes, Found, Result, examine, fine, wrong
from workers.upkeep.doctor.reasons import service_fault

__all__ = ["model", "small_disk"]
NONE = DoctorWishes()


def outcome(found: Found | Any) -> list[Result]:
    return [one[0] for one in ([found] if isinstance(found, tuple) else found)]


def told(*only: str, **options: Any) -> dict[str, Any]:
    out = StringIO()
    with suppress(SystemExit):
        call_command("doctor", "--json", "--only", *only, stdout=out, **options)
    said: dict[str, Any] = json.loads(out.getvalue())
    return said


def test_one_that_is_silent_fails_and_keeps_nobody_waiting() -> None:
    never = threading.Event()

    def silent(_: DoctorWishes) -> Found:
        never.wait(20)
        return fine("late")

    started = time.monotonic()
    found = examine({"dead": silent, "alive": lambda _: fine("here")}, NONE, 0.3)
    assert time.monotonic() - started < 5
    never.set()
    assert [(one.name, one.result) for one in found] == [("dead", Result.FAIL), ("alive", Result.OK)]
    assert all(one.advice for one in found if one.result is not Result.OK)


@pytest.mark.parametrize("error", [ValueError("redis://:hunter2@host"), OSError("sk-hunter2")])
def test_one_that_breaks_is_told_by_type_and_place(error: Exception) -> None:
    def breaks(_: DoctorWishes) -> Found:
        raise error

    (found,) = examine({"broken": breaks}, NONE, 5.0)
    assert found.result is Result.FAIL
    assert type(error).__name__ in found.said
    assert "hunter2" not in found.said + found.advice


def test_what_postgresql_says_of_a_connection_is_shown() -> None:
    def breaks(_: DoctorWishes) -> Found:
        raise OperationalError('connection failed: FATAL:  role "x" does not exist\nmore')

    assert 'role "x"' in examine({"broken": breaks}, NONE, 5.0)[0].said


@pytest.mark.django_db
def test_it_says_what_to_do_and_ends_with_1_only_where_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    out = StringIO()
    call_command("doctor", "--only", "python", "disk", stdout=out)
    assert out.getvalue().startswith("ok    disk "), "first, whatever the others do to it"
    assert "ok    python        Python 3." in out.getvalue()
    monkeypatch.setitem(EXAMINATIONS, "python", lambda _: database.wrong("broken", "mend it"))
    with pytest.raises(CommandError):
        call_command("doctor", "--only", "python", stdout=out)
    assert "FAIL  python        broken" in out.getvalue()
    assert "→ mend it" in out.getvalue()
    assert told("python")["result"] == "fail"


def test_packages_are_compared_with_the_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(versions.examine_packages(NONE)) == [Result.OK]
    monkeypatch.setattr(versions, "pinned_lines", lambda: iter(["Django==1.0", "orjson>=3"]))
    result, said, _ = versions.examine_packages(NONE)
    assert (result, said.partition(" ")[0]) == (Result.WARN, "Django")
    monkeypatch.setattr(versions, "pinned_lines", lambda: iter(["no-such-package-of-ours==1"]))
    assert outcome(versions.examine_packages(NONE)) == [Result.FAIL]


@pytest.mark.django_db
def test_the_settings_own_checks_are_told_with_their_hints(settings: Any) -> None:
    settings.QUOTAS = False
    found = list(versions.examine_settings(NONE))
    assert any("acervo.W009" in said and "LIMITS" in advice for _, said, advice in found)


@pytest.mark.django_db(transaction=True)
def test_missing_triggers_and_migrations_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from accounts.tenancy.owner import as_owner

    assert outcome(database.examine_triggers(NONE)) == [Result.OK]
    with as_owner():
        remove_triggers(connection)
    try:
        assert outcome(database.examine_triggers(NONE)) == [Result.FAIL]
    finally:
        with as_owner():
            install_triggers(connection)
    assert outcome(database.examine_migrations(NONE)) == [Result.OK]
    monkeypatch.setattr(database.MigrationExecutor, "migration_plan", lambda *_: [(("chat", "9999"), False)])
    assert outcome(database.examine_migrations(NONE)) == [Result.FAIL]


@pytest.mark.django_db
def test_the_file_store_is_tried_and_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(default_storage.path("")).mkdir(mode=0o700, parents=True, exist_ok=True)
    assert outcome(stores.examine_files(NONE)) == [Result.OK]
    assert default_storage.listdir("doctor")[1] == []

    def full(*_: Any, **__: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(default_storage, "save", full)
    assert outcome(stores.examine_files(NONE)) == [Result.FAIL]


def test_a_disk_that_is_nearly_full_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type(stores.shutil.disk_usage("/"))
    for free, expected in ((10 * 2**20, Result.FAIL), (2**30, Result.WARN), (90 * 2**30, Result.OK)):
        monkeypatch.setattr(stores.shutil, "disk_usage", lambda _, free=free: usage(100 * 2**30, 2**30, free))
        assert set(outcome(stores.examine_disk(NONE))) == {expected}


@pytest.mark.django_db(transaction=True)
def test_the_index_is_compared_with_the_rows(worker: Callable[[], int]) -> None:
    assert outcome(index.examine_index(NONE)) == [Result.OK]
    library = sample.build(worker)
    assert outcome(index.examine_index(NONE)) == [Result.OK]
    gone = Chunk.objects.filter(document__corpus=library.notes).first()
    assert gone is not None
    current_index().delete_points([gone.pk])
    assert outcome(index.examine_index(NONE)) == [Result.WARN]
    current_index().set_metadata(gone.document_id, {})
    library.loans.documents.model.objects.filter(corpus=library.loans).update(corpus=library.notes)
    result, said, advice = index.examine_index(NONE)
    assert result is Result.FAIL
    assert "another owner" in said
    assert "reconcile" in advice


@pytest.mark.django_db
def test_beat_is_alive_while_the_sweeper_runs(settings: Any) -> None:
    settings.WORKERS_EMBEDDED = True
    assert outcome(background.examine_beat(NONE)) == [Result.WARN]
    Claim.objects.create(name="periodic:sweep", began_at=timezone.now())
    assert outcome(background.examine_beat(NONE)) == [Result.OK]
    Claim.objects.update(began_at=timezone.now() - timezone.timedelta(minutes=5))
    assert outcome(background.examine_beat(NONE)) == [Result.WARN]
    assert outcome(background.examine_workers(NONE)) == [Result.OK]
    settings.WORKERS_EMBEDDED = False
    assert outcome(background.examine_beat(NONE)) == [Result.FAIL]


def test_clocks_that_are_off_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now
    off = {"here": 0.0, "off": 5.0, "far": 3600.0}
    asked = {name: lambda by=by: now() - timezone.timedelta(seconds=by) for name, by in off.items()}
    monkeypatch.setattr(clocks, "clocks", lambda: asked)
    assert outcome(clocks.examine_clocks(NONE)) == [Result.OK, Result.WARN, Result.FAIL]


def test_mail_is_tried_without_sending(settings: Any, mailoutbox: list[Any]) -> None:
    assert outcome(others.examine_mail(NONE)) == [Result.OK]
    assert mailoutbox == []
    assert outcome(others.examine_mail(DoctorWishes(mail_to="ops@example.org"))) == [Result.OK]
    assert [mail.to for mail in mailoutbox] == [["ops@example.org"]]
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = SMTP, "127.0.0.1", 1
    assert outcome(others.examine_mail(NONE)) == [Result.FAIL]


@pytest.mark.django_db
@pytest.mark.parametrize(("cause", "is_full"), [(DiskFull, True), (InsufficientPrivilege, False)])
def test_a_database_server_without_room_is_found_out_by_a_table_that_is_gone_at_once(
    cause: type[Exception], is_full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise OperationalError("could not extend file") from cause()

    with monkeypatch.context() as patched:
        patched.setattr(database.connection, "cursor", refused)
        assert database.has_no_room() is is_full


@pytest.mark.django_db
def test_without_a_mail_server_the_doctor_and_the_check_say_the_same(settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.identity.mail.UnsentMail"
    [judged] = a_deployment_needs_mail(None)
    assert others.examine_mail(NONE) == wrong(judged.msg, str(judged.hint))
    assert (Result.FAIL, f"{judged.msg} (acervo.E004)", judged.hint) in list(versions.examine_settings(NONE))


@pytest.mark.django_db
def test_a_watched_folder_of_nobody_is_told_with_whom_there_is(tmp_path: Path, settings: Any) -> None:
    settings.INGEST_DIR = ""
    assert outcome(background.examine_watched_folder(NONE)) == [Result.OK]
    MembershipFactory(organization__slug="casa", role="admin")
    settings.INGEST_DIR, settings.INGEST_ORGANIZATION = str(tmp_path), "nope"
    empty, (result, said, advice) = background.examine_watched_folder(NONE)
    assert (empty[0], result) == (Result.WARN, Result.FAIL)
    assert "INGEST_ORGANIZATION is 'nope'" in said
    assert advice.endswith("There are: casa.")
    (tmp_path / "redes").mkdir()
    settings.INGEST_ORGANIZATION = "casa"
    assert outcome(background.examine_watched_folder(NONE)) == [Result.OK]


SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.mark.django_db(transaction=True)
def test_models_are_asked_one_tiny_question(chat_model: Any) -> None:
    assert outcome(others.examine_models(NONE)) == [Result.OK]
    assert chat_model.stats()["requests"] == 1
    chat_model.script(status=401)
    result, said, advice = next(iter(others.examine_models(NONE)))
    assert result is Result.FAIL
    assert "sk-test-key" not in said + advice
    assert outcome(others.examine_models(DoctorWishes(organization="no-such"))) == [Result.WARN]
    assert outcome(others.examine_embeddings(NONE)) == [Result.OK]
    assert outcome(others.examine_reranker(NONE)) == [Result.OK]


@pytest.mark.django_db(transaction=True)
def test_embeddings_are_asked_again_before_they_are_called_away(model: ModelServer, settings: Any) -> None:
    name_model(settings)
    model.script(status=503, times=4)  # two questions, each asked twice
    assert outcome(others.examine_embeddings(NONE)) == [Result.OK]
    model.script(status=503)
    assert outcome(others.examine_embeddings(NONE)) == [Result.FAIL]


@pytest.mark.django_db(transaction=True)
def test_embeddings_that_the_settings_name_are_asked_before_they_are_in_use(model: ModelServer, settings: Any) -> None:
    shelve(CorpusFactory(), "Something is kept in the space that is in use.")
    name_model(settings)
    assert outcome(others.examine_embeddings(NONE)) == [Result.OK, Result.WARN]
    model.script(status=503)
    (_, (result, said, advice)) = others.examine_embeddings(NONE)
    assert (result, "not in use yet" in said, "cannot be filled" in advice) == (Result.FAIL, True, True)


@pytest.fixture
def site(transactional_db: None) -> Iterator[str]:
    from tests.live import LiveServer

    with LiveServer() as running:
        yield f"http://localhost:{running.port}"


def test_the_way_in_is_looked_at_as_a_browser_goes_it(site: str) -> None:
    result, said, _ = next(iter(proxy.examine_proxy(DoctorWishes(url=site))))
    assert result is Result.FAIL  # no proxy: whoever is on this machine may read the metrics
    assert "/metrics" in said
    assert outcome(proxy.examine_proxy(DoctorWishes(url="http://127.0.0.1:1"))) == [Result.WARN]
    assert outcome(proxy.examine_proxy(NONE)) == [Result.OK]


def from_cause(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


class AuthenticationError(Exception):
    """As Redis's client names it."""


class ClientError(Exception):
    """As the object store's client has it."""

    def __init__(self, code: str) -> None:
        super().__init__("hunter2")
        self.response = {"Error": {"Code": code}}


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AuthenticationError("hunter2"), "refuses the password"),
        (from_cause(Exception("hunter2"), AuthenticationError()), "refuses the password"),
        (
            from_cause(Exception("hunter2"), ConnectionRefusedError(111, "Connection refused")),
            "cannot be reached: conn",
        ),
        (from_cause(Exception("hunter2"), socket.gaierror(-2, "Name or service not known")), "unknown host"),
        (from_cause(Exception("hunter2"), TimeoutError("timed out")), "no answer in time"),
        (ssl.SSLError(1, "hunter2"), "cannot be reached by TLS"),
        (ClientError("SignatureDoesNotMatch"), "refuses the secret of the key"),
        (ClientError("SlowDown"), "says SlowDown"),
    ],
)
def test_what_a_service_says_is_one_sentence_without_secrets_and_places_in_the_code(
    error: Exception, said: str
) -> None:
    told_of_it = service_fault(error, "redis://user:hunter2@store.example:6380/0")
    assert told_of_it.startswith("store.example:6380 ")
    assert said in told_of_it
    assert "hunter2" not in told_of_it
    assert ".py" not in told_of_it


def test_redis_and_a_broker_that_are_away_are_told_by_their_address(settings: Any) -> None:
    settings.CELERY_BROKER_URL = "redis://:hunter2@127.0.0.1:1/0"
    result, said, advice = next(iter(versions.examine_redis(NONE)))
    assert (result, said) == (Result.FAIL, "CELERY_BROKER_URL: 127.0.0.1:1 cannot be reached: connection refused")
    assert "CELERY_BROKER_URL" in advice


def test_what_was_found_before_an_examination_broke_is_told() -> None:
    def breaks(_: DoctorWishes) -> Iterator[Found]:
        yield wrong("first", "mend it")
        raise OSError(28, "No space left on device", "/somewhere/file")

    first, second = examine({"broken": breaks}, NONE, 5.0)
    assert (first.said, second.said) == ("first", "No space left on device: /somewhere/file")
    assert "DATA_DIR" in second.advice


@pytest.mark.django_db
def test_with_a_full_or_read_only_disk_it_says_so_of_the_disk_and_of_the_index(
    small_disk: Mounting, settings: Any
) -> None:
    from retrieval.spaces import opened

    opened.close()
    settings.DATA_DIR = disk = small_disk(8)
    (disk / "index" / active_space().collection).mkdir(parents=True)
    for befalls, state in ((fill_disk, "is full"), (read_only, "is read-only")):
        befalls(disk)
        assert next(iter(stores.examine_disk(NONE)))[0] is Result.FAIL
        result, said, advice = index.examine_index(NONE)
        assert (result, advice) == (Result.FAIL, ON_DISKS)
        assert f"the disk of {disk}" in said
        assert state in said
    _, said, advice = next(iter(stores.examine_disk(NONE)))
    assert (said, advice[:5]) == (f"the disk of {disk} is read-only", "Mount")
