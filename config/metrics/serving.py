"""Who tells what was counted: `/metrics`, and a port of its own for processes that Prometheus finds by address."""

from functools import cache
from wsgiref.simple_server import WSGIServer

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.registry import Collector

# Every process tells of everything, whatever it has counted of it.
from config.metrics import answering as answering
from config.metrics import background as background
from config.metrics import limiting as limiting
from config.metrics import searching as searching
from config.metrics.shared import SharedFiles, metrics_folder

_asked: dict[str, None] = {}


def ask_at_scrape(collector: str) -> None:
    """The dotted name of a Collector, of what nobody counts but the database knows; to be said when all starts."""
    _asked[collector] = None


@cache
def exposed_metrics() -> CollectorRegistry:
    """Of this process, or of all that share its folder."""
    exposed = CollectorRegistry()
    folder = metrics_folder()
    counted: Collector = SharedFiles(folder) if folder else REGISTRY
    for collector in (counted, *(import_string(name)() for name in _asked)):
        exposed.register(collector)
    return exposed


def serve_metrics() -> WSGIServer | None:
    """Serve them on METRICS_PORT, in a thread; None where it is not set. For a network that nobody else is in."""
    if not settings.METRICS_PORT:
        return None
    try:
        server, _thread = start_http_server(settings.METRICS_PORT, registry=exposed_metrics())
    except OSError as error:
        advice = "write another port, one for each process of this machine, or 0 for none"
        raise ImproperlyConfigured(f"METRICS_PORT is {settings.METRICS_PORT}, {error.strerror}: {advice}.") from error
    return server
