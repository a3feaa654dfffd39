"""One POST to a hostile server: bounded in bytes and seconds, to where it was looked up, and nowhere else."""

import time
from typing import Any

import pytest

from tools.hosts import HostRefused
from webhooks.addresses import check_address, destination_of
from webhooks.outcomes import REASON_WORDS
from webhooks.sending import ANSWER_SECONDS, MOST_ANSWER, REASONS, SECONDS, post
from webhooks.tests.receiver import OK, Answer, dripping, receiving, saying, silent

HEADERS = {"webhook-id": "msg_1"}


@pytest.mark.usefixtures("loopback_allowed")
def test_what_is_sent_arrives_as_it_is() -> None:
    with receiving() as (url, receiver):
        outcome = post(url, HEADERS, b'{"a":1}')
    assert (outcome.reason, outcome.status, outcome.answer) == ("ok", 200, "there")
    (came,) = receiver.received
    assert (came.path, came.body, came.headers["webhook-id"]) == ("/hook?a=1", b'{"a":1}', "msg_1")
    assert came.headers["host"] == url.split("/")[2]
    assert not {"cookie", "authorization", "proxy-authorization"} & set(came.headers)


@pytest.mark.usefixtures("loopback_allowed")
@pytest.mark.parametrize(
    ("answer", "reason", "status"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", "ok", 204),
        (b"HTTP/1.0 201 Created\r\n\r\n", "ok", 201),
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK, "ok", 200),
        (b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n", "redirect", 302),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno", "status", 500),
        (b"HTTP/1.1 999 Oh\r\n\r\n", "no_http", None),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "no_http", None),
        (b"", "no_http", None),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n", "no_http", None),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 5_000 + OK, "no_http", None),
    ],
)
def test_each_answer_has_its_outcome(answer: bytes, reason: str, status: int | None) -> None:
    with receiving(answer) as (url, _receiver):
        outcome = post(url, HEADERS, b"{}")
    assert (outcome.reason, outcome.status) == (reason, status)


@pytest.mark.usefixtures("loopback_allowed")
@pytest.mark.parametrize(
    ("answer", "reason", "longest"),
    [
        (silent, "timeout", SECONDS),
        (dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.2), "timeout", SECONDS),
        (dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x", 0.2), "ok", ANSWER_SECONDS),
        (dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65_536), "ok", ANSWER_SECONDS),
    ],
)
def test_whatever_never_ends_is_left(answer: Answer, reason: str, longest: float) -> None:
    with receiving(answer) as (url, _receiver):
        began = time.monotonic()
        outcome = post(url, HEADERS, b"{}")
        took = time.monotonic() - began
    assert outcome.reason == reason
    assert took < longest + 3
    assert len(outcome.answer) <= MOST_ANSWER


@pytest.mark.usefixtures("loopback_allowed")
def test_what_is_kept_of_an_answer_is_one_line_that_can_be_shown() -> None:
    hostile = "a\x00b\x1b[31mc\u202ed\r\ne\u2028f".encode() + b"\xff" + b"g"
    with receiving(saying(b"HTTP/1.1 200 OK\r\n\r\n" + hostile)) as (url, _receiver):
        answer = post(url, HEADERS, b"{}").answer
    assert answer.isprintable()
    assert answer == "a b [31mc d e f g"


@pytest.mark.usefixtures("loopback_allowed")
def test_a_server_that_asks_for_time_is_heard_also_if_it_asks_for_nonsense() -> None:
    for said, asked in (("120", 120.0), ("Mon, 01 Jan 2024 00:00:00 +99999999999999999", None), ("-1", None)):
        head = f"HTTP/1.1 503 Busy\r\nRetry-After: {said}\r\nContent-Length: 0\r\n\r\n".encode()
        with receiving(head) as (url, _receiver):
            assert post(url, HEADERS, b"{}").retry_after == asked


@pytest.mark.usefixtures("loopback_allowed")
def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with receiving() as (url, _receiver):
        assert post(url, HEADERS, b"{}").reason == "ok"


@pytest.mark.usefixtures("loopback_allowed")
def test_nobody_there_and_a_server_without_tls_are_outcomes() -> None:
    with receiving() as (url, _receiver):
        assert post(url.replace("http://", "https://"), HEADERS, b"{}").reason == "unreachable"
    assert post(url, HEADERS, b"{}").reason == "unreachable"


def test_a_name_is_looked_up_once_and_its_address_connected_to(
    monkeypatch: pytest.MonkeyPatch, loopback_allowed: None
) -> None:
    """Whoever answers for the name gives another address the second time."""
    looked_up: list[str] = []

    def look_up(host: str, port: int, **named: Any) -> list[Any]:
        looked_up.append(host)
        return [(2, 1, 6, "", ("127.0.0.1" if len(looked_up) == 1 else "10.0.0.1", port))]

    with receiving() as (url, receiver):
        monkeypatch.setattr("tools.hosts.socket.getaddrinfo", look_up)
        assert post(url.replace("127.0.0.1", "hooks.example"), HEADERS, b"{}").reason == "ok"
    assert looked_up == ["hooks.example"]
    assert receiver.received[0].headers["host"].startswith("hooks.example:")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://hooks.example/", "not_encrypted"),
        ("https://hooks.example:22/", "port"),
        ("https://hooks.example:0/", "port"),
        ("https://hooks.example:99999/", "no_url"),
        ("ftp://hooks.example/", "no_url"),
        ("https:///path", "no_url"),
        ("https://user:password@hooks.example/", "no_url"),
        ("https://hooks.example/a b", "no_url"),
        ("https://hooks.example/\r\nX: y", "no_url"),
        ("https://hooks.example\\@evil.example/", "no_url"),
        ("https://hooks.example/#part", "no_url"),
        ("https://ho\u202eoks.example/", "no_url"),
        ("https://127.1/", "no_url"),
        ("https://2130706433/", "no_url"),
        ("https://0x7f000001/", "no_url"),
        ("https://010.0.0.1/", "no_url"),
        ("https://[fe80::1%25eth0]/", "no_url"),
        ("https://[::1/", "no_url"),
        ("https://hooks..example/", "no_url"),
        ("javascript:alert(1)", "no_url"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, reason: str) -> None:
    with pytest.raises(HostRefused) as refused:
        check_address(url)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "localhost"]
)
def test_nothing_of_our_own_network_is_told_anything(host: str) -> None:
    assert post(f"https://{host}/", HEADERS, b"{}").reason == "private"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[fd00::1]", "[64:ff9b::a00:1]"]
)
def test_an_address_of_our_own_network_is_not_even_kept(host: str, settings: Any) -> None:
    with pytest.raises(HostRefused, match="private"):
        check_address(f"https://{host}/")
    settings.WEBHOOK_NETWORKS = ["0.0.0.0/0", "::/0"]
    check_address(f"https://{host}/")


def test_a_name_is_not_looked_up_when_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("socket.getaddrinfo")
    check_address("https://hooks.example.org/")


def test_an_operator_may_allow_some_hosts_alone(settings: Any) -> None:
    settings.WEBHOOK_HOSTS = [".example.org"]
    check_address("https://hooks.example.org/")
    with pytest.raises(HostRefused, match="not_allowed"):
        destination_of("https://hooks.example.com/")
    settings.WEBHOOK_HOSTS = []
    with pytest.raises(HostRefused, match="not_allowed"):
        check_address("https://hooks.example.org/")


def test_every_outcome_has_words() -> None:
    assert set(REASON_WORDS) == REASONS
