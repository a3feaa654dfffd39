"""Typed reading of the environment, and the few values that are derived from it once per installation."""

import os
import secrets
import stat
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured

LOCAL_MODEL, LOCAL_DIMENSIONS = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", 384
MOST_PORT = 65_535
MOST_DIMENSIONS = 65_536  # of a vector that Qdrant takes
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
MAY_BE_NONE = ("NO_THINK_MODELS", "SIGN_ON_HOSTS", "WEBHOOK_HOSTS")  # an empty list of these is not their default
POSTGRESQL = ("postgres", "postgresql", "psql", "pgsql")
OFF = ("off", "false", "no", "n", "0")
ADDRESSING_STYLES = ("auto", "path", "virtual")  # of a bucket, as botocore knows them
NO_MAIL_SERVER = "EMAIL_URL is no address: write smtp+tls://USER:PASSWORD@HOST:587."
OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
BASE_DIR = Path(__file__).resolve().parent.parent


class _Environment(environ.Env):  # type: ignore[misc]
    """What is empty is unset, and a number that is none, or one out of its bounds, an error that names its setting."""

    def get_value(self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, **options: Any) -> Any:
        said = str(self.ENVIRON.get(var, ""))
        if not said.strip() and default is not self.NOTSET and not (var in MAY_BE_NONE and var in self.ENVIRON):
            return self.parse_value(default, cast) if options.get("parse_default") else default
        try:
            if cast is float and any(mark.isalpha() for mark in said):  # they would be passed over
                raise ValueError
            return super().get_value(var, cast, default, **options)
        except ValueError:
            if cast not in (int, float):
                raise
            kind = "a whole number" if cast is int else "a number"
            raise ImproperlyConfigured(f"{var} is {said!r}: write {kind}.") from None

    def int(self, var: str, default: Any, *, least: float | None = None, most: float | None = None) -> Any:
        return within_bounds(var, super().int(var, default), "a whole number", least, most)

    def float(self, var: str, default: Any, *, least: Any = None, most: Any = None) -> Any:
        return within_bounds(var, super().float(var, default), "a number", least, most)


def within_bounds(name: str, number: Any, kind: str, least: float | None, most: float | None) -> Any:
    if (least is None or number >= least) and (most is None or number <= most):
        return number
    bounds = f"from {least} to {most}" if most is not None else f"that is {least} or more"
    raise ImproperlyConfigured(f"{name} is {number}: write {kind} {bounds}.")


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


def address(name: str) -> str:
    """The address of a server by HTTP; empty where it is not set. What is none is not told: it may hold a password."""
    said = str(env.str(name, default="")).strip()
    if said and not is_http_address(said):
        raise ImproperlyConfigured(f"{name} is no address of a server: write http://HOST:PORT or https://HOST.")
    return said


def is_http_address(said: str) -> bool:
    try:
        split = urlsplit(said)
        return split.scheme in ("http", "https") and bool(split.hostname) and split.port != 0
    except ValueError:
        return False


def broker() -> str:
    """Where the workers' messages go, by a way that kombu knows."""
    said = str(env.str("CELERY_BROKER_URL", default="memory://localhost/"))
    scheme, mark, _ = said.partition("://")
    if mark and scheme not in ("memory", "redis", "rediss"):
        from kombu.transport import TRANSPORT_ALIASES  # 70 ms, for whoever needs another

        mark = mark if scheme.partition("+")[0] in TRANSPORT_ALIASES else ""
    if not mark:
        raise ImproperlyConfigured("CELERY_BROKER_URL is no address of a broker: write redis://:PASSWORD@HOST:6379/0.")
    return said


def log_level() -> str:
    said = str(env.str("LOG_LEVEL", default="INFO")).strip().upper()
    if said not in LEVELS:
        raise ImproperlyConfigured(f"LOG_LEVEL is {said!r}: write {' or '.join(LEVELS)}.")
    return said


def prices() -> Any:
    """US dollars for a million tokens by model: of the prompt and of the completion."""
    said = json_object("MODEL_PRICES")
    if isinstance(said, dict) and all(isinstance(each, list) and is_a_price(each) for each in said.values()):
        return said
    raise ImproperlyConfigured('MODEL_PRICES gives a model no prices: write {"openai:NAME": [0.15, 0.60]}.')


def is_a_price(said: list[Any]) -> bool:
    """Of the prompt and of the completion."""
    return len(said) == 2 and all(type(one) in (int, float) and one >= 0 for one in said)


def time_zone() -> str:
    said = str(env.str("TIME_ZONE", default="UTC")).strip()
    try:
        ZoneInfo(said)
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        raise ImproperlyConfigured(f"TIME_ZONE is {said!r}: write a zone, as Europe/Madrid or UTC.") from None
    return said


def language(known: dict[str, str]) -> str:
    """One that the pages have, or a variant of it."""
    said = str(env.str("LANGUAGE_CODE", default="es")).strip()
    if said.lower().partition("-")[0] not in known:
        raise ImproperlyConfigured(f"LANGUAGE_CODE is {said!r}: write {' or '.join(known)}.")
    return said


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


def data_folder() -> Path:
    path = Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
    try:
        return private_folder(path)
    except OSError as error:
        advice = "write a folder that whoever runs this may make and change"
        raise ImproperlyConfigured(f"DATA_DIR is {str(path)!r}, {error.strerror}: {advice}.") from None


DATA_DIR = data_folder()


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
    except OSError as error:
        raise no_key(path, error) from None
    key = secrets.token_urlsafe(64)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(key)
    except OSError as error:  # of a full disk: an empty key would be there at the next start
        path.unlink()
        raise no_key(path, error) from None
    return key


def no_key(path: Path, error: OSError) -> ImproperlyConfigured:
    advice = "set SECRET_KEY, or let DATA_DIR name a folder with room that whoever runs this may write to"
    return ImproperlyConfigured(f"No key could be kept in {str(path)!r}, {error.strerror}: {advice}.")


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
    try:
        config = dict(env.db_url(name)) if env.str(name).partition("://")[0] in POSTGRESQL else {}
        if config.get("NAME") or "service" in config.get("OPTIONS", {}):
            return config
    except ValueError:  # of its port
        pass
    raise ImproperlyConfigured(f"{name} is no address of PostgreSQL: write postgres://USER:PASSWORD@HOST:5432/NAME.")


def postgresql(config: dict[str, Any]) -> dict[str, object]:
    """The URL's settings and options (`?sslmode=require`) with our pool, and each statement in somebody's name.

    A pool that finds the server down tries again at growing intervals, by default for five minutes: it would still
    be waiting when the server is long back. Here it gives up after 5 s, and the next request makes it try anew. Who
    wants a connection is told after 4 s, so that a database that says nothing is a 503 within five.
    """
    pool = {
        "min_size": 1,
        "max_size": env.int("DATABASE_POOL", default=8, least=1),
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
    try:
        config: dict[str, Any] = dict(env.cache_url("CACHE_URL", default="locmemcache://acervo"))
    except (ValueError, ImproperlyConfigured):
        raise ImproperlyConfigured("CACHE_URL is no address: write redis://:PASSWORD@HOST:6379/1.") from None
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
    try:
        config: dict[str, Any] = dict(env.email_url("EMAIL_URL", default="consolemail://"))
    except (ValueError, ImproperlyConfigured):
        raise ImproperlyConfigured(NO_MAIL_SERVER) from None
    if config["EMAIL_BACKEND"].endswith(".smtp.EmailBackend") and not config["EMAIL_HOST"]:
        raise ImproperlyConfigured(NO_MAIL_SERVER)
    if config["EMAIL_BACKEND"].endswith(".console.EmailBackend") and not printed:
        config["EMAIL_BACKEND"] = "accounts.identity.mail.UnsentMail"
    return config


def addressing_style() -> str:
    return one_of("AWS_S3_ADDRESSING_STYLE", ADDRESSING_STYLES)


def storages(static_backend: str) -> dict[str, dict[str, object]]:
    """Where originals are kept: a private S3 bucket when AWS_STORAGE_BUCKET_NAME is set, else DATA_DIR/files."""
    static: dict[str, object] = {"BACKEND": static_backend}
    if bucket := env.str("AWS_STORAGE_BUCKET_NAME", default=""):
        addressing_style()  # asked for by `corpora.uploads.bucket`; here what is none is refused at the start
        s3: dict[str, object] = {
            "bucket_name": bucket,
            "endpoint_url": address("AWS_S3_ENDPOINT_URL") or None,
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
