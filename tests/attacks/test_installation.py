"""The attack on what an installation leaves open by itself: files, cache, mail, browsers (findings 6, 11, 14, 15)."""

import os
import re
import secrets
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from tests import routes
from tests.bodies import body_of
from tests.matrix import CASES, Case
from tests.people import People
from tests.world import World

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "HTTPS": "true",
    "ALLOWED_HOSTS": "acervo.example.org",
    "CSRF_TRUSTED_ORIGINS": "https://acervo.example.org",
    "METRICS_TOKEN": "example",
}


def run(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Python in an installation of its own, with the usual mask for new files."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV") if name in os.environ}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**inherited, "DATA_DIR": str(folder), **settings},
        umask=0o022,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# ── 14: files ───────────────────────────────────────────────────────────────────────────────────────────────────────


def others_may(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def test_nobody_else_on_the_machine_reads_the_data(tmp_path: Path) -> None:
    """14. On 0.1.0 `nobody` read 18 session keys and 7,564 chunks."""
    folder = tmp_path / "data"
    assert run(folder, "manage.py", "migrate").returncode == 0
    assert not others_may(folder)


def test_a_folder_that_was_open_is_closed_or_said_to_be(tmp_path: Path) -> None:
    """14. What 0.1.0 made stays open unless somebody closes it."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    done = run(folder, "manage.py", "check")
    assert not others_may(folder) or "DATA_DIR" in done.stdout + done.stderr


# ── 6: the cache and the broker ─────────────────────────────────────────────────────────────────────────────────────


def test_a_cache_reads_nothing_that_can_be_run(tmp_path: Path) -> None:
    """6. On 0.1.0 whoever could write to Redis ran code in the web process (tests/services/test_attacks.py does)."""
    code = (
        "import django; from django.conf import settings; django.setup(); from django.core.cache import cache; "
        "print(type(cache._cache._serializer).__module__, cache._cache._serializer.dumps({'a': [1, 'b']}))"
    )
    settings = {"CACHE_URL": "redis://:secret@127.0.0.1:6379/1", "DJANGO_SETTINGS_MODULE": "config.settings"}
    told = run(tmp_path, "-c", code, **settings).stdout
    assert told.startswith("config."), told
    assert "\\x80" not in told, "a pickle begins so"


def test_every_recipe_gives_redis_a_password() -> None:
    compose = yaml.safe_load((ROOT / "compose.yml").read_text())
    redis = compose["services"]["redis"]
    told = " ".join([*map(str, redis["command"]), str(redis.get("environment", ""))])
    assert re.search(r"requirepass|aclfile|REDIS_PASSWORD", told)
    for path in (
        ROOT / "compose.yml",
        ROOT / ".env.example",
        *(ROOT / "docs").glob("*.md"),
        *(path for path in (ROOT / "deploy").rglob("*") if path.is_file()),
    ):
        text = re.sub(r"\$\{(\w+)[^}]*\}", r"\1", path.read_text(encoding="utf-8"))
        for address in re.findall(r"rediss?://[^\s\"'`|)]+", text):
            assert "@" in address, f"{path.name}: {address} has no password"


def test_the_broker_takes_nothing_but_json(settings: Any) -> None:
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert settings.CELERY_TASK_SERIALIZER == "json"


# ── 11: mail ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deploying_without_mail_is_a_failed_check(tmp_path: Path) -> None:
    """11. On 0.1.0 links that worked went to the log, and `check --deploy` had no issues."""
    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    done = run(tmp_path, *check, SECRET_KEY=secrets.token_urlsafe(64), **PRODUCTION)
    assert done.returncode, "nothing is said of an installation without mail"
    assert "EMAIL_URL" in done.stdout + done.stderr


# ── 15: browsers ────────────────────────────────────────────────────────────────────────────────────────────────────

PAGES = [case for case in CASES if case.method == "GET" and (case.page or case.path in ("/api/docs/", "/api/schema/"))]


def directives(policy: str) -> dict[str, str]:
    """Each directive of a content security policy."""
    return {part.strip().partition(" ")[0]: part.strip().partition(" ")[2] for part in policy.split(";")}


def check_policy(answer: Any, where: str) -> None:
    told = directives(answer.headers["Content-Security-Policy"])
    scripts = told.get("script-src", told["default-src"])
    assert "'unsafe-inline'" not in scripts, where
    assert "'unsafe-eval'" not in scripts, where
    assert "*" not in scripts, where
    assert "http" not in scripts, where
    for name, value in (("object-src", "'none'"), ("base-uri", "'none'"), ("frame-ancestors", "'none'")):
        assert told.get(name) == value, f"{where}: {name}"
    assert told.get("form-action") == "'self'", where
    assert answer.headers["X-Content-Type-Options"] == "nosniff", where
    assert answer.headers.get("X-Frame-Options") == "DENY", where


def check_scripts(answer: Any, where: str) -> None:
    """A script that stands in the page has the page's nonce; nothing else in it runs."""
    page = body_of(answer).decode(errors="replace")
    nonce = re.search(r"'nonce-([^']+)'", answer.headers["Content-Security-Policy"])
    for attributes in re.findall(r"<script\b([^>]*)>(?=\s*\S)", page):
        data = re.search(r'type="(application/json|[\w/+-]*template[\w-]*|application/ld\+json)"', attributes)
        if "src=" not in attributes and not data:
            assert nonce, where
            assert f'nonce="{nonce[1]}"' in attributes, f"{where}: <script{attributes}>"
    assert not re.search(r"<[a-z][^>]*\son(click|load|error|submit|change)=", page), where


@pytest.mark.django_db
@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.parametrize("case", PAGES, ids=str)
def test_no_page_lets_a_planted_script_run(case: Case, people: People) -> None:
    """15."""
    world = World.furnished(people)
    caller = "admin" if case.rule.admin == 200 else "owner"
    answer = world.caller(caller).get(world.filled(case.path))
    if answer.status_code == 200:
        check_policy(answer, str(case))
        if "html" in answer.headers["Content-Type"]:
            check_scripts(answer, str(case))


@pytest.mark.django_db
@pytest.mark.usefixtures("in_this_thread")
def test_no_page_of_a_library_lets_a_planted_script_run(people: People) -> None:
    """15. On 0.1.0 /admin/ ran one."""
    client = World.furnished(people).caller("admin")
    shown = 0
    for route in sorted(route for route in routes.routes() if "<" not in route and "^" not in route):
        answer = client.get(f"/{route}")
        if answer.status_code == 200 and "html" in answer.headers["Content-Type"]:
            check_policy(answer, route)
            check_scripts(answer, route)
            shown += 1
    assert shown > 20, "the walk has met few pages"


@pytest.mark.django_db
@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.parametrize("path", ["/api/docs/", "/api/schema/"])
def test_the_apis_documentation_needs_a_sign_in(path: str, people: People) -> None:
    """15. On 0.1.0 anybody read it."""
    assert Client().get(path).status_code in (302, 401, 403)
    assert World.furnished(people).caller("owner").get(path).status_code == 200
