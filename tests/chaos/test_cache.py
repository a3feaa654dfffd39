"""A Redis that is down, seen from outside: nobody is locked out, and who guesses passwords is still stopped."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Site
from tests.sign_in import sign_in

pytestmark = pytest.mark.slow
NOTHING_LISTENS = "redis://127.0.0.1:9/0"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="acervo-") as folder:
        made = Site(Path(folder), CACHE_URL=NOTHING_LISTENS)
        made.start()
        yield made
        made.kill()


def test_the_first_right_password_signs_in(site: Site) -> None:
    for person in site.told["users"]:
        status, signed_in = sign_in(f"http://127.0.0.1:{site.port}", person["email"], person["password"])
        assert (status, signed_in) == (200, True)


def test_who_guesses_is_stopped_all_the_same(site: Site) -> None:
    person, url = site.told["users"][0], f"http://127.0.0.1:{site.port}"
    guesses = [sign_in(url, person["email"], f"wrong password {n}") for n in range(6)]
    assert not any(signed_in for _status, signed_in in guesses)
    assert not sign_in(url, person["email"], person["password"])[1], "the limit does not count while Redis is away"
