"""The shell example of the client: what is missing is said before anything is sent, and a refusal is shown."""

import os
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

SCRIPT = Path(settings.BASE_DIR) / "clients/python/examples/curl.sh"
GIVEN = {"ACERVO": "https://acervo.example.org", "KEY": "k", "CORPUS": "c", "AGENT": "tutor"}


@pytest.fixture
def curl(tmp_path: Path) -> Path:
    """One that notes what it is asked for."""
    (tmp_path / "curl").write_text('#!/bin/sh\necho "$@" >> "$NOTED"\n')
    (tmp_path / "curl").chmod(0o755)
    return tmp_path / "noted"


def run(curl: Path, given: dict[str, str], *arguments: str) -> int:
    environment = {"PATH": f"{curl.parent}:{os.environ['PATH']}", "NOTED": str(curl), **given}
    return subprocess.run(["sh", SCRIPT, *arguments], env=environment, capture_output=True, check=False).returncode


@pytest.mark.parametrize("missing", [*GIVEN, "file"])
def test_nothing_is_sent_while_something_is_missing(missing: str, curl: Path) -> None:
    given = {name: value for name, value in GIVEN.items() if name != missing}
    assert run(curl, given, *([] if missing == "file" else ["manual.pdf"])) != 0
    assert not curl.exists()


def test_it_makes_three_calls_that_show_a_refusal(curl: Path) -> None:
    assert run(curl, GIVEN, "manual.pdf") == 0
    calls = curl.read_text().splitlines()
    assert len(calls) == 3
    assert all("--fail-with-body" in one for one in calls)
