"""`manage.py organization`: a tenant and its first admin in one step, or nothing at all."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts import keys
from accounts.models import AuditEvent, Membership, Organization, User
from tests.factories import MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("organization", *arguments, stdout=out)
    return out.getvalue()


def made(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_a_new_admin_gets_a_password_and_a_key_that_open_the_new_organization() -> None:
    told = made("Instituto Río Verde", "--admin", "Ana@Rio.example")
    assert told["organization"] == {"slug": "instituto-rio-verde", "name": "Instituto Río Verde"}
    assert told["admin"]["email"] == "ana@rio.example"
    membership = keys.membership_of_key(told["admin"]["api_key"])
    assert membership is not None
    assert (membership.organization.slug, membership.role) == ("instituto-rio-verde", "admin")
    signing_in = {"login": "ana@rio.example", "password": told["admin"]["password"]}
    assert Client().post("/accounts/login/", signing_in).status_code == 302
    assert AuditEvent.objects.filter(organization=membership.organization, action="created").count() == 2


def test_who_has_an_account_keeps_the_password_and_the_other_organization() -> None:
    before = MembershipFactory(user=UserFactory(email="ana@rio.example"))
    told = made("Otra casa", "--slug", "otra", "--admin", "ana@rio.example")
    assert told["admin"]["password"] is None
    assert Membership.objects.filter(user=before.user).count() == 2
    assert "as before" in run("Tercera", "--admin", "ana@rio.example")


def test_the_same_again_changes_nothing_and_says_what_to_do() -> None:
    run("Casa", "--admin", "ana@rio.example")
    counts = Organization.objects.count(), User.objects.count(), Membership.objects.count()
    with pytest.raises(CommandError, match="--slug") as refused:
        run("Casa", "--admin", "somebody-else@rio.example")
    assert refused.value.returncode == 1
    assert counts == (Organization.objects.count(), User.objects.count(), Membership.objects.count())


def test_a_deactivated_user_becomes_nobodys_admin() -> None:
    UserFactory(email="ana@rio.example", is_active=False)
    with pytest.raises(CommandError, match="deactivated") as refused:
        run("Casa", "--admin", "ana@rio.example")
    assert refused.value.returncode == 1
    assert not Organization.objects.filter(slug="casa").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["", "--admin", "ana@rio.example"], "name"),
        (["x" * 151, "--admin", "ana@rio.example"], "name"),
        (["图书馆", "--admin", "ana@rio.example"], "--slug"),
        (["Casa", "--slug", "con espacio", "--admin", "ana@rio.example"], "--slug"),
        (["Casa", "--slug", "x" * 51, "--admin", "ana@rio.example"], "--slug"),
        (["Casa", "--admin", "nobody"], "no email address"),
    ],
)
def test_what_cannot_be_used_is_wrong_usage(arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says) as refused:
        run(*arguments)
    assert refused.value.returncode == 2
    assert not Organization.objects.exists()


def test_without_an_admin_it_is_wrong_usage(tmp_path: Any) -> None:
    command = [sys.executable, "manage.py", "organization", "Casa"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "--admin" in done.stderr) == (2, True)


def by_night(*arguments: str) -> Any:
    """A process of its own, and the same line as the others say."""
    return pytest.param([*arguments], marks=(pytest.mark.slow, pytest.mark.nightly))


@pytest.mark.parametrize(
    "arguments",
    [
        ["organization", "Casa", "--admin", "ana@rio.example"],
        by_night("apikey", "ana@rio.example"),
        by_night("ask", "tutor", "¿Qué es?", "--user", "ana@rio.example"),
        by_night("demo"),
        by_night("reindex"),
        ["serve"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_before_migrate_a_command_says_in_a_line_what_to_do(tmp_path: Path, arguments: list[str]) -> None:
    services = ("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL", "QDRANT_URL", "PGVECTOR_URL")
    inherited = {name: value for name, value in os.environ.items() if name not in services}
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**inherited, "DATA_DIR": str(tmp_path)},
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "CommandError: The database is not up to date. Run `python manage.py migrate` first."
    ]
