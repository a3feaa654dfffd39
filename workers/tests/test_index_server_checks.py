"""A Qdrant server that is too old ranks by what neighbours wrote: it is refused, and all papers say which is not."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from retrieval.index import IndexOutdated
from retrieval.index.server.version import LOWEST, LOWEST_VERSION, require_version
from retrieval.tests.spaces import restart
from tests.fakes.index_process import index_server_process
from tests.live import eventually
from workers.checks import the_index_server_ranks_rightly, the_layout_of_the_index_is_known

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("version", ["1.19.0", "1.19.1", "v1.20.0", "1.21.0-dev", "2.0.0"])
def test_versions_that_rank_rightly_are_taken(version: str) -> None:
    require_version(version)


@pytest.mark.parametrize("version", ["1.18.3", "1.9.0", "0.11.4", "1.18.99-dev", "", "master", "19", "x1.19.0"])
def test_older_versions_and_what_is_no_version_are_refused_with_advice(version: str) -> None:
    with pytest.raises(IndexOutdated, match=f"{LOWEST} or newer.*docs/deploy.md"):
        require_version(version)


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path, settings: Any) -> Iterator[str]:
    with index_server_process(tmp_path, request.param) as url:
        settings.QDRANT_URL = url
        restart()
        yield url
        restart()


@pytest.mark.django_db(transaction=True)  # /readyz asks on threads of its own
@pytest.mark.parametrize("server", ["1.18.3"], indirect=True)
def test_a_process_on_an_older_server_is_not_ready_and_says_why(
    client: Client, server: str, caplog: pytest.LogCaptureFixture
) -> None:
    # A server that is slow to tell its version, as on a machine with much else to do, is not judged yet.
    eventually(lambda: client.get("/readyz").status_code == 503)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["dependencies"]["index"] == "index_outdated"
    assert client.get("/healthz").status_code == 200
    lines = [one.getMessage() for one in caplog.records if "index_outdated" in one.getMessage()]
    assert len(lines) == 1, "once a minute, not once a question"
    assert "1.18.3" in lines[0]
    (error,) = the_index_server_ranks_rightly(None)
    assert error.id == "acervo.E013"
    assert "1.18.3" in error.msg


@pytest.mark.django_db(transaction=True)  # /readyz asks on threads of its own
@pytest.mark.parametrize("server", ["1.19.1"], indirect=True)
def test_a_process_on_a_server_that_is_new_enough_is_ready_and_tells_its_version(client: Client, server: str) -> None:
    assert client.get("/readyz").status_code == 200
    # Of a server that is slow to answer, as on a machine with much else to do, nothing is told.
    eventually(lambda: client.get("/readyz").json()["versions"].get("index") == "Qdrant 1.19.1")
    assert the_index_server_ranks_rightly(None) == []


@pytest.mark.django_db
def test_a_server_that_does_not_answer_is_no_finding_of_the_check(settings: Any) -> None:
    settings.QDRANT_URL = "http://127.0.0.1:9"
    assert the_index_server_ranks_rightly(None) == []


@pytest.mark.parametrize(
    ("layout", "shards", "replicas", "copies", "is_known"),
    [
        ("tenants", 1, 1, 1, True),
        ("plain", 1, 1, 1, True),
        ("tenants", 6, 3, 2, True),
        ("tenant", 1, 1, 1, False),
        ("tenants", 0, 1, 1, False),
        ("tenants", 1, 0, 1, False),
        ("tenants", 1, 2, 3, False),
        ("tenants", 1, 2, 0, False),
    ],
)
def test_a_layout_that_cannot_be_made_is_a_finding(
    settings: Any, layout: str, shards: int, replicas: int, copies: int, is_known: bool
) -> None:
    settings.QDRANT_LAYOUT, settings.QDRANT_SHARDS = layout, shards
    settings.QDRANT_REPLICAS, settings.QDRANT_WRITE_CONSISTENCY = replicas, copies
    assert [one.id for one in the_layout_of_the_index_is_known(None)] == ([] if is_known else ["acervo.E012"])


# ── what is shipped and written down ────────────────────────────────────────────────────────────────────────────────


def numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def shipped() -> dict[str, list[str]]:
    """The versions of Qdrant's image by the file that names them: compose, and charts if there are any."""
    files = [ROOT / "compose.yml", *(ROOT / "deploy").rglob("*.y*ml")]
    found = {str(one.relative_to(ROOT)): re.findall(r"qdrant/qdrant:v([0-9.]+)", one.read_text()) for one in files}
    return {name: versions for name, versions in found.items() if versions}


def test_compose_charts_and_documents_name_one_version_and_it_is_taken() -> None:
    assert "compose.yml" in shipped()
    (version,) = {version for versions in shipped().values() for version in versions}
    require_version(version)
    deploy = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert f"| qdrant | v{version} " in deploy
    assert f"Qdrant {LOWEST} or newer" in deploy


def test_the_client_and_the_shipped_server_are_within_one_minor_version() -> None:
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    (client,) = re.findall(r"^qdrant-client==([0-9.]+)$", requirements, re.MULTILINE)
    (version,) = {version for versions in shipped().values() for version in versions}
    assert numbers(client)[0] == numbers(version)[0]
    assert abs(numbers(client)[1] - numbers(version)[1]) <= 1
    assert numbers(version) >= LOWEST_VERSION
