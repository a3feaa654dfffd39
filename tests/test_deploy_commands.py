"""Every command of docs/deploy.md is carried out by a test, or is named here with the reason why it cannot be."""

import re
from pathlib import Path

import pytest

from tests.services.documented import GUIDE, block_after

ROOT = Path(__file__).resolve().parent.parent
DOCKER = "Docker cannot be had where CI runs"
SERVICES = "tests/services/"

# What stands above a block of commands in the guide, and the test that carries the block out.
CARRIED_OUT = {
    "In `.env`:": SERVICES + "test_first_steps.py",
    "Then, as that user:": SERVICES + "test_first_steps.py",
    "And a unit, ": SERVICES + "test_first_steps.py",
    "### The first organization, and others": SERVICES + "test_shipped.py",
    "*The simple way*": SERVICES + "test_moves.py",
    "*Without a pause*": SERVICES + "test_moves.py",
    "Of the simple way:": SERVICES + "test_moves.py",
    "or of the one without a pause": SERVICES + "test_moves.py",
    "put it to work:": SERVICES + "test_moves.py",
    "So before you overwrite anything:": SERVICES + "test_first_steps.py",
    "Fill in `DOMAIN`": SERVICES + "test_shipped.py",
    "On a server of your own, once, as a superuser:": SERVICES + "test_first_steps.py",
    "`pg_dump` as a role that is bound": SERVICES + "test_first_steps.py",
    "### Backup and restore of the stack": SERVICES + "test_moves.py",
    "Restore into empty volumes": SERVICES + "test_moves.py",
    "**SQLite to PostgreSQL.**": SERVICES + "test_moves.py",
    "The least that `values.yaml` must say:": SERVICES + "test_chart.py",
    "Then, and for each upgrade again:": SERVICES + "test_chart.py",
}
# By their first line. What such a block does is done elsewhere by other means, where that is said.
NOT_CARRIED_OUT = {
    "sudo useradd": "makes a user of the machine; tests/services/test_shipped.py installs requirements.txt alone",
    "cp .env.example .env": "tests/services/stack.py fills .env.example in, line by line, and Docker Compose reads it",
    "docker compose up --detach postgres": f"{DOCKER}; tests/services/stack.py runs roles.sh twice on a database",
    ".venv/bin/python manage.py reset_second_factor": "accounts/tests/test_second_factor_reset.py calls it",
    "python manage.py index snapshot": "of a Qdrant server, which cannot be had; workers/tests/test_index_command.py",
    "python manage.py doctor": SERVICES + "test_doctor.py examines installations that are right and that are not",
    "CREATE ROLE acervo_index": SERVICES + "test_pgvector.py makes such a database, with a server of its own",
    "pg_dump --format custom --schema": SERVICES + "test_pgvector.py dumps and restores a collection's schema",
    "sudo install --directory": "makes folders of the machine; "
    + SERVICES
    + "test_units.py gives units their settings",
    "DATA_DIR=/var/lib/acervo": "tests/services/test_units.py runs the units with such settings",
    "sudo install --mode 0644": SERVICES + "test_units.py runs the units, tests/test_units.py verifies them",
    "kubectl create secret generic acervo": "Kubernetes cannot be had; test_chart_pods.py gives pods what is in them",
}


# Commands within sentences, by how they begin.
MENTIONED = {
    "systemctl ": "systemd does not run; test_first_steps.py and test_units.py run the units' own commands",
    "curl -s http://127.0.0.1:8000/healthz": "tests/services/test_first_steps.py asks it",
    "chown -R acervo:": "the user is the machine's own",
    "docker compose ": DOCKER,
    "manage.py changepassword": "Django's own",
    "manage.py index status": "workers/tests/test_index_command.py",
    "manage.py check": "tests/services/test_shipped.py, with --deploy",
    "python manage.py check": "tests/services/test_shipped.py",
    "python manage.py reindex": "workers/tests/test_commands.py",
    "aws s3 sync": "a client of others; tests/services/test_one_part_at_a_time.py moves each part",
    "celery --pool prefork": SERVICES + "test_metrics.py has such a worker",
    "celery -A config": "compose.yml's own commands, run by tests/services/test_shipped.py",
    "pip install -r requirements": "tests/services/test_shipped.py has nothing but requirements.txt",
    "make bench": "minutes long: tests/test_bench_answers.py and its like run its parts",
    "kubectl rollout": "Kubernetes cannot be had",
    "helm rollback": "Kubernetes cannot be had",
    "ssh -L": "to another machine",
    "sudo -u acervo": "the user is the machine's own",
}


def test_no_command_within_a_sentence_is_left_out() -> None:
    text = re.sub(r"(?m)^    .*$", "", GUIDE.read_text(encoding="utf-8"))
    known = r"(?:sudo|systemctl|curl|chown|docker|python|manage\.py|aws|celery|pip|make|kubectl|helm|ssh) [^`]+"
    said = re.findall(rf"`({known})`", text)
    assert said
    for one in said:
        assert any(one.startswith(beginning) for beginning in MENTIONED), one
    for beginning in MENTIONED:
        assert any(one.startswith(beginning) for one in said), f"{beginning} is not said any more"


def first_lines() -> list[str]:
    """Of every indented block of the guide."""
    seen, inside = [], False
    for line in GUIDE.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            if not inside:
                seen.append(line.strip())
            inside = True
        elif line:
            inside = False
    return seen


def test_no_block_of_commands_is_left_out() -> None:
    carried_out = {block_after(phrase).splitlines()[0].strip() for phrase in CARRIED_OUT}
    for line in first_lines():
        named = [one for one in NOT_CARRIED_OUT if line.startswith(one)]
        assert (line in carried_out) + len(named) == 1, f"docs/deploy.md: {line}"
    for one in NOT_CARRIED_OUT:
        assert any(line.startswith(one) for line in first_lines()), f"{one} is not in the guide any more"


@pytest.mark.parametrize(("phrase", "module"), CARRIED_OUT.items())
def test_the_test_that_is_named_does_carry_it_out(phrase: str, module: str) -> None:
    text = (ROOT / module).read_text(encoding="utf-8")
    assert re.search(rf'["\']{re.escape(phrase)}', text), f"{module} does not say {phrase!r}"
