"""nginx with the shipped configuration before two web processes: what it refuses, and what it must not."""

import json
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.services.installation import MEMBER, Installation, Web
from tests.services.proxy import Proxy, Refused, TlsCaller
from tests.services.servers import ROOT, NotInstalled, program, wait_until

CLASS = 40  # people behind one address


@pytest.fixture(scope="module")
def other_web(installation: Installation) -> Web:
    return installation.web("other-web")


@pytest.fixture(scope="module")
def settings_wanted() -> dict[str, str]:
    return {"ALLOWED_HOSTS": "127.0.0.1", "FORWARDED_ALLOW_IPS": "*"}


@pytest.fixture(scope="module")
def proxy(folder: Path, web: Web, other_web: Web) -> Iterator[Proxy]:
    try:
        made = Proxy(folder, web.port, other_web.port)
    except NotInstalled as missing:
        pytest.skip(str(missing))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def key(installation: Installation) -> dict[str, str]:
    return {"Authorization": f"Bearer {installation.keys[MEMBER]}"}


def test_the_configuration_is_one_that_this_nginx_understands(proxy: Proxy) -> None:
    done = subprocess.run([proxy.binary, "-t", "-c", proxy.configuration], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_directives_are_all_known_since_1_22() -> None:
    """CI has one nginx; what newer ones alone know is named here."""
    shipped = re.sub(r"#.*", "", (ROOT / "deploy" / "proxy.conf").read_text(encoding="utf-8"))
    assert not re.search(r"\bhttp2 on\b|\bserver [^;{]* resolve\b|\$request_port\b", shipped)


def test_a_class_behind_one_address_signs_in_at_once(proxy: Proxy) -> None:
    """Their passwords are wrong here, and they are told so by the application; nginx keeps nobody away."""
    with ThreadPoolExecutor(CLASS) as everybody:
        pages = list(everybody.map(lambda _: proxy.ask("GET", "/accounts/login/").status, range(2 * CLASS)))
        tried = list(everybody.map(lambda _: proxy.ask("POST", "/accounts/login/", b"login=x").status, range(CLASS)))
    assert set(pages) == {200}
    assert 429 not in tried


def test_a_flood_of_attempts_is_refused_as_a_page(proxy: Proxy) -> None:
    with ThreadPoolExecutor(20) as everybody:
        tried = list(everybody.map(lambda _: proxy.ask("POST", "/accounts/login/", b"login=x"), range(200)))
    refused = next(one for one in tried if one.status == 429 and b"your address" in one.body)
    assert refused.kind == "text/html"
    assert proxy.ask("GET", "/accounts/login/").status == 200, "who reads is not kept away"


def test_what_is_too_large_is_a_problem_for_programs(proxy: Proxy, key: dict[str, str]) -> None:
    refused = proxy.ask("POST", "/api/corpora/", b" ", **key, **{"Content-Length": str(12 * 1024 * 1024)})
    assert (refused.status, refused.kind) == (413, "application/problem+json")
    assert problem(refused) == ("file_too_large", 413)


def test_it_is_the_same_over_http_2(proxy: Proxy, tmp_path: Path) -> None:
    """As browsers speak. Their body is on its way when it is refused, and went on being refused."""
    large = tmp_path / "large"
    large.write_bytes(b" " * 12 * 1024 * 1024)
    told = "\n%{http_version} %{http_code} %{content_type}"
    send = [program("curl"), "-sk", "--http2", "-H", "Expect:", "--data-binary", f"@{large}", "-w", told]
    for path, kind in (("api/corpora/", "application/problem+json"), ("corpora/", "text/html")):
        asked = [*send, f"https://127.0.0.1:{proxy.port}/{path}"]
        said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
        body, last = said.rsplit("\n", 1)
        assert last == f"2 413 {kind}"
        assert "Split the file" in body


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("of-a-caller_1.2", True),
        ("a" * 64, True),
        ("short", False),
        ("a" * 65, False),
        ("two words", False),
        ("", False),
    ],
)
def test_a_request_has_one_id_in_the_answer_and_in_the_log(
    said: str, is_kept: bool, proxy: Proxy, key: dict[str, str], web: Web, other_web: Web
) -> None:
    """Its caller's, where the application would keep it too; else nginx's. Also of what nginx refuses by itself."""
    caller = TlsCaller(proxy.port, key | {"X-Request-ID": said})
    for body, status in (({}, 404), (b"", 413)):
        headers = {"Content-Length": str(12 * 1024 * 1024)} if status == 413 else {}
        answer = caller.call("POST", "/api/agents/nobody/retrieve/", body, **headers)
        told = {name.lower(): value for name, value in answer.headers.items()}["x-request-id"]
        assert (answer.status, answer.body["request_id"], told == said) == (status, told, is_kept)
        assert re.fullmatch(r"[A-Za-z0-9._-]{8,64}", told)
        logged = re.compile(rf'" {status} .* {re.escape(told)}$', re.MULTILINE)
        wait_until(lambda logged=logged: bool(logged.search(proxy.accesses())), 5, "nginx logs it")


def test_a_process_that_is_killed_costs_no_request(proxy: Proxy, key: dict[str, str], web: Web, other_web: Web) -> None:
    def ask(_number: int) -> int:
        return proxy.ask("GET", "/api/corpora/", **key).status

    with ThreadPoolExecutor(4) as everybody:
        asked = everybody.map(ask, range(60))
        other_web.kill()
        statuses = list(asked)
        other_web.start()
        other_web.stop()
        statuses += list(everybody.map(ask, range(20)))
    assert set(statuses) == {200}


def test_without_any_process_programs_are_told_when_to_try_again(proxy: Proxy, key: dict[str, str], web: Web) -> None:
    """The last of the module: nothing is left to ask."""
    web.stop()
    refused = proxy.ask("GET", "/api/corpora/", **key)
    assert (refused.status, refused.kind, problem(refused)) == (502, "application/problem+json", ("unavailable", 502))
    assert proxy.ask("GET", "/").kind == "text/html"


def problem(refused: Refused) -> Any:
    body = json.loads(refused.body)
    assert body["type"] == f"urn:acervo:problem:{body['code']}"
    return body["code"], body["status"]
