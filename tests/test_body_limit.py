"""The limit on request bodies in front of Django: real bytes, before authentication (RELIABILITY R11, fact 4)."""

import asyncio

import pytest

from config.asgi import MULTIPART_OVERHEAD
from tests import asgi

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # Django leaves the file that it read half a body into to the garbage collector.
    pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"),
]

LIMIT = 10 * 1024 * 1024 + MULTIPART_OVERHEAD
BLOCK = b"x" * 65_536
PATH = "/api/corpora/00000000-0000-4000-8000-000000000000/documents/"


def post(path: str, size: int, **headers: str) -> asgi.Answer:
    """A POST of `size` bytes in blocks, as `Transfer-Encoding: chunked` arrives."""
    whole, rest = divmod(size, len(BLOCK))
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return asyncio.run(asgi.request("POST", path, sent, [BLOCK] * whole + [BLOCK[:rest]]))


@pytest.mark.parametrize("path", [PATH, "/api/agents/tutor/chat/", "/nowhere/", "/accounts/login/"])
def test_a_body_that_is_too_large_is_refused_wherever_it_goes(path: str) -> None:
    answer = post(path, 5 * LIMIT, Content_Type="application/octet-stream")
    assert (answer.status, answer.json()["code"]) == (413, "file_too_large")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.read <= LIMIT + len(BLOCK), "the rest was read too"


def test_a_declared_length_that_is_too_large_is_refused_unread() -> None:
    answer = post(PATH, 5 * LIMIT, Content_Length=str(5 * LIMIT))
    assert (answer.status, answer.read) == (413, 0)


@pytest.mark.parametrize("declared", ["10", "0", "-1", "many", "1e3"])
def test_a_declared_length_that_lies_is_not_believed(declared: str) -> None:
    assert post(PATH, 2 * LIMIT, Content_Length=declared).status == 413


def test_a_body_within_the_limit_comes_through_to_authentication() -> None:
    answer = post(PATH, LIMIT, Content_Type="multipart/form-data; boundary=x")
    assert (answer.status, answer.json()["code"]) == (401, "not_authenticated")
