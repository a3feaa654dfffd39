"""`/healthz`, `/readyz` and `/metrics` (API.md, "Operations")."""

import hmac
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from accounts.http.principal import bearer_of
from config.concurrency.probing import Outage, Probes
from config.metrics.serving import exposed_metrics
from config.observability.disk import MEGABYTE, database_disk, disk_fault, room_at


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Each dependency by name; 503 when one that is needed is down, or one is of a version that must not be used."""
    questions = {name: partial(check_dependency, check) for name, check in DEPENDENCIES.items()}
    states = probes.ask(questions, ANSWERS_WITHIN, silent="down")
    needed = NEEDED + (("broker",) if is_broker_gone(states["broker"]) else ())
    down = [name for name, state in states.items() if state in REFUSED or (name in needed and state != "ok")]
    body = {"status": "unavailable" if down else "ok", "dependencies": states, "versions": versions(states)}
    return JsonResponse(body, status=503 if down else 200)


def is_broker_gone(state: str) -> bool:
    """A broker that is back soon holds nobody up: what is uploaded waits in its row. One that never is has an address
    or a password that is wrong, and nothing would ever be worked on."""
    return broker_outage.seconds(away=state != "ok") > BROKER_PATIENCE


def check_dependency(check: Callable[[], bool]) -> str:
    """Never forwards an error's text: it may carry addresses or credentials (R26)."""
    try:
        return "ok" if check() else "down"
    except Exception as error:
        code = getattr(error, "code", "")
        return code if code in REFUSED else "down"


def versions(states: dict[str, str]) -> dict[str, str]:
    """Of the servers that answer and tell theirs."""
    if states["index"] != "ok":
        return {}
    return {"index": index_version()}


class DiskFull(Exception):
    code = "storage_full"


def database_answers() -> bool:
    """And takes what is written, as far as the disk of a file tells: every question leaves a row."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            answers = bool(cursor.fetchone())
    except OperationalError as error:
        raise (DiskFull if database_disk(error.__cause__) == "full" else error) from error
    if connection.vendor != "sqlite":
        return answers
    if room_at(settings.DATA_DIR) < LEAST_ROOM:
        raise DiskFull
    return answers and not disk_fault(settings.DATA_DIR)


def index_answers() -> bool:
    from retrieval.spaces.opened import current_index

    index = current_index()
    index.version()  # one that is too old says so in its own way
    return index.healthy()


def index_version() -> str:
    from retrieval.index import IndexUnavailable
    from retrieval.spaces.opened import current_index

    try:
        return current_index().version()
    except IndexUnavailable:
        return "unknown"


def cache_answers() -> bool:
    """Redis itself: what stands in for it while it is away always answers."""
    ask = getattr(cache, "answers", None)
    return ask is None or bool(ask())


def broker_answers() -> bool:
    from config.celery import app

    with app.connection_for_write() as link:
        link.ensure_connection(max_retries=1, timeout=2)
    return True


def file_store_answers() -> bool:
    """The bucket itself: of a file that is not there a store says the same as of a bucket that is not."""
    ask = getattr(default_storage, "answers", None)
    if ask is None:
        default_storage.exists("readyz")
    return ask is None or bool(ask())


DEPENDENCIES = {
    "database": database_answers,
    "index": index_answers,
    "cache": cache_answers,
    "broker": broker_answers,
    "files": file_store_answers,
}
LEAST_ROOM = MEGABYTE
REFUSED = (
    "index_outdated",
    "storage_full",
)  # states in which a process has nothing right to say, so no proxy should send it any
ANSWERS_WITHIN = 1.5  # seconds; whoever probes gives up after 2 or 3
BROKER_PATIENCE = 120.0
probes, broker_outage = Probes(), Outage()
NEEDED = ("database",)  # without the others questions are still answered, if more poorly (SPEC §4, "Fail-safe")


def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus. With METRICS_TOKEN only for its bearer; without one only from this machine."""
    token, secret = settings.METRICS_TOKEN, bearer_of(request) or ""
    local = request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1") and "X-Forwarded-For" not in request.headers
    allowed = hmac.compare_digest(secret.encode(), token.encode()) if token else local
    if not allowed:
        return HttpResponse(status=404)
    return HttpResponse(generate_latest(exposed_metrics()), content_type=CONTENT_TYPE_LATEST)
