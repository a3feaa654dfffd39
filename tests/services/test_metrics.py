"""What Prometheus is told by real processes after a real question and a real ingestion: all that rules and panels ask
for, nothing of anybody; and the same where processes share a folder and a worker has children."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.deployment.test_alerts import RULES
from tests.deployment.test_dashboard import OF_PROMETHEUS, metrics_in, queries
from tests.live import Caller
from tests.services.installation import (
    ADMIN,
    MEMBER,
    Background,
    Installation,
    Web,
    indexed,
    new_corpus,
    upload,
    uploaded,
)
from tests.services.servers import ROOT, Server, free_port, wait_until

BOLLARD = b"# El noray\n\nEl noray de popa del Santa Aldonza aguanta treinta y siete toneladas.\n"
ASKED = "¿Cuántas toneladas aguanta el noray de popa del Santa Aldonza?"
AGENT = "investigador-tecnico"
Samples = dict[str, list[tuple[dict[str, str], float]]]


def scraped(port: int) -> tuple[str, Samples]:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        said = answer.read().decode()
    samples: Samples = {}
    for family in text_string_to_metric_families(said):
        for one in family.samples:
            samples.setdefault(one.name, []).append((one.labels, one.value))
    return said, samples


def total(samples: Samples, name: str, **labels: str) -> float:
    return sum(value for found, value in samples.get(name, []) if labels.items() <= found.items())


def with_own_port(installation: Installation, start: Any) -> tuple[Any, int]:
    """A process and the port of its metrics."""
    installation.environment["METRICS_PORT"] = str(free_port())
    process = start()
    return process, int(installation.environment.pop("METRICS_PORT"))


@pytest.fixture(scope="module")
def ports(installation: Installation) -> Iterator[dict[str, int]]:
    """Two web processes, a worker and beat, after a question to each web process and a document."""
    started = {
        "web": with_own_port(installation, installation.web),
        "second": with_own_port(installation, lambda: installation.web("second")),
        "worker": with_own_port(installation, installation.worker),
    }
    beat = installation.beat()
    admin = installation.caller(started["web"][0])
    document = uploaded(admin, new_corpus(admin, AGENT), "noray-secreto.md", BOLLARD)
    indexed(admin, document, 120)
    upload(admin, new_corpus(admin), "noray.pdf", b"%PDF-1.4\nno")
    for name in ("web", "second"):
        events = installation.caller(started[name][0], MEMBER).answers(AGENT, ASKED)
        assert events[-1].name == "done"
    yield {name: port for name, (_process, port) in started.items()}
    for process in (beat, *(process for process, _port in started.values())):
        process.stop()


def test_every_process_tells_what_it_has_done(ports: dict[str, int]) -> None:
    (_, web), (_, second), (_, worker) = (scraped(ports[name]) for name in ("web", "second", "worker"))
    for one in (web, second):
        assert total(one, "answers_total") == 1
        assert total(one, "answers_ended_total", status="complete") == 1
        assert total(one, "retrieval_duration_seconds_count", stage="total") == 1
        assert total(one, "retrieval_context_tokens_count") == 1
        assert total(one, "retrieval_chunk_relevance_count") >= 1
        assert total(one, "answer_first_token_seconds_count") == 1
        assert total(one, "embedding_cache_lookups_total", purpose="question", result="miss") == 1
        assert total(one, "model_tokens_total", organization_class="2-10", direction="prompt") > 0
        assert total(one, "answer_streams") == 0
    assert total(worker, "ingestion_documents_total", outcome="indexed") >= 1
    for stage in ("wait", "read", "embed", "store", "index", "switch", "total"):
        assert total(worker, "ingestion_stage_seconds_count", stage=stage) >= 1, stage
    assert total(worker, "embedding_duration_seconds_count", purpose="documents") >= 1
    assert total(worker, "periodic_job_age_seconds", job="sweep") < 60
    assert {labels["lane"] for labels, _ in worker["work_backlog"]} == {"ingestion", "short", "upkeep"}


def test_rules_and_panels_ask_for_what_is_told(ports: dict[str, int], installation: Installation) -> None:
    installation.swept()
    wait_until(lambda: "periodic_job_age_seconds" in scraped(ports["worker"])[1], 30, "a scrape after the sweep")
    told = set().union(*(set(scraped(port)[1]) for port in ports.values()))
    # What appears with its first event, and whether it can is shown by what is declared (tests/deployment).
    rare = {"answer_failures_total", "quota_refused_total", "retention_rows_deleted_total", "ingestion_failures_total"}
    rare |= {"answer_retries_total", "answer_retry_decisions_total", "circuit_breaker_opened_total"}
    rare |= {"answer_evaluation_score_sum", "answer_evaluation_score_count", "foreign_requests_total"}
    asked = [*queries(), *((name, rule["expr"]) for name, rule in RULES.items())]
    missing = {title: metrics_in(said) - told - OF_PROMETHEUS - rare for title, said in asked}
    assert {title: names for title, names in missing.items() if names} == {}


def test_nothing_is_told_of_anybody(ports: dict[str, int], installation: Installation) -> None:
    said = "".join(scraped(port)[0] for port in ports.values()).lower()
    ids = [
        str(one)
        for row in installation.query("SELECT id FROM accounts_user UNION SELECT id FROM accounts_organization")
        for one in row
    ]
    names = [name for row in installation.query("SELECT name, slug FROM accounts_organization") for name in row]
    words = ["noray", "santa", "toneladas", AGENT, ADMIN, MEMBER, "aurora"]
    assert [one for one in (*ids, *names, *words) if str(one).lower() in said] == []


class Prometheus(Server):
    """The real one, which asks these ports each second."""

    def __init__(self, folder: Path, ports: list[int]) -> None:
        super().__init__(folder, "prometheus")
        jobs = [{"job_name": "acervo", "static_configs": [{"targets": [f"127.0.0.1:{port}" for port in ports]}]}]
        told = {
            "global": {"scrape_interval": "1s"},
            "rule_files": [str(ROOT / "deploy/alerts.yml")],
            "scrape_configs": jobs,
        }
        (self.folder / "prometheus.yml").write_text(yaml.safe_dump(told))

    def command(self) -> list[str]:
        options = [f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data"]
        return ["prometheus", *options, f"--web.listen-address=127.0.0.1:{self.port}"]

    def is_ready(self) -> bool:
        """It listens before it answers."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=5):
                return True
        except OSError:
            return False

    def asked(self, expression: str) -> list[Any]:
        with urlopen(f"http://127.0.0.1:{self.port}/api/v1/query?query={quote(expression)}", timeout=10) as answer:
            found: list[Any] = json.load(answer)["data"]["result"]
        return found


def test_a_real_prometheus_answers_every_panel(ports: dict[str, int], folder: Path, installation: Installation) -> None:
    if shutil.which("prometheus") is None:
        pytest.skip("prometheus is not installed")
    prometheus = Prometheus(folder, list(ports.values()))
    prometheus.start()
    try:
        asked_often = "count_over_time(up[1m]) > 2 and up == 1"  # a rate is of two samples at least
        wait_until(lambda: len(prometheus.asked(asked_often)) == len(ports), 60, "all ports are asked")
        seen = {title: 0 for title, _ in queries()}
        for title, said in queries():
            seen[title] += len(prometheus.asked(said))
    finally:
        prometheus.stop()
    assert seen["Processes that answer"] == seen["Streams open"] == 1
    assert seen["Waiting"] == 8
    assert seen["Retrieval latency"] == 3


@pytest.fixture
def sharing(installation: Installation, folder: Path) -> Iterator[tuple[Web, Background]]:
    """A web process and a worker with children, and one folder for what all of them count."""
    installation.environment["PROMETHEUS_MULTIPROC_DIR"] = str(folder / "metrics")
    started = installation.web("sharing"), installation.worker("children", pool="prefork", concurrency=2)
    del installation.environment["PROMETHEUS_MULTIPROC_DIR"]
    yield started
    for process in started:
        process.stop()


def test_what_a_workers_children_count_is_told_by_the_web_process(
    ports: dict[str, int], installation: Installation, sharing: tuple[Web, Background]
) -> None:
    web, _worker = sharing
    admin: Caller = installation.caller(web)
    before = [one for one in installation.processes if one.name == "worker"]
    for process in before:
        process.stop()  # the children do the work
    indexed(admin, uploaded(admin, new_corpus(admin, AGENT), "noray-2.md", BOLLARD + b"\nMas.\n"), 120)
    assert total(scraped(web.port)[1], "ingestion_documents_total", outcome="indexed") >= 1
    assert total(scraped(web.port)[1], "ingestion_documents_total", outcome="indexed") >= 1, "also the second time"
