"""deploy/systemd: what systemd itself says of the units, and that they hold what docs/deploy.md and compose.yml say."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.services.units import UNITS, said_in

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
NAMES = ["acervo-web", "acervo-worker-ingestion", "acervo-worker-short", "acervo-worker-upkeep", "acervo-beat"]
HARDENED = {
    "NoNewPrivileges": "true", "ProtectSystem": "strict", "PrivateTmp": "true", "User": "acervo", "Restart": "always",
    "KillMode": "mixed", "StateDirectory": "acervo", "StateDirectoryMode": "0700", "CapabilityBoundingSet": "",
    "EnvironmentFile": "/etc/acervo/acervo.env",
}  # fmt: skip


def test_there_is_a_unit_for_each_process_and_the_guide_names_them_all() -> None:
    assert sorted(path.stem for path in UNITS) == sorted(NAMES)
    for name in NAMES:
        assert name in GUIDE


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_a_unit_is_hardened_and_ends_its_children_itself(unit: Path) -> None:
    for name, value in HARDENED.items():
        assert said_in(unit, name) == [value], name
    assert int(said_in(unit, "TimeoutStopSec")[0]) >= 30


@pytest.mark.parametrize("lane", ["ingestion", "short", "upkeep"])
def test_a_lane_has_the_places_that_it_has_in_the_compose_stack(lane: str) -> None:
    services = yaml.safe_load((ROOT / "compose.yml").read_text(encoding="utf-8"))["services"]
    composed = services["worker" if lane == "ingestion" else f"worker-{lane}"]["command"]
    [unit] = [path for path in UNITS if path.stem == f"acervo-worker-{lane}"]
    program, *rest = shlex.split(said_in(unit, "ExecStart")[0])
    named = rest.index("--hostname")
    assert rest[named + 1] == f"{lane}@%%h"  # each worker of a machine has a name of its own
    assert [Path(program).name, *rest[:named], *rest[named + 2 :]] == composed


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """With programs and folders of this machine: what it verifies it also looks for."""
    written = []
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace("/srv/acervo/app/.venv/bin/", f"{Path(sys.executable).parent}/")
        text = text.replace("/srv/acervo/app", str(ROOT)).replace("User=acervo", "User=root")
        written.append(tmp_path / unit.name)
        written[-1].write_text(text.replace("Group=acervo", "Group=root"), encoding="utf-8")
    try:
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *written], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        sys.stderr.write("NOT VERIFIED: systemd-analyze is not installed\n")
        pytest.skip("systemd-analyze is not installed")
    ours = [line for line in done.stderr.splitlines() if re.search(r"acervo-|Unknown|Failed to parse", line)]
    assert (done.returncode, ours) == (0, [])
