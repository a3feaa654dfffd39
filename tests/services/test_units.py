"""The units of deploy/systemd: each runs its own command on real services, doctor finds it, and it ends in time."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.live import Caller
from tests.services.installation import Background, Installation, Process, Web, indexed, new_corpus, uploaded
from tests.services.units import UNITS, said_in, unit_command


class Unit(Process):
    """What systemd would run: the command in its environment, ended by SIGTERM to it alone."""

    def __init__(self, installation: Installation, unit: Path) -> None:
        Process.__init__(self, installation, unit.stem)
        self.unit, self.sign, self._from = unit, "beat: Starting" if unit.stem.endswith("beat") else "ready.", 0

    def command(self) -> list[str]:
        runtime = self.folder / "run"
        for name in said_in(self.unit, "RuntimeDirectory"):
            (runtime / name).mkdir(parents=True, exist_ok=True)
        places = {"%t": str(runtime), "--port 8000": f"--port {self.port}"}
        return unit_command(self.unit, self.installation.python, places)

    def environment(self) -> dict[str, str]:
        counted = {"PROMETHEUS_MULTIPROC_DIR": str(self.folder.parent / "counted")} if "beat" not in self.name else {}
        return {**super().environment(), **counted, "LOG_LEVEL": "INFO"}


class UnitOfWeb(Unit, Web):
    pass


class UnitOfBackground(Unit, Background):
    pass


@pytest.fixture(scope="module")
def units(installation: Installation) -> Iterator[dict[str, Unit]]:
    made = [(UnitOfWeb if unit.stem.endswith("web") else UnitOfBackground)(installation, unit) for unit in UNITS]
    try:
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(lambda one: one.start(), made))
        yield {one.unit.stem: one for one in made}
    finally:
        for one in made:
            one.stop()


def test_together_they_take_in_a_document_and_doctor_finds_every_lane(
    units: dict[str, Unit], installation: Installation
) -> None:
    web = units["acervo-web"]
    caller = installation.caller(web)  # type: ignore[arg-type]  # a Web by its other parent
    document = uploaded(caller, new_corpus(caller), "nota.txt", b"El faro se enciende a las ocho.")
    assert indexed(caller, document)["chunk_count"] >= 1
    installation.swept()
    said = installation.manage("doctor", "--only", "workers", "beat")
    assert "3 workers answer, and every lane is served" in said
    metrics = Caller(web.port).call("GET", "/metrics")
    assert metrics.status == 200
    assert "ingestion_documents_total" in str(metrics.body)  # a worker's count, told by web


def test_each_ends_within_the_patience_of_its_unit(units: dict[str, Unit]) -> None:
    for one in units.values():
        assert one.process is not None
        began = time.monotonic()
        one.process.terminate()
        one.process.wait(int(said_in(one.unit, "TimeoutStopSec")[0]))
        assert one.process.returncode in (0, -15), f"{one.name}: {one.process.returncode}"
        assert time.monotonic() - began < int(said_in(one.unit, "TimeoutStopSec")[0])
