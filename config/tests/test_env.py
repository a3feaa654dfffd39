"""What the environment's addresses and folders become: options that survive, patience that is short, mode 0700."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.utils.module_loading import import_string

from config import env
from config.observability import checks, named_places
from tests.small_disk import Mounting, fill_disk, read_only, small_disk

__all__ = ["small_disk"]
SETTINGS = env.BASE_DIR / "config" / "settings.py"


def test_the_options_of_the_database_address_are_kept_beside_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me:secret@db.example.org:5432/acervo?sslmode=require")
    monkeypatch.setenv("DATABASE_POOL", "3")
    database: dict[str, Any] = env.database()
    assert database["ENGINE"] == "accounts.tenancy.postgresql"
    assert database["OPTIONS"]["sslmode"] == "require"
    assert database["OPTIONS"]["pool"]["max_size"] == 3


@pytest.mark.parametrize(
    ("said", "is_on"),
    [("", True), ("on", True), ("TRUE", True), ("1", True), ("off", False), (" False ", False), ("0", False)],
)
def test_a_switch_is_on_or_off(said: str, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUOTAS", said)
    assert env.switch("QUOTAS", default=True) is is_on


@pytest.mark.parametrize("said", ["enabled", "offf", "ture"])
def test_a_misspelt_switch_switches_nothing_off(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUOTAS", said)
    with pytest.raises(ImproperlyConfigured, match="QUOTAS"):
        env.switch("QUOTAS", default=True)


@pytest.mark.parametrize("read", [env.env.int, env.env.float])
def test_what_is_no_number_is_named(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_DIMENSIONS", "many")
    with pytest.raises(ImproperlyConfigured, match="EMBEDDING_DIMENSIONS is 'many'"):
        read("EMBEDDING_DIMENSIONS", default=1536)


@pytest.mark.parametrize("name", ["EMBEDDING_DIMENSIONS", "QUOTAS"])
def test_a_setting_that_cannot_be_read_is_a_line_and_no_traceback(name: str, tmp_path: Path) -> None:
    known = {**os.environ, "DATA_DIR": str(tmp_path), name: "many"}
    command = [sys.executable, str(env.BASE_DIR / "manage.py"), "check"]
    done = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{name} is 'many': write ")
    assert len(done.stderr.splitlines()) == 1


def test_what_is_no_json_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMITS", "nonsense")
    with pytest.raises(ImproperlyConfigured, match="LIMITS is not JSON"):
        env.json_object("LIMITS")


def test_a_redis_cache_is_the_one_that_may_fail_and_waits_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHE_URL", "redis://127.0.0.1:6379/1?socket_timeout=3")
    found: dict[str, Any] = env.cache()
    assert found["BACKEND"] == "config.cache.FailSafeRedisCache"
    assert found["OPTIONS"] == {"socket_timeout": 3, "socket_connect_timeout": 1}


def test_without_an_address_the_cache_is_this_processs_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CACHE_URL", raising=False)
    found: dict[str, Any] = env.cache()
    assert found["BACKEND"].endswith("LocMemCache")
    assert found["OPTIONS"]["MAX_ENTRIES"] == 100_000  # a crowd at the sign-in page makes it forget nobody


def test_an_object_store_is_addressed_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_STORAGE_BUCKET_NAME", "acervo")
    monkeypatch.setenv("AWS_S3_ADDRESSING_STYLE", "path")
    store = env.storages("static")["default"]
    client = import_string(str(store["BACKEND"]))(**store["OPTIONS"]).client_config  # type: ignore[arg-type]
    assert (client.s3, client.connect_timeout) == ({"addressing_style": "path"}, 3)


@pytest.mark.parametrize("existing", [None, 0o755, 0o770, 0o700])
def test_the_folder_of_all_state_is_its_owners_alone(existing: int | None, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    if existing is not None:
        folder.mkdir()
        folder.chmod(existing)
    assert env.private_folder(folder) == folder
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_meant_for_everybody_is_left_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    env.private_folder(tmp_path)
    assert tmp_path.stat().st_mode & 0o7777 == 0o1777


def test_a_folder_of_somebody_else_is_left_and_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    settings.DATA_DIR = env.private_folder(tmp_path)
    assert [message.id for message in checks.state_is_private(None)] == ["acervo.W006"]
    tmp_path.chmod(0o700)
    assert checks.state_is_private(None) == []


def test_originals_are_their_owners_alone_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_STORAGE_BUCKET_NAME", raising=False)
    monkeypatch.setattr(env, "DATA_DIR", tmp_path)
    options: dict[str, Any] = env.storages("static")["default"]["OPTIONS"]  # type: ignore[assignment]
    kept = tmp_path / "files" / FileSystemStorage(**options).save("a/original.txt", ContentFile(b"text"))
    assert [path.stat().st_mode & 0o777 for path in (kept, kept.parent)] == [0o600, 0o700]


@pytest.mark.parametrize(
    ("broker", "cache", "told"),
    [
        ("memory://localhost/", "acervo", 0),
        ("redis://redis:6379/0", "redis://redis:6379/1", 2),
        ("redis://:secret@redis:6379/0", "rediss://:secret@redis:6379/1", 0),
        ("redis://:secret@redis:6379/0", ["redis://:secret@one/1", "redis://two/1"], 1),
    ],
)
def test_a_redis_without_a_password_is_told_of(broker: str, cache: Any, told: int, settings: Any) -> None:
    settings.CELERY_BROKER_URL, settings.CACHES = broker, {"default": {"LOCATION": cache}}
    assert [message.id for message in checks.redis_needs_a_password(None)] == ["acervo.W005"] * told


def test_what_a_serving_process_makes_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        env.keep_files_private()
        (tmp_path / "file").touch()
        (tmp_path / "folder").mkdir()
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("file", "folder")] == [0o600, 0o700]


@pytest.mark.parametrize("name", ["DATABASE_URL", "DATABASE_OWNER_URL"])
@pytest.mark.parametrize("said", ["foo", "mysql://root:secret@db/acervo", "acervo:secret@db/acervo", "://secret"])
def test_a_database_that_is_no_postgresql_is_an_error_that_tells_no_password(
    monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setenv(name, said)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is no address of PostgreSQL") as told:
        env.database() if name == "DATABASE_URL" else env.database_owner()
    assert "secret" not in str(told.value)
    monkeypatch.setenv(name, "postgresql://acervo:secret@db:5432/acervo")
    assert (env.database() if name == "DATABASE_URL" else env.database_owner())["HOST"] == "db"


REFUSED = [
    ("CACHE_URL", "foo", "redis://"),
    ("CACHE_URL", "secret://x", "redis://"),
    ("EMAIL_URL", "foo", r"smtp\+tls://"),
    ("EMAIL_URL", "smtp://me:secret@mail:99999", r"smtp\+tls://"),
    ("DATABASE_URL", "postgres://me:secret@db:99999/acervo", "postgres://"),
    ("CELERY_BROKER_URL", "foo", "redis://"),
    ("CELERY_BROKER_URL", "secret://x", "redis://"),
    ("QDRANT_URL", "nonsense", "http://"),
    ("QDRANT_URL", "secret:6333", "http://"),
    ("QDRANT_URL", "http://me:secret/x@index", "http://"),
    ("AWS_S3_ENDPOINT_URL", "minio:9000", "http://"),
    ("LOG_LEVEL", "TRACE", "DEBUG or INFO"),
    ("TIME_ZONE", "Mars", "Europe/Madrid"),
    ("TIME_ZONE", "../etc", "Europe/Madrid"),
    ("LANGUAGE_CODE", "xx", "es or en"),
    ("EMBEDDING_DIMENSIONS", "0", "from 1 to"),
    ("EMBEDDING_DIMENSIONS", "99999", "from 1 to"),
    ("DATABASE_PATIENCE", "2s", "a number"),
    ("MAX_UPLOAD_BYTES", "0", "1 or more"),
    ("TRASH_DAYS", "-1", "0 or more"),
    ("RAG_MIN_CONFIDENCE", "7", "from 0 to 1"),
    ("METRICS_PORT", "80000", "from 0 to 65535"),
    ("MODEL_PRICES", '{"a": 3}', "write {"),
    ("MODEL_PRICES", '{"a": [1, "2"]}', "write {"),
    ("MODEL_PRICES", "[]", "write {"),
]


@pytest.mark.parametrize(("name", "said", "expected"), REFUSED)
def test_what_is_no_value_is_refused_by_name_with_what_would_be_one(
    name: str, said: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_STORAGE_BUCKET_NAME", "files")
    monkeypatch.setenv(name, said)
    with pytest.raises(ImproperlyConfigured, match=rf"^{name} .*: write .*") as told:
        runpy.run_path(str(SETTINGS))
    assert re.search(expected, str(told.value))
    assert "secret" not in str(told.value)


def test_a_pool_of_no_connections_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_POOL", "0")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOL is 0: write a whole number that is 1 or more"):
        env.postgresql({})


def test_what_is_empty_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for lists whose line in docs/settings.md says that none are meant."""
    read = set(re.findall(r'(?:env\.\w+|switch|json_object|one_of|address)\("([A-Z0-9_]+)"', SETTINGS.read_text()))
    read |= set(re.findall(r'(?:env\.\w+|address)\(\s*"([A-Z0-9_]+)"', Path(env.__file__).read_text()))
    for name in read - {"DATA_DIR", "SECRET_KEY"}:
        monkeypatch.delenv(name, raising=False)
    unset = told_settings()
    for name in read - {"DATA_DIR", "SECRET_KEY"}:
        monkeypatch.setenv(name, "")
    empty = told_settings()
    assert {name for name in unset if unset[name] != empty[name]} == set(env.MAY_BE_NONE)
    assert [empty[name] for name in env.MAY_BE_NONE] == [[], [], []]


def told_settings() -> dict[str, Any]:
    told = runpy.run_path(str(SETTINGS))
    return {name: value for name, value in told.items() if name.isupper()}


def test_a_folder_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", "/proc/nope")
    with pytest.raises(ImproperlyConfigured, match=r"^DATA_DIR is '/proc/nope', .*: write a folder"):
        env.data_folder()


@pytest.mark.parametrize("said", ["amqp://me@rabbit//", "sentinel://one:26379;sentinel://two:26379", "memory://"])
def test_a_broker_of_another_kind_is_one(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", said)
    assert env.broker() == said


def test_a_key_that_cannot_be_kept_is_said_so_and_leaves_no_empty_one(
    small_disk: Mounting, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = small_disk(1)
    fill_disk(disk)
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setattr(env, "DATA_DIR", disk)
    for _start in range(2):
        with pytest.raises(ImproperlyConfigured, match=r"secret_key', No space left on device: set SECRET_KEY"):
            env.secret_key()
    read_only(disk)
    with pytest.raises(ImproperlyConfigured, match="Read-only file system"):
        env.secret_key()


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("acervo.example.org", True), (".example.org", True), ("*", True), ("[::1]", True), ("10.0.0.7", True),
        ("https://acervo.example.org", False), ("acervo.example.org:8000", False), ("acervo.example.org/", False),
    ],
)  # fmt: skip
def test_a_site_is_a_host(said: str, is_one: bool, settings: Any) -> None:
    settings.ALLOWED_HOSTS = [said]
    assert [one.id for one in named_places.sites_are_hosts(None)] == ([] if is_one else ["acervo.E021"])


@pytest.mark.parametrize(
    ("said", "faults"),
    [("", 0), ("*", 0), ("10.0.0.0/8, ::1", 0), ("proxy", 1), ("10.0.0.1/8,*", 2), ("10.0.0.300", 1)],
)
def test_a_proxy_is_an_address_or_a_network(said: str, faults: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", said)
    assert [one.id for one in named_places.proxies_are_addresses(None)] == ["acervo.E022"] * faults


def test_a_file_of_certificates_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert named_places.certificates_can_be_read(None) == []
    (tmp_path / "empty.pem").touch()
    for name, words in (("no.pem", "No such file"), ("empty.pem", "no certificates"), (".", "cannot be read")):
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / name))
        [error] = named_places.certificates_can_be_read(None)
        assert words in error.msg


def test_a_collector_without_an_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    monkeypatch.delenv("OTEL_TRACES_EXPORTER", raising=False)
    for said, faults in (("http://collector:4318", 0), ("collector:4318", 1), ("https://me:secret@:1", 1)):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", said)
        found = named_places.the_collector_has_an_address(None)
        assert len(found) == faults
        assert "secret" not in "".join(one.msg for one in found)


@pytest.mark.parametrize(
    ("name", "said", "also"),
    [
        ("DATABASE_URL", "postgres://me:secret@db.example.org", {}),
        ("EMAIL_URL", "smtp://", {}),
        ("AWS_S3_ADDRESSING_STYLE", "pth", {"AWS_STORAGE_BUCKET_NAME": "acervo"}),
        ("PROMETHEUS_MULTIPROC_DIR", "/dev/null", {}),
    ],
)
def test_what_would_fail_later_is_refused_at_the_start(
    name: str, said: str, also: dict[str, str], tmp_path: Path
) -> None:
    known = {**os.environ, "DATA_DIR": str(tmp_path), name: said, **also}
    command = [sys.executable, str(env.BASE_DIR / "manage.py"), "check"]
    done = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{name} is ")
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr


def test_a_worker_with_a_wrong_setting_ends_with_what_to_write() -> None:
    command = [sys.executable, "-m", "celery", "-A", "config", "worker"]
    ended = subprocess.run(
        command,
        env={**os.environ, "EMBEDDING_DIMENSIONS": "many"},
        cwd=env.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr.strip()) == (1, "EMBEDDING_DIMENSIONS is 'many': write a whole number.")
