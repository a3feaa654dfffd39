"""What Prometheus asks: each process that serves or works, at its own address."""

import socket
from typing import Any
from urllib.request import urlopen

import pytest
import yaml
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured

from config.metrics.serving import serve_metrics
from tests.services.servers import ROOT, free_port
from workers.upkeep.backlog import KEY


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def test_a_port_of_metrics_that_is_taken_is_named(settings: Any) -> None:
    with socket.create_server(("0.0.0.0", 0)) as other:
        settings.METRICS_PORT = other.getsockname()[1]
        with pytest.raises(ImproperlyConfigured, match=f"^METRICS_PORT is {settings.METRICS_PORT}, .*in use: write"):
            serve_metrics()


def test_metrics_are_served_on_a_port_of_their_own_where_one_is_set(settings: Any) -> None:
    cache.set(KEY, {"waiting": [["short", "erase", 3, 12.5]], "begun": [["sweep", 4.0]]})  # by another process
    assert serve_metrics() is None
    settings.METRICS_PORT = free_port()
    server = serve_metrics()
    assert server is not None
    try:
        with urlopen(f"http://127.0.0.1:{settings.METRICS_PORT}/metrics", timeout=5) as answer:
            said = answer.read().decode()
        assert "isolation_violation_total" in said
        assert 'work_backlog{kind="erase",lane="short"} 3.0' in said
        assert 'work_backlog_age_seconds{kind="erase",lane="short"} 12.5' in said
        assert 'periodic_job_age_seconds{job="sweep"} 4.0' in said
    finally:
        server.shutdown()
        server.server_close()


def test_prometheus_finds_every_service_that_serves_or_works_by_its_address() -> None:
    compose, (job,) = read("compose.yml"), read("deploy/prometheus.yml")["scrape_configs"]
    (found,) = job["dns_sd_configs"]
    commands = {name: " ".join(service.get("command", [])) for name, service in compose["services"].items()}
    serving = {name for name, command in commands.items() if " serve" in command or " worker " in command}
    assert set(found["names"]) == serving
    assert str(found["port"]) == compose["x-app"]["environment"]["METRICS_PORT"]
