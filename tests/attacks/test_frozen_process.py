"""The attack on a process: one request that freezes it or fills its memory, heads without an end (1, 2, 9, 11).

A real `manage.py serve` on a real socket. The worst request of up to 11 MB may take a second of its processor and
50 MB, and nobody else waits longer than 100 ms meanwhile.
"""

import http.client
import json
import re
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

import httpx
import pytest

from tests.attacks.test_hostile_requests import HISTORIES
from tests.attacks.watching import Spent, watching
from tests.live import Caller, patience
from tests.processes import Site, site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads memory and time from /proc"),
]
CPU, MEMORY, STALL = 1.0, 50.0, 0.1  # seconds, MB, seconds
MB = 1024 * 1024
HEAD_SECONDS = 30.0
AGENT = "escritor-de-libros"
CHAT, COMPLETIONS, RETRIEVE = f"/api/agents/{AGENT}/chat/", "/v1/chat/completions", f"/api/agents/{AGENT}/retrieve/"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("attacked")) as made:
        made.start()
        for _ in range(3):  # what is loaded at a first request is nobody's attack
            made.caller().call("POST", CHAT, question("¿Cuántos días dura un préstamo?"))
            Caller(made.port).call("POST", CHAT, question("a"))
        yield made


def question(text: str, *before: str) -> dict[str, Any]:
    said = [{"role": role, "content": one} for role, one in zip(("user", "assistant") * 99, before, strict=False)]
    return {"model": AGENT, "messages": [*said, {"role": "user", "content": text}], "stream": False}


def repeated(piece: bytes, head: bytes, tail: bytes, size: int) -> bytes:
    count = (size - len(head) - len(tail)) // (len(piece) + 1)
    return head + b",".join([piece] * count) + tail


def messages(piece: bytes, size: int) -> bytes:
    return repeated(piece, b'{"model": "escritor-de-libros", "stream": false, "messages": [', b"]}", size)


def texts(size: int, each: int) -> bytes:
    """Messages as long as one may be, as many as there may be, of what expressions like least."""
    poison = "x" + "`" * (each // 2) + "a" * (each // 2 - 1)
    count = min(199, size // (each + 60))
    said = [{"role": ("user", "assistant")[n % 2], "content": poison} for n in range(count - count % 2)]
    return json.dumps({**question("hola"), "messages": [*said, {"role": "user", "content": "hola"}]}).encode()


BODIES = {
    "1.2 MB of empty messages": messages(b"{}", 1_200_000),
    "11 MB of empty messages": messages(b"{}", 11 * MB - 1),
    "11 MB of numbers": messages(b"1", 11 * MB - 1),
    "1 MB of empty messages": messages(b"{}", MB - 1),
    "1 MB of lists": messages(b"[[[]]]", MB - 1),
    "1 MB of long texts": texts(MB - 1, 99_000),
    "1 MB of texts": texts(MB - 1, 5_000),
    "11 MB of long texts": texts(11 * MB - 1, 99_000),
    "11 MB of brackets": b"[" * (11 * MB - 1),
    "1 MB of names": repeated(b'"k":{}', b"{", b"}", MB - 1),
    "11 MB of no JSON": b"\xff" * (11 * MB - 1),
}
ROUTES = (CHAT, COMPLETIONS, RETRIEVE, "/api/tools/retrieve/", "/api/projects/", "/api/agents/nope/chat/")
PAGES = ("/accounts/login/", "/accounts/password/reset/", "/i18n/setlang/", "/nowhere/", "/admin/login/")


def check(spent: Spent, what: str) -> None:
    assert spent.cpu <= CPU, f"{what}: {spent.cpu:.2f} s of processor"
    assert spent.memory <= MEMORY, f"{what}: {spent.memory:.0f} MB"
    assert spent.stall <= patience(STALL), f"{what}: others waited {spent.stall:.2f} s"


def attempt(served: Site, method: str, path: str, body: bytes, **headers: str) -> int:
    """The status; 0 where the server hung up while it was being told."""
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)) as connection:
        try:
            connection.request(method, path, body, headers)
        except (BrokenPipeError, ConnectionResetError):
            with suppress(Exception):
                return connection.getresponse().status
            return 0
        try:
            answer = connection.getresponse()
            answer.read()
        except (ConnectionError, http.client.HTTPException):
            return 0
        return answer.status


def check_attempts(served: Site, what: str, paths: tuple[str, ...], kind: str, **headers: str) -> None:
    for path in paths:
        with watching(served.pid, served.port) as spent:
            status = attempt(served, "POST", path, BODIES[what], **{"Content-Type": kind, **headers})
        assert status < 500, f"{path}: {status}"
        check(spent, f"{what} to {path}, {status}")


@pytest.mark.parametrize("what", BODIES)
def test_no_body_of_a_stranger_is_felt(what: str, served: Site) -> None:
    """1. On 0.1.0 the first of them took 27 s and 1.4 GB."""
    check_attempts(served, what, (*ROUTES, "/api/agents/nope/retrieve/"), "application/json")


@pytest.mark.parametrize("what", BODIES)
def test_no_body_of_a_member_is_felt(what: str, served: Site) -> None:
    """2."""
    check_attempts(served, what, ROUTES, "application/json", **served.caller().headers)


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_no_form_of_a_stranger_is_felt(kind: str, served: Site) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    body = part * (11 * MB // len(part)) + b"--x--\r\n" if "multipart" in kind else b"a&" * (11 * MB // 2 - 1)
    for path in PAGES:
        with watching(served.pid, served.port) as spent:
            status = attempt(served, "POST", path, body, **{"Content-Type": kind})
        assert status < 500, path
        check(spent, f"{kind} to {path}, {status}")


@pytest.mark.parametrize("text", HISTORIES.values(), ids=list(HISTORIES))
def test_no_history_of_a_member_is_felt(text: str, served: Site) -> None:
    """2. On 0.1.0 the first of them stalled everybody for 39 s."""
    with watching(served.pid, served.port) as spent:
        answer = served.caller().call("POST", CHAT, question("hola", "a", text))
    assert answer.status in (200, 400, 413)
    check(spent, "a history")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/projects/", {"name": "a", "corpora": ["00000000-0000-4000-8000-000000000000"] * 20_000}),
        ("facts", {"text": "x", "tags": [{}] * 200_000}),
        ("facts", {"text": "x" * 900_000}),
        ("/api/corpora/", {"name": "x" * 900_000, "description": "x"}),
    ],
    ids=["20,000 ids", "200,000 tags", "a fact of 900 kB", "a name of 900 kB"],
)
def test_no_list_of_a_member_is_felt(path: str, body: Any, served: Site) -> None:
    """9."""
    if path == "facts":
        path = f"/api/corpora/{served.make_corpus('Hechos')}/facts/"
    with watching(served.pid, served.port) as spent:
        answer = served.caller().call("POST", path, body)
    assert answer.status in (201, 202, 400, 404, 413)
    check(spent, path)


# ── heads and slow clients (9) ──────────────────────────────────────────────────────────────────────────────────────


def send_head(port: int, size: int) -> bytes:
    """What the server says while it is sent one header of that size, or several of 8 kB."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        with suppress(OSError):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            for n in range(size // 8_192):
                connection.sendall(b"X-%d: " % n + b"a" * 8_192 + b"\r\n")
            connection.sendall(b"\r\n")
        with suppress(OSError):
            return connection.recv(64)
    return b""


def send_one_header(port: int, size: int) -> bytes:
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        with suppress(OSError):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
            for _ in range(size // 65_536):
                connection.sendall(b"a" * 65_536)
            connection.sendall(b"\r\n\r\n")
        with suppress(OSError):
            return connection.recv(64)
    return b""


@pytest.mark.parametrize("send", [send_head, send_one_header])
def test_a_head_without_an_end_is_cut_off(send: Any, served: Site) -> None:
    """9. On 0.1.0 a stranger's header of 150 MB took 220 MB and stalled everybody for 1.4 s."""
    with watching(served.pid, served.port) as spent:
        said = send(served.port, 150 * MB)
    assert not said or re.match(rb"HTTP/1.1 4(00|08|13|14|31) ", said), said
    check(spent, "a head of 150 MB")


def test_a_head_above_the_limit_is_refused_and_an_ordinary_one_is_not(served: Site) -> None:
    assert send_head(served.port, 8_192).startswith(b"HTTP/1.1 200")
    refused = send_head(served.port, 64 * 1024)
    assert not refused or re.match(rb"HTTP/1.1 4(00|08|13|14|31) ", refused), refused


def seconds_until_closed(port: int, first: bytes) -> float:
    """How long the server waits for the rest, of which it is given a byte a second."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=1)) as connection:
        began = time.monotonic()
        connection.sendall(first)
        while time.monotonic() - began < 2 * HEAD_SECONDS:
            try:
                connection.sendall(b"a")
                if connection.recv(256) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        return time.monotonic() - began


HALVES = {
    "nothing at all": b"G",
    "half a head": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
    "half a body": b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n",
    "half a JSON body": (
        b"POST /api/agents/nope/chat/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100000\r\n\r\n{"
    ),
}


def test_who_never_ends_a_request_is_hung_up_on(served: Site) -> None:
    """9. On 0.1.0 200 such connections stayed open for as long as they liked."""
    halves = list(HALVES.values()) * 8
    with watching(served.pid, served.port) as spent, ThreadPoolExecutor(len(halves)) as threads:
        waited = list(threads.map(lambda first: seconds_until_closed(served.port, first), halves))
    assert max(waited) <= HEAD_SECONDS + 5.0, dict(zip(HALVES, waited, strict=False))
    assert spent.stall <= patience(STALL)


# ── 11: what a log has ──────────────────────────────────────────────────────────────────────────────────────────────


def test_no_live_link_is_in_the_log(served: Site) -> None:
    """11. Without a mail server 0.1.0 printed reset links and invitations that worked."""
    people = {one["email"].partition("@")[0]: one for one in served.told["users"]}
    admin = next(one for one in people.values() if one["role"] == "admin")
    base = f"http://127.0.0.1:{served.port}"
    with httpx.Client(base_url=base, follow_redirects=True) as client:
        send_form(client, "/accounts/password/reset/", email=people["alicia"]["email"])
        send_form(client, "/accounts/login/", login=admin["email"], password=admin["password"])
        invited = send_form(client, "/members/", to="/members/invite/", email="nueva@aurora.example", role="member")
        links = re.findall(r"/invitations/[\w-]{20,}/", invited.text)
        log = served.log()
    assert links, "the admin is shown the link once"
    assert not any(link in log for link in links)
    assert not re.search(r"password/reset/key/|/invitations/[\w-]{20,}", log)
    assert people["alicia"]["password"] not in log


def send_form(client: httpx.Client, path: str, to: str = "", **fields: str) -> httpx.Response:
    """As a page's form is sent: with the token of the page that it stands on."""
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', client.get(path).text)
    assert found, path
    answer = client.post(to or path, data={"csrfmiddlewaretoken": found[1], **fields})
    assert answer.status_code == 200, answer.status_code
    return answer
