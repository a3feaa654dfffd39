"""The first steps of docs/deploy.md on one node, by its own commands, and what it tells an operator of PostgreSQL."""

import json
import os
import re
import subprocess
from pathlib import Path
from urllib.request import urlopen
from uuid import uuid4

import pytest

from tests.services.documented import block_after, carried_out
from tests.services.servers import ROOT, Postgres, free_port, wait_until

PERSON = "mar@example.org"


def settings_of(folder: Path) -> dict[str, str]:
    """`.env` as the guide has it, for a folder of the test's own."""
    lines = block_after("In `.env`:").replace("/srv/acervo", str(folder)).splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    return {**settings, "SECRET_KEY": uuid4().hex * 2, "METRICS_TOKEN": "example"}


def test_one_node_is_set_up_served_and_left_by_the_commands_of_the_guide(folder: Path) -> None:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    person = {"DJANGO_SUPERUSER_EMAIL": "root@example.org", "DJANGO_SUPERUSER_PASSWORD": uuid4().hex}
    environment = inherited | settings_of(folder)
    python = {r"\.venv/bin/python": "python"}
    steps = {**python, "createsuperuser": "createsuperuser --noinput"}
    assert "no issues" in carried_out("Then, as that user:", steps, environment | person)
    names = {**python, r"ana@example\.org": f"{PERSON} --json"}
    assert json.loads(carried_out("### The first organization, and others", names, environment))["admin"]["api_key"]
    is_served(environment)
    (folder / "backup").mkdir()
    (folder / "data" / "files" / "receipts").mkdir(parents=True, exist_ok=True)
    (folder / "data" / "files" / "receipts" / "none.json").write_text("")
    here = {**python, "/backup/": f"{folder}/backup/", "/srv/acervo/data": f"{folder}/data"}
    carried_out("So before you overwrite anything:", here, environment)
    assert (folder / "backup" / "receipts.jsonl").exists()


def is_served(environment: dict[str, str]) -> None:
    """By the unit's own command, which ends within its own patience when systemd would have it end."""
    unit = block_after("And a unit, ")
    (command,) = re.findall(r"^ExecStart=\S+/python (.+)$", unit, re.MULTILINE)
    (patience,) = re.findall(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    port = free_port()
    arguments = command.replace("8000", str(port)).split()
    process = subprocess.Popen([ROOT / ".venv" / "bin" / "python", *arguments], cwd=ROOT, env=environment)
    try:

        def answers() -> bool:
            assert process.poll() is None
            try:
                with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
                    return bool(answer.status == 200)
            except OSError:
                return False

        wait_until(answers, 120, "the unit's process answers")
    finally:
        process.terminate()
        process.wait(int(patience))


@pytest.fixture
def postgres(folder: Path) -> Postgres:
    server = Postgres(folder)
    server.start()
    return server


def test_the_roles_that_the_guide_makes_are_bound_and_dump_only_what_they_say(postgres: Postgres) -> None:
    """CREATE ROLE … as it stands there, `migrate` with both, and the dump of somebody who is bound."""
    place = f"127.0.0.1:{postgres.port}/acervo"
    programs = f"{postgres.binaries}{os.pathsep}{os.environ['PATH']}"
    environment = {
        "PATH": programs,
        "DATA_DIR": str(postgres.folder.parent / "of-postgres"),
        "DATABASE_URL": f"postgres://acervo_app:first@{place}",
        "DATABASE_OWNER_URL": f"postgres://acervo_owner:second@{place}",
    }
    try:
        statements = block_after("On a server of your own, once, as a superuser:").replace("…", "first")
        psql = ["psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--host", "127.0.0.1", "--port", str(postgres.port)]
        subprocess.run(
            [*psql, "--username", "postgres", "postgres"], input=statements, text=True, check=True, env=environment
        )
        migrated = [str(ROOT / ".venv" / "bin" / "python"), "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrated, cwd=ROOT, env=environment, check=True)
        bound = f"--host 127.0.0.1 --port {postgres.port} --username acervo_app acervo"
        dumped = carried_out("`pg_dump` as a role that is bound", {"…": bound}, environment)
        assert "accounts_user" in dumped
        refused = subprocess.run(["pg_dump", *bound.split()], env=environment, capture_output=True, check=False)
        assert refused.returncode != 0
    finally:
        postgres.stop()
