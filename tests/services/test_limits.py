"""64 parallel requests at a limit of 5: exactly 5 pass, for each limit, on two web processes; also without Redis."""

from collections.abc import Sequence
from typing import Any

import pytest

from accounts.limits.declared import Per
from tests.at_once import ALLOWED, AT_ONCE, SETTINGS, WAYS, Way, browser, let_in, session_of
from tests.fakes.fixtures import ModelServer
from tests.live import Caller, eventually
from tests.services.installation import Installation, Web

QUESTIONS = next(way for way in WAYS if way.limit == "questions")


class Shared:
    """Two web processes on one database."""

    def __init__(self, installation: Installation, webs: Sequence[Web]) -> None:
        self.installation, self.webs = installation, webs
        self.sessions: dict[str, str] = {}

    def callers(self, email: str, *, by_session: bool = False) -> Sequence[Caller]:
        if not by_session:
            return [self.installation.caller(web, email) for web in self.webs]
        if email not in self.sessions:
            self.sessions[email] = session_of(self.installation.manage, email)
        return [browser(web.port, self.sessions[email]) for web in self.webs]

    def execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.installation.query(statement, *values)

    def kept(self, id: str) -> str:
        return id


@pytest.fixture(scope="module")
def settings_wanted() -> dict[str, str]:
    return {**SETTINGS, "EMBEDDING_MODEL": "lexical"}


@pytest.fixture(scope="module")
def house(installation: Installation, web: Web) -> Shared:
    """Its sample documents are indexed before anybody asks."""
    worker = installation.worker()
    eventually(lambda: not installation.query("SELECT 1 FROM corpora_document WHERE status <> 'indexed'"), 60)
    worker.stop()
    return Shared(installation, [web, installation.web("web2")])


def by_day_or_night() -> list[Any]:
    """By day each way once, of a member and of an organization in turn."""
    cases = []
    for n, way in enumerate(WAYS):
        for place, per in enumerate(Per):
            by_day = place == n % len(Per)
            cases.append(pytest.param(way, per, id=f"{way}-{per}", marks=() if by_day else pytest.mark.nightly))
    return cases


@pytest.mark.parametrize(("way", "per"), by_day_or_night())
def test_of_64_at_once_exactly_5_are_let_in(house: Shared, model: ModelServer, way: Way, per: Per) -> None:
    passed, refused, statuses = let_in(house, way, per, model)
    assert (passed, refused) == (ALLOWED, AT_ONCE - ALLOWED), statuses


def test_a_redis_that_is_down_lifts_no_limit_and_locks_nobody_out(
    house: Shared, installation: Installation, model: ModelServer
) -> None:
    installation.services.redis.stop()
    try:
        passed, refused, statuses = let_in(house, QUESTIONS, Per.USER, model)
    finally:
        installation.services.redis.start()
    assert (passed, refused) == (ALLOWED, AT_ONCE - ALLOWED), statuses
