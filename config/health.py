"""`/healthz`, `/readyz` and `/metrics` (API.md, "Operations")."""

import hmac
from collections.abc import Callable

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from accounts.http.principal import bearer_of


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Each dependency by name; 503 when one that is needed is down."""
    states = {name: check_dependency(check) for name, check in DEPENDENCIES.items()}
    down = [name for name in NEEDED if states[name] != "ok"]
    body = {"status": "unavailable" if down else "ok", "dependencies": states}
    return JsonResponse(body, status=503 if down else 200)


def check_dependency(check: Callable[[], bool]) -> str:
    """Never forwards an error's text: it may carry addresses or credentials (R26)."""
    try:
        return "ok" if check() else "down"
    except Exception:
        return "down"


def database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone())


def index_answers() -> bool:
    from retrieval.spaces.opened import current_index

    return current_index().healthy()


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
    default_storage.exists("readyz")
    return True


DEPENDENCIES = {
    "database": database_answers,
    "index": index_answers,
    "cache": cache_answers,
    "broker": broker_answers,
    "files": file_store_answers,
}
NEEDED = ("database",)  # without the others questions are still answered, if more poorly (SPEC §4, "Fail-safe")


def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus. With METRICS_TOKEN only for its bearer; without one only from this machine."""
    token, secret = settings.METRICS_TOKEN, bearer_of(request) or ""
    local = request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1") and "X-Forwarded-For" not in request.headers
    allowed = hmac.compare_digest(secret.encode(), token.encode()) if token else local
    if not allowed:
        return HttpResponse(status=404)
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
