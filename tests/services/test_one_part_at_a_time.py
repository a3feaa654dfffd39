"""Each setting moves one part of the embedded default to the real thing; nothing else changes (SPEC §6)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.fixtures import ModelServer
from tests.services.conftest import object_store_or_skip
from tests.services.installation import Installation, Services, indexed, new_corpus, real_parts, uploaded

AGENT = "investigador-tecnico"
TEXT = b"# El molino\n\nEl molino de la acequia muele desde 1788 con dos piedras francesas.\n"
QUESTION = "¿Desde cuándo muele el molino de la acequia?"
ONE_OF_THEM = (
    "database",
    "cache",
    "objects",
    "models",
    "index",
)


@pytest.fixture
def services(wanted: None, tmp_path: Path, folder: Path, request: pytest.FixtureRequest) -> Iterator[Services]:
    objects = request.node.callspec.params["part"] == "objects"
    if objects:
        object_store_or_skip()
    place = folder / request.node.callspec.params["part"]
    place.mkdir(mode=0o711)
    running = Services(place, objects=objects)
    yield running
    running.stop()


@pytest.mark.parametrize("part", ONE_OF_THEM)
def test_one_process_with_one_part_elsewhere_takes_in_and_answers(
    part: str, services: Services, model: ModelServer
) -> None:
    model.reset()
    installation = Installation(services, real_parts(services, model)[part])
    web = installation.web()
    try:
        caller = installation.caller(web)
        document = uploaded(caller, new_corpus(caller, AGENT), "molino.md", TEXT)
        indexed(caller, document, 20)
        events = caller.answers(AGENT, QUESTION)
        assert events[0].data["sources"][0]["document"] == document
        assert events[-1].data["status"] == "complete"
    finally:
        installation.stop()
