"""Heads that are costly to parse, or cannot be: nobody's request costs more than its bytes (RELIABILITY R0)."""

import asyncio
import time

import pytest

from config.incoming.heads import LONGEST_TYPE, is_plain
from tests import asgi
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
LONG = 31_000
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("path", ["/healthz", "/v1/models", "/accounts/login/"])
@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Cookie", 'a="' + "\\" * LONG + '"', None),
        ("Content-Type", 'a;"' + ";" * LONG, 415),
        ("Content-Type", "text/plain; charset*=bogus''x", 415),
        ("Content-Type", f"{FORM}; charset=punycode", 415),
        ("Content-Type", f'{FORM}; charset="utf_7"', 415),
    ],
    ids=["cookie of backslashes", "type of semicolons", "charset in pieces", "punycode", "utf-7"],
)
def test_a_head_costs_nobody_anything(path: str, name: str, value: str, status: int | None) -> None:
    asyncio.run(asgi.request("GET", path))  # whatever is loaded once
    began = time.process_time()
    answer = asyncio.run(asgi.request("GET", path, {name: value}))
    assert time.process_time() - began < 0.5, "the cookie took 2 s, the type 0.6"
    assert answer.status == (status or asyncio.run(asgi.request("GET", path)).status)
    if status:
        assert answer.json()["code"] == "unsupported_media_type"


def test_a_megabyte_in_an_odd_encoding_is_not_decoded() -> None:
    body = b"login=" + b"a" * 500_000
    answer = asyncio.run(
        asgi.request("POST", "/accounts/login/", {"Content-Type": f"{FORM}; charset=punycode"}, [body])
    )
    assert (answer.status, answer.read) == (415, 0)


def test_a_cookie_of_somebody_elses_changes_nothing(people: People) -> None:
    session = signed_in(people.alice).cookies["sessionid"].value
    cookies = f'theirs="{{\\"a\\": \\"\\\\073\\"}}"; sessionid={session}'
    assert asyncio.run(asgi.request("GET", "/api/corpora/", {"Cookie": cookies})).status == 200


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "application/json",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8" ;',
        "application/vnd.oai.openapi+json",
        "text/plain;charset=ISO-8859-1",
        "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
        'multipart/form-data; boundary="a\'()+_,-./:=? b"',
        "multipart/form-data; boundary==_'()+,-./:=?",
    ],
)
def test_what_browsers_and_programs_send_is_taken(kind: str) -> None:
    assert is_plain(kind.encode())


@pytest.mark.parametrize("kind", ["text/plain; charset=idna", "a" * (LONGEST_TYPE + 1), "a/b; c", "a/b; c=\\d", "a b"])
def test_what_is_no_content_type_is_not(kind: str) -> None:
    assert not is_plain(kind.encode())
