"""Metrics on a port of their own, for processes that Prometheus finds by address: replicas of web, and workers."""

from wsgiref.simple_server import WSGIServer

from django.conf import settings
from prometheus_client import start_http_server


def serve_metrics() -> WSGIServer | None:
    """Serve them on METRICS_PORT, in a thread; None where it is not set. For a network that nobody else is in."""
    if not settings.METRICS_PORT:
        return None
    server, _thread = start_http_server(settings.METRICS_PORT)
    return server
