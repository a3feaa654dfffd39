"""Real services for these tests: one set for each module, because its faults are felt by all that use it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.fixtures import ModelServer
from tests.services.installation import Background, Installation, Services, Web, real_parts
from tests.services.migrated import migrated_cluster
from tests.services.servers import ROOT, NotInstalled, program
from tests.services.stack import Stack

PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(ROOT / "requirements.txt"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.services)


@pytest.fixture(scope="session", autouse=True)
def wanted() -> None:
    """They need programs that `make test` does not ask for. Where they are wanted, a missing one fails."""
    if not os.environ.get("TEST_SERVICES"):
        pytest.skip("needs PostgreSQL and Redis: set TEST_SERVICES=1 (.ci/run does)")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Short, because of sockets, and open to PostgreSQL's own user."""
    made = Path(tempfile.mkdtemp(prefix="acervo-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def shipped_folder() -> Iterator[Path]:
    """For the one stack of what is shipped."""
    made = Path(tempfile.mkdtemp(prefix="acervo-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def shipped_python(wanted: None, shipped_folder: Path) -> str:
    """SHIPPED_PYTHON, or the interpreter of an environment made here, as the Dockerfile makes its own."""
    if given := os.environ.get("SHIPPED_PYTHON"):
        return given
    subprocess.run([sys.executable, "-m", "venv", shipped_folder / "venv"], check=True)
    python = str(shipped_folder / "venv" / "bin" / "python")
    subprocess.run([python, *PIP], check=True)
    return python


@pytest.fixture(scope="session")
def stack(
    wanted: None, shipped_folder: Path, shipped_python: str, model_server_process: ModelServer
) -> Iterator[Stack]:
    model_server_process.reset()
    try:
        made = Stack(shipped_folder, shipped_python, model_server_process)
    except NotInstalled as missing:
        pytest.skip(str(missing))
    if made.services.objects is None:
        sys.stderr.write("WITHOUT AN OBJECT STORE: versitygw is not installed, originals lie in a folder\n")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def objects_wanted() -> bool:
    """Overridden where a module wants an object store too."""
    return False


@pytest.fixture(scope="module")
def migrated(wanted: None) -> Path | None:
    """Overridden where a module wants PostgreSQL without any table of ours."""
    return migrated_cluster()


@pytest.fixture(scope="module")
def services(wanted: None, folder: Path, objects_wanted: bool, migrated: Path | None) -> Iterator[Services]:
    running = Services(folder, objects=objects_wanted, migrated=migrated)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def settings_wanted() -> dict[str, str]:
    """Overridden where a module wants other settings."""
    return {}


@pytest.fixture(scope="module")
def installation(
    services: Services, model_server_process: ModelServer, settings_wanted: dict[str, str]
) -> Iterator[Installation]:
    """Every part real, and no process of ours running yet."""
    model_server_process.reset()
    parts = real_parts(services, model_server_process).values()
    made = Installation(services, {name: value for part in parts for name, value in part.items()} | settings_wanted)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def web(installation: Installation) -> Web:
    return installation.web()


@pytest.fixture(scope="module")
def model(model_server_process: ModelServer) -> ModelServer:
    """Who answers and embeds. What a test scripts, it resets."""
    return model_server_process


@pytest.fixture(scope="module")
def worker(installation: Installation) -> Background:
    return installation.worker()


@pytest.fixture(scope="module")
def beat(installation: Installation) -> Background:
    return installation.beat()


def object_store_or_skip() -> None:
    """An object store is wanted where it can be had: VERSITYGW, or versitygw on the PATH."""
    if os.environ.get("VERSITYGW"):
        return
    try:
        program("versitygw", str(Path.home() / "go/bin"))
    except NotInstalled as missing:
        pytest.skip(f"no object store: {missing}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
    """What the processes said last, beside a test that failed."""
    report = yield
    installation = getattr(item, "funcargs", {}).get("installation")
    if report.failed and installation:
        for process in installation.processes:
            report.sections.append((f"log of {process.name}", process.tail()))
    return report
