"""A real browser on real installations: without a model, and with the scripted one. Nobody else's state."""

import os
import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.documents import WalkDocuments, walk_documents
from tests.e2e.screenshots import PICTURES
from tests.e2e.server import Installation, served
from tests.e2e.visits import PATIENCE, Visits
from tests.fakes.fixtures import ModelServer, running_model_server

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
COLOURS = 128  # of a screenshot: a third of the bytes, and nobody sees it
Screenshot = Callable[..., None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With `--dist loadgroup` one worker has them all, and starts the servers once."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Of this package: while it is open, the thread has a running event loop."""
    executable = shutil.which("chromium")
    if executable is None:
        if os.environ.get("CI") and os.environ.get("ACERVO_REQUIRE_BROWSER") == "1":
            pytest.fail("chromium is not installed, and ACERVO_REQUIRE_BROWSER asks for it")
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def model_server_process() -> Iterator[ModelServer]:
    """One that no unit test has scripted."""
    with running_model_server() as server:
        yield server


@pytest.fixture(scope="package")
def installation(browser: Browser, folder_in_memory: Path) -> Iterator[Installation]:
    """The embedded default: no key, no model."""
    with served(Path(mkdtemp(dir=folder_in_memory))) as running:
        yield running


@pytest.fixture(scope="package")
def visits(browser: Browser, installation: Installation) -> Visits:
    return Visits(browser, installation)


@pytest.fixture(scope="package")
def modelled_installation(
    browser: Browser, folder_in_memory: Path, model_server_process: ModelServer
) -> Iterator[Installation]:
    """The same with a language model behind OPENAI_BASE_URL: the scripted server."""
    # The scripted embeddings know no confidence, which decides what a model is sent.
    settings = {"OPENAI_BASE_URL": model_server_process.openai_url, "EMBEDDING_MODEL": "lexical"}
    with served(Path(mkdtemp(dir=folder_in_memory)), **settings) as running:
        yield running


@pytest.fixture(scope="package")
def modelled_visits(browser: Browser, modelled_installation: Installation) -> Visits:
    return Visits(browser, modelled_installation)


@pytest.fixture(scope="package")
def documents(tmp_path_factory: pytest.TempPathFactory) -> WalkDocuments:
    return walk_documents(tmp_path_factory.mktemp("documents"))


@pytest.fixture
def screenshot() -> Screenshot:
    """Takes docs/pages/NAME.png with SCREENSHOTS=1; else nothing. `full`: the whole page, not the window."""

    def take(page: Page, name: str, *, full: bool = False) -> None:
        if os.environ.get("SCREENSHOTS") == "1":
            PICTURES.mkdir(parents=True, exist_ok=True)
            taken = page.screenshot(animations="disabled", caret="hide", full_page=full)
            reduced = Image.open(BytesIO(taken)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            reduced.save(PICTURES / f"{name}.png", optimize=True)

    return take
