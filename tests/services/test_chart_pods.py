"""Each container that deploy/chart renders runs, as its pod would run it, and its probes answer.

On the services of the compose stack, with nothing installed but requirements.txt. Kubernetes itself cannot be had here.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import Caller, patience
from tests.services.chart import CHART, PROBES, Container, helm, pods, rendered
from tests.services.installation import indexed, new_corpus, uploaded
from tests.services.servers import ROOT, NotInstalled
from tests.services.stack import DOMAIN, Stack

VALUES = CHART / "ci" / "keda-redis.yaml"


@pytest.fixture(scope="module")
def containers(stack: Stack) -> Iterator[dict[str, Container]]:
    try:
        helm("version")
    except NotInstalled as missing:
        pytest.skip(f"no Helm: {missing}")
    made = {name: Container(stack, name, pod) for name, pod in pods(rendered(VALUES)).items()}
    if not all(one.confined for one in made.values()):
        sys.stderr.write("NOT CONFINED: without root, unshare and setpriv pods run as whoever runs the tests\n")
    elif not all(one.user for one in made.values()):
        sys.stderr.write("AS ROOT WITHOUT CAPABILITIES: the pods' user cannot reach this interpreter\n")
    try:
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(lambda one: one.start(), (one for name, one in made.items() if name != "migrate")))
        yield made
    finally:
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(lambda one: one.stop(), made.values()))


@pytest.fixture(scope="module")
def admin(stack: Stack, containers: dict[str, Container]) -> Caller:
    said = stack.manage("organization", "Museo del Mar", "--admin", "mar@example.org", "--json")
    key = json.loads(said)["admin"]["api_key"]
    told = {"Host": DOMAIN, "X-Forwarded-Proto": "https", "Authorization": f"Bearer {key}"}
    return Caller(containers["web"].port, told)


def test_migrations_run_and_end(containers: dict[str, Container]) -> None:
    job = containers["migrate"]
    assert job.spec["command"] == ["python", "manage.py", "migrate", "--noinput"]
    assert job.ends([job.program(), *job.rest()]) == 0


@pytest.mark.parametrize("component", ["web", "worker-ingestion", "worker-short", "worker-upkeep", "beat"])
def test_the_probes_of_a_pod_are_answered(containers: dict[str, Container], component: str) -> None:
    pod = containers[component]
    asked = [pod.spec[name] for name in PROBES if name in pod.spec]
    assert asked, "nobody would notice"
    deadline = time.monotonic() + patience(20)
    while not all(pod.passes(one) for one in asked):
        assert time.monotonic() < deadline, pod.tail()


def test_a_confined_pod_reads_documents_and_answers_from_them(
    stack: Stack, admin: Caller, containers: dict[str, Container]
) -> None:
    """Without a capability, a file system to write to or a user of its own the extraction's walls still stand."""
    containers["web"].is_ready()
    stopped = [stack.replicas[name] for name in ("worker", "worker2", "worker-short")]
    with ThreadPoolExecutor() as at_once:
        list(at_once.map(lambda one: one.stop(), stopped))
    try:
        corpus = new_corpus(admin)
        for name in ("guia-del-prestamo.pdf", "manual-de-estilo.docx", "glossary.txt"):
            document = uploaded(admin, corpus, name, (ROOT / "samples" / name).read_bytes())
            assert indexed(admin, document)["chunk_count"] >= 1
    finally:
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(lambda one: one.start(), stopped))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file system read-only")
def test_the_walls_are_there(containers: dict[str, Container]) -> None:
    for pod in containers.values():
        assert pod.carries_out(["sh", "-c", f"test $(id -u) = {pod.user}"]) == 0
        assert pod.carries_out(["sh", "-c", "! touch written 2>/dev/null && touch /tmp/written"]) == 0
        assert pod.carries_out(["grep", "-q", "CapEff:.0000000000000000", "/proc/self/status"]) == 0


def test_an_answer_that_streams_ends_before_its_pod_does(
    admin: Caller, containers: dict[str, Container], model_server_process: ModelServer
) -> None:
    """As a pod ends: what preStop says, then SIGTERM, then at most the grace period."""
    web: Any = containers["web"]
    agent = admin.call("POST", "/api/agents/", {"name": "Marea", "system_prompt": "Responde.", "uses_rag": False})
    assert agent.status == 201, agent.body
    model_server_process.script(path="chat", text="palabra " * 40, pace=0.1)
    with admin.ask(agent.body["slug"], "¿Qué es la marea?") as stream:
        stream.until("token")
        assert web.carries_out([web.spec["lifecycle"]["preStop"]["exec"]["command"][0], "0.1"]) == 0
        began = time.monotonic()
        web.process.send_signal(signal.SIGTERM)
        ending = stream.until("done")
    assert ending.data["status"] == "complete"
    web.process.wait(web.grace)
    assert time.monotonic() - began < web.grace
    model_server_process.reset()
