"""OAuth for `/mcp` asked twice at once: what is good for one use is used once, and who is shut out stays out."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from accounts.identity.oauth.grants import end_all
from accounts.identity.oauth.rows import OAuthAccessToken, OAuthRefreshToken
from tests.people import People
from tests.programs import Program

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_has_registered_yet() -> None:
    cache.clear()


def at_once(*asked: Callable[[], Any]) -> list[Any]:
    gate = Barrier(len(asked))

    def ask(one: Callable[[], Any]) -> Any:
        try:
            gate.wait(30)
            return one()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(asked)) as pool:
        return list(pool.map(ask, asked))


def test_of_exchanges_of_a_code_one_succeeds(people: People) -> None:
    program = Program.registered()
    code = program.answered(people.alice)["code"]
    answers = at_once(*[lambda: program.exchanged(code).status_code] * 6)
    assert sorted(answers) == [200, *[400] * 5]
    assert OAuthAccessToken.objects.count() == 1


def test_of_exchanges_of_a_refresh_token_one_succeeds_and_none_goes_on(people: People) -> None:
    program = Program.registered()
    tokens = program.let_in(people.alice)
    answers = at_once(*[lambda: program.refreshed(tokens["refresh_token"]).status_code] * 6)
    assert sorted(answers) == [200, *[400] * 5]
    assert not OAuthAccessToken.objects.exists()
    assert not OAuthRefreshToken.objects.filter(revoked=None).exists()


@pytest.mark.parametrize("_time", range(5))
def test_who_is_shut_out_while_asking_stays_out(_time: int, people: People) -> None:
    member, program = people.alice, Program.registered()
    tokens, code = program.let_in(member), program.answered(member)["code"]
    answers = at_once(
        lambda: end_all(member.user),
        lambda: program.refreshed(tokens["refresh_token"]).status_code,
        lambda: program.exchanged(code).status_code,
    )
    assert {*answers} <= {None, 200, 400}
    assert not OAuthAccessToken.objects.exists()
    assert not OAuthRefreshToken.objects.exists()
