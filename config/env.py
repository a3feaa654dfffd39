"""Typed reading of the environment, and the few values that are derived from it once per installation."""

import os
import secrets
import stat
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

LOCAL_MODEL, LOCAL_DIMENSIONS = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", 384
POSTGRESQL = ("postgres", "postgresql", "psql", "pgsql")
OFF = ("off", "false", "no", "n", "0")
OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
BASE_DIR = Path(__file__).resolve().parent.parent


class _Environment(environ.Env):  # type: ignore[misc]
    """A number that is none is an error that names its setting."""

    def get_value(self, var: str, cast: Any = None, *args: Any, **options: Any) -> Any:
        try:
            return super().get_value(var, cast, *args, **options)
        except ValueError:
            if cast not in (int, float):
                raise
            said, kind = self.ENVIRON[var], "a whole number" if cast is int else "a number"
            raise ImproperlyConfigured(f"{var} is {said!r}: write {kind}.") from None


env = _Environment()
environ.Env.read_env(BASE_DIR / ".env", overwrite=False)


def switch(name: str, *, default: bool) -> bool:
    """A setting that is on or off. A misspelt word is an error: it would switch off what it was meant to switch on."""
    said = str(env.str(name, default="")).strip().lower()
    if said in ("", *env.BOOLEAN_TRUE_STRINGS):
        return bool(said) or default
    if said not in OFF:
        raise ImproperlyConfigured(f"{name} is {said!r}: write on or off.")
    return False


def one_of(name: str, choices: tuple[str, ...]) -> str:
    """A setting that is one of these words; the first where it is not set."""
    said = str(env.str(name, default="")).strip().lower() or choices[0]
    if said not in choices:
        raise ImproperlyConfigured(f"{name} is {said!r}: write {' or '.join(choices)}.")
    return said


def json_object(name: str) -> Any:
    """A setting in JSON; an empty object where it is not set."""
    try:
        return env.json(name, default={})
    except ValueError:
        raise ImproperlyConfigured(f"{name} is not JSON.") from None


def private_folder(path: Path) -> Path:
    """The folder, made if need be, for nobody but the user that runs this (mode 0700).

    One that exists with more is taken back to that if it is ours. Somebody else's is left as it is, as is one that is
    meant for everybody (/tmp); `check --deploy` tells of both.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.stat()
    if found.st_mode & OF_OTHERS and found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX:
        path.chmod(0o700)
    return path


DATA_DIR = private_folder(Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve())


def keep_files_private() -> None:
    """What this process and its children make is nobody else's to read, wherever they make it.

    For what runs on. Not for `collectstatic`: an image is made by one user and run by another.
    """
    os.umask(OF_OTHERS)


def secret_key() -> str:
    """SECRET_KEY from the environment; without one, a random key kept in DATA_DIR (mode 0600).

    The generated key lets the embedded default start with nothing configured and stay signed in after a
    restart. Several processes or machines need the setting: `check --deploy` asks for it.
    """
    if key := env.str("SECRET_KEY", default=""):
        return str(key)
    path = DATA_DIR / "secret_key"
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii")
    key = secrets.token_urlsafe(64)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key)
    return key


def database() -> dict[str, object]:
    """The `default` database: PostgreSQL from DATABASE_URL, otherwise SQLite under DATA_DIR.

    SQLite: WAL, immediate transactions and a busy timeout, because Django's defaults lose concurrent uploads
    ("database is locked", PERFORMANCE.md). PostgreSQL: a small psycopg pool per process, since an open stream
    must not pin a connection (RELIABILITY fact 3).
    """
    if env.str("DATABASE_URL", default=""):
        return postgresql(database_url("DATABASE_URL"))
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "acervo.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
                "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=134217728; PRAGMA secure_delete=ON;"
            ),
        },
    }


def database_owner() -> dict[str, Any]:
    """Who owns the tables and migrates them, from DATABASE_OWNER_URL; empty where the application's role does."""
    return database_url("DATABASE_OWNER_URL") if env.str("DATABASE_OWNER_URL", default="") else {}


def database_url(name: str) -> dict[str, Any]:
    """The settings that an address of PostgreSQL says. What is none is an error, which tells nothing of it: it may hold
    a password."""
    if env.str(name).partition("://")[0] not in POSTGRESQL:
        raise ImproperlyConfigured(
            f"{name} is no address of PostgreSQL: write postgres://USER:PASSWORD@HOST:5432/NAME."
        )
    return dict(env.db_url(name))


def postgresql(config: dict[str, Any]) -> dict[str, object]:
    """The URL's settings and options (`?sslmode=require`) with our pool, and each statement in somebody's name.

    A pool that finds the server down tries again at growing intervals, by default for five minutes: it would still
    be waiting when the server is long back. Here it gives up after 5 s, and the next request makes it try anew. Who
    wants a connection is told after 4 s, so that a database that says nothing is a 503 within five.
    """
    pool = {
        "min_size": 1,
        "max_size": env.int("DATABASE_POOL", default=8),
        "timeout": 4,
        "reconnect_timeout": 5,
    }
    return {
        **config,
        "ENGINE": "accounts.tenancy.postgresql",
        "CONN_HEALTH_CHECKS": True,
        # Compiling a query costs 250 ms; none of ours runs long enough to win that back.
        "OPTIONS": {"connect_timeout": 5, "options": "-c jit=off", **config.get("OPTIONS", {}), "pool": pool},
    }


def cache() -> dict[str, object]:
    """The `default` cache: Redis from CACHE_URL; it may fail without failing a request; else this process's memory."""
    config: dict[str, Any] = dict(env.cache_url("CACHE_URL", default="locmemcache://acervo"))
    if config["BACKEND"].endswith(".RedisCache"):
        config["BACKEND"] = "config.cache.FailSafeRedisCache"
        config["OPTIONS"] = {"socket_timeout": 1, "socket_connect_timeout": 1, **config.get("OPTIONS", {})}
    if config["BACKEND"].endswith(".LocMemCache"):  # Django's 300 entries would forget who has failed to sign in
        config["OPTIONS"] = {"MAX_ENTRIES": 100_000, **config.get("OPTIONS", {})}
    return config


def mail(*, printed: bool) -> dict[str, Any]:
    """The mail server of EMAIL_URL. Without one nothing is sent: a mail opens something, and a terminal is a log.

    `printed`: development, where the terminal is the developer's own.
    """
    config: dict[str, Any] = dict(env.email_url("EMAIL_URL", default="consolemail://"))
    if config["EMAIL_BACKEND"].endswith(".console.EmailBackend") and not printed:
        config["EMAIL_BACKEND"] = "accounts.identity.mail.UnsentMail"
    return config


def storages(static_backend: str) -> dict[str, dict[str, object]]:
    """Where originals are kept: a private S3 bucket when AWS_STORAGE_BUCKET_NAME is set, else DATA_DIR/files."""
    static: dict[str, object] = {"BACKEND": static_backend}
    if bucket := env.str("AWS_STORAGE_BUCKET_NAME", default=""):
        s3: dict[str, object] = {
            "bucket_name": bucket,
            "endpoint_url": env.str("AWS_S3_ENDPOINT_URL", default="") or None,
            "region_name": env.str("AWS_S3_REGION_NAME", default="") or None,
            "default_acl": None,
            "querystring_auth": True,
            "file_overwrite": False,
        }
        return {"default": {"BACKEND": "corpora.uploads.bucket.Bucket", "OPTIONS": s3}, "staticfiles": static}
    # Django makes files 0644, whatever the umask.
    modes = {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
    local: dict[str, object] = {"location": str(DATA_DIR / "files"), "base_url": None, **modes}
    return {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": local},
        "staticfiles": static,
    }
