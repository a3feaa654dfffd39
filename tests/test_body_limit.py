"""What of a request's body is read, and of whom: real bytes, counted (RELIABILITY R0, R11, fact 4)."""

import asyncio

import pytest
from django.conf import settings

from accounts import keys
from accounts.models import Membership
from config.incoming.bodies import FORM_OVERHEAD, READ_ANYWAY
from tests import asgi
from tests.factories import MembershipFactory

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # Django leaves the file that it read half a body into to the garbage collector.
    pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"),
]

FORM = 1024 * 1024
FILE = 10 * 1024 * 1024 + FORM_OVERHEAD
BLOCK = b"x" * 65_536
PATH = "/api/corpora/00000000-0000-4000-8000-000000000000/documents/"
CHAT = "/api/agents/tutor/chat/"
MULTIPART = "multipart/form-data; boundary=x"
API = [PATH, CHAT, "/v1/chat/completions", "/api/agents/tutor/retrieve/", "/api/tools/retrieve/", "/api/projects/"]


@pytest.fixture
def key() -> str:
    membership: Membership = MembershipFactory()
    return f"Bearer {keys.issue_key(membership)[1]}"


def post(path: str, size: int, **headers: str) -> asgi.Answer:
    """A POST of `size` bytes in blocks, as `Transfer-Encoding: chunked` arrives."""
    whole, rest = divmod(size, len(BLOCK))
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return asyncio.run(asgi.request("POST", path, sent, [BLOCK] * whole + [BLOCK[:rest]]))


@pytest.mark.parametrize("path", API)
@pytest.mark.parametrize("secret", ["", "Bearer acv_wrong"])
def test_of_a_stranger_to_the_api_nothing_is_read(path: str, secret: str) -> None:
    for kind in ("application/json", MULTIPART):
        answer = post(path, FILE, Content_Type=kind, Authorization=secret)
        assert (answer.status, answer.json()["code"]) == (401, "not_authenticated")
        assert answer.read == 0


def test_a_strangers_file_is_not_read_by_a_page_either() -> None:
    answer = post("/accounts/login/", FILE, Content_Type=MULTIPART)
    assert (answer.status, answer.json()["code"]) == (413, "body_too_large")
    assert answer.read <= FORM + len(BLOCK)


@pytest.mark.parametrize("path", ["/nowhere/", "/accounts/login/", CHAT, "/v1/chat/completions", "/api/projects/"])
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "text/plain"])
def test_what_is_no_file_has_a_megabyte(path: str, kind: str, key: str) -> None:
    answer = post(path, 5 * FORM, Content_Type=kind, Authorization=key)
    assert (answer.status, answer.json()["code"]) == (413, "body_too_large")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.read <= FORM + len(BLOCK), "the rest was read too"


def test_a_file_has_ten(key: str) -> None:
    answer = post(PATH, 5 * FILE, Content_Type=MULTIPART, Authorization=key)
    assert (answer.status, answer.json()["code"]) == (413, "file_too_large")
    assert answer.read <= FILE + len(BLOCK)
    assert post(PATH, FILE, Content_Type=MULTIPART, Authorization=key).status == 404, "the corpus is looked for"


def test_a_declared_length_that_is_too_large_is_refused_unread(key: str) -> None:
    answer = post(PATH, 5 * FILE, Content_Type=MULTIPART, Content_Length=str(5 * FILE), Authorization=key)
    assert (answer.status, answer.read) == (413, 0)


@pytest.mark.parametrize("declared", ["10", "0", "-1", "many", "1e3", "9" * 30])
def test_a_declared_length_that_lies_is_not_believed(declared: str, key: str) -> None:
    assert post(CHAT, 2 * FORM, Content_Length=declared, Authorization=key).status == 413


def test_what_the_server_has_received_anyway_comes_through_to_the_view() -> None:
    answer = post(PATH, READ_ANYWAY, Content_Type=MULTIPART, Content_Length=str(READ_ANYWAY))
    assert (answer.status, answer.json()["code"]) == (401, "not_authenticated")


def test_django_has_the_same_limit_where_nothing_stands_in_front_of_it() -> None:
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == FORM
