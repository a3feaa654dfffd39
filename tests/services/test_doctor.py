"""`manage.py doctor` on real services: nothing to say of what is right, and each fault by its name, with advice."""

import json
import subprocess
from typing import Any

import pytest

from tests.services.conftest import object_store_or_skip
from tests.services.installation import Background, Installation, Web, indexed, new_corpus, uploaded
from tests.services.servers import ROOT

AGENT = "investigador-tecnico"
OPINIONS = {"settings", "mail", "proxy", "disk"}  # of an installation without TLS, mail and proxy, on this machine


@pytest.fixture(scope="module")
def objects_wanted(wanted: None) -> bool:
    """Where it can be had; the rest is examined without."""
    try:
        object_store_or_skip()
    except pytest.skip.Exception:
        return False
    return True


@pytest.fixture(scope="module")
def lived_in(installation: Installation, web: Web, worker: Background, beat: Background) -> Installation:
    """Somebody has uploaded something, and it is indexed."""
    admin = installation.caller(web)
    indexed(admin, uploaded(admin, new_corpus(admin, AGENT), "faro.md", b"# Faro\n\nEl faro tiene nueve ventanas.\n"))
    installation.swept()
    return installation


def examined(installation: Installation, *arguments: str, **settings: str) -> dict[str, list[tuple[str, str, str]]]:
    """What it finds, by name: (result, said, advice); with these settings in place of the installation's."""
    done = subprocess.run(
        [installation.python, "manage.py", "doctor", "--json", *arguments],
        cwd=ROOT, env=installation.environment | settings, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    found: dict[str, list[tuple[str, str, str]]] = {}
    told: Any = json.loads(done.stdout)
    assert done.returncode == (told["result"] == "fail"), done.stderr
    for one in told["findings"]:
        found.setdefault(one["name"], []).append((one["result"], one["said"], one["advice"]))
        assert one["result"] == "ok" or one["advice"]
    secrets = [
        value for name, value in installation.environment.items() if name.endswith(("SECRET_KEY", "SECRET_ACCESS_KEY"))
    ]
    assert not [secret for secret in secrets if secret in done.stdout + done.stderr]
    return found


def worst(found: dict[str, list[tuple[str, str, str]]]) -> dict[str, str]:
    return {name: max((one[0] for one in said), key=["ok", "warn", "fail"].index) for name, said in found.items()}


def test_of_what_is_right_it_has_nothing_to_say(lived_in: Installation) -> None:
    found = examined(lived_in)
    assert {name: found[name] for name, result in worst(found).items() if result != "ok" and name not in OPINIONS} == {}
    assert len(found) == 21
    assert len(found["clocks"]) == (4 if lived_in.services.objects else 3)


def test_a_role_that_the_rules_do_not_bind(lived_in: Installation) -> None:
    postgres = lived_in.services.postgres
    as_superuser = f"postgres://postgres@127.0.0.1:{postgres.port}/acervo"
    found = examined(lived_in, "--only", "role", "row security", DATABASE_URL=as_superuser)
    assert worst(found) == {"role": "fail", "row security": "fail"}
    assert "superuser" in found["role"][0][1]
    assert "Two roles" in found["role"][0][2]


def test_rules_that_were_taken_away(lived_in: Installation) -> None:
    lived_in.query("ALTER TABLE corpora_chunk NO FORCE ROW LEVEL SECURITY")
    lived_in.query("REVOKE DELETE ON corpora_chunk FROM PUBLIC, acervo")
    lived_in.query("ALTER TABLE corpora_document DISABLE TRIGGER ALL")
    try:
        found = examined(lived_in, "--only", "role", "row security")
        assert worst(found) == {"role": "fail", "row security": "fail"}
        assert "corpora_chunk" in found["row security"][0][1]
        assert "corpora_chunk" in found["role"][0][1]
    finally:
        lived_in.query("ALTER TABLE corpora_document ENABLE TRIGGER ALL")
        lived_in.manage("migrate", "--verbosity", "0")
        lived_in.query("ALTER TABLE corpora_chunk FORCE ROW LEVEL SECURITY")
        lived_in.query("GRANT DELETE ON corpora_chunk TO acervo")
    assert worst(examined(lived_in, "--only", "role", "row security")) == {"role": "ok", "row security": "ok"}


def test_a_bucket_that_is_not_there_and_a_key_that_is_wrong(lived_in: Installation) -> None:
    object_store_or_skip()
    missing = examined(lived_in, "--only", "files", AWS_STORAGE_BUCKET_NAME="no-such-bucket")["files"][0]
    assert missing[0] == "fail"
    assert "no-such-bucket" in missing[1] + missing[2]
    assert examined(lived_in, "--only", "files", AWS_SECRET_ACCESS_KEY="wrong")["files"][0][0] == "fail"


def test_models_that_do_not_answer(lived_in: Installation) -> None:
    found = examined(lived_in, "--only", "models", OPENAI_BASE_URL="http://127.0.0.1:1/v1")["models"][0]
    assert found[0] == "fail"
    assert "model" in found[1]


def test_what_is_away_holds_up_nothing_else(lived_in: Installation) -> None:
    redis, qdrant = lived_in.services.redis, lived_in.services.index
    redis.stop()
    qdrant.stop()
    try:
        found = worst(examined(lived_in, "--seconds", "40"))
    finally:
        redis.start()
        qdrant.start()
    assert {found[name] for name in ("redis", "index", "workers")} == {"fail"}
    assert found["clocks"] == "warn"
    assert {found[name] for name in ("python", "database", "migrations", "role", "triggers", "files")} == {"ok"}


def test_a_lane_that_nobody_works_on(lived_in: Installation, worker: Background) -> None:
    worker.kill()
    try:
        assert worst(examined(lived_in, "--only", "workers"))["workers"] == "fail"
    finally:
        worker.start()
