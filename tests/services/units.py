"""deploy/systemd as systemd reads it: what a unit says, and its command with folders of a test's own."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
PROGRAMS = "/srv/acervo/app/.venv/bin/"


def said_in(unit: Path, name: str) -> list[str]:
    """The values of a setting."""
    return re.findall(rf"^{name}=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)


def unit_command(unit: Path, python: str, places: Mapping[str, str]) -> list[str]:
    """ExecStart, by the programs beside `python`; `places`: what else stands somewhere else here. What a unit has no
    use for is left out; `%%` is a percent sign."""
    [command] = said_in(unit, "ExecStart")
    assert command.startswith(PROGRAMS)
    command = command.replace(PROGRAMS, f"{Path(python).parent}/")
    for there, here in places.items():
        command = command.replace(there, here)
    return shlex.split(command.replace("%%", "%"))
