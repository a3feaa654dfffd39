"""Processes that share a folder of metrics: each tells of all, the dead are neither forgotten nor thought alive."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.servers import ROOT

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

COUNTING = """
import sys, time
from config.metrics.answering import FIRST_TOKEN, STREAMS
from config.metrics.limiting import REFUSED
REFUSED.labels("questions", "user").inc(2)
FIRST_TOKEN.observe(0.4)
STREAMS.inc()
print("counted", flush=True)
if "child" in sys.argv:
    import os
    if os.fork() == 0:
        REFUSED.labels("questions", "user").inc(5)
        print("child", flush=True)
        time.sleep(60)
time.sleep(60)
"""
TELLING = """
from prometheus_client import CollectorRegistry, generate_latest
from config.metrics import answering, limiting
from config.metrics.shared import SharedFiles, metrics_folder
told = CollectorRegistry()
told.register(SharedFiles(metrics_folder()))
for _ in range(2):
    last = generate_latest(told).decode()
print(last)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], VARIABLE: str(tmp_path / "metrics")}


@pytest.fixture
def counting(environment: dict[str, str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes that have counted, of which one has a child that has, too."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", COUNTING, *extra], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        for extra in ([], ["child"])
    ]  # fmt: skip
    for process, lines in zip(started, (1, 2), strict=True):
        assert process.stdout
        for _ in range(lines):
            process.stdout.readline()
    yield started
    for process in started:
        end(process)


def end(process: "subprocess.Popen[str]") -> None:
    """With its children, as hard as can be."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
    if process.stdout:
        process.stdout.close()


def told(environment: dict[str, str]) -> dict[str, float]:
    said = subprocess.run(
        [sys.executable, "-c", TELLING], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    samples = (line.rpartition(" ") for line in said.stdout.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


REFUSED = 'quota_refused_total{limit="questions",per="user"}'


def test_counts_of_living_and_dead_add_up_and_what_the_dead_were_busy_with_is_gone(
    environment: dict[str, str], counting: list["subprocess.Popen[str]"]
) -> None:
    before = told(environment)
    assert before[REFUSED] == 2 + 2 + 5
    assert before["answer_first_token_seconds_count"] == 2
    assert before["answer_streams"] == 2
    folder = Path(environment[VARIABLE])
    files = len(list(folder.glob("*.db")))
    end(counting[1])
    time.sleep(0.2)  # its child's lock is let go of by the kernel
    after = told(environment)
    assert after[REFUSED] == before[REFUSED]
    assert after["answer_first_token_seconds_count"] == 2
    assert after['answer_first_token_seconds_bucket{le="0.5"}'] == 2
    assert after['answer_first_token_seconds_bucket{le="0.3"}'] == 0
    assert after["answer_first_token_seconds_sum"] == pytest.approx(0.8)
    assert after["answer_streams"] == 1
    end(counting[0])
    last = told(environment)
    assert last[REFUSED] == before[REFUSED]
    assert last.get("answer_streams", 0) == 0
    assert len(list(folder.glob("*.db"))) < files, "the files of the dead are added up, not kept"
