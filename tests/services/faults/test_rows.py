"""Each fault of RELIABILITY's table once, behind a backlog of 200 documents, two at a time where both can be judged.

`make chaos` runs each twenty times: alone, with a backlog, and with another.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import patience
from tests.services.faults.ground import Ground
from tests.services.faults.rows import in_company, load
from tests.services.faults.trial import Fault, backlog, run

GROUPS = in_company(load().values())


@pytest.fixture(scope="module")
def ground(wanted: None, folder: Path, model_server_process: ModelServer) -> Iterator[Ground]:
    model_server_process.reset()
    with Ground(folder, model_server_process) as made:
        yield made


@pytest.fixture(scope="module")
def crowd(ground: Ground) -> Iterator[Callable[[], int]]:
    with backlog(ground, 200) as top_up:
        yield top_up


@pytest.mark.parametrize("faults", GROUPS, ids=lambda faults: " + ".join(one.name for one in faults))
def test_nothing_is_lost_doubled_or_stuck(faults: tuple[Fault, ...], ground: Ground, crowd: Callable[[], int]) -> None:
    shown = [one for one in faults if one.lacking not in ground.lacks]
    if not shown:
        pytest.skip(ground.lacks[faults[0].lacking])
    outcome = run(ground, *shown)
    sys.stdout.write(f"{' + '.join(one.name for one in shown)}: {outcome.recovered:.1f} s\n")
    assert not outcome.faults
    assert outcome.recovered < patience(max(one.within for one in shown))


def test_what_this_machine_cannot_show_is_said(ground: Ground) -> None:
    if ground.lacks:
        pytest.skip("; ".join(f"{what}: {reason}" for what, reason in ground.lacks.items()))
