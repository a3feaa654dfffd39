"""API keys: shown once, kept as a hash, of one user in one organization, useless once revoked (RELIABILITY R6)."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts import keys
from accounts.models import ApiKey, AuditEvent
from tests.factories import CorpusFactory, MembershipFactory
from tests.people import People, with_secret

pytestmark = pytest.mark.django_db


def status(secret: str) -> int:
    return with_secret(secret).get("/api/corpora/").status_code


def test_a_key_opens_the_api_until_it_is_revoked(people: People) -> None:
    key, secret = keys.issue_key(people.alice, "laptop")
    assert status(secret) == 200
    keys.revoke_key(key, people.alice)
    assert status(secret) == 401


def test_only_the_hash_of_a_key_is_kept(people: People) -> None:
    key, secret = keys.issue_key(people.alice)
    kept = " ".join(str(value) for value in ApiKey.objects.filter(pk=key.pk).values_list().get())
    assert secret not in kept
    assert secret.removeprefix(key.prefix) not in kept
    assert len(secret) > 40


def test_two_keys_are_never_alike(people: People) -> None:
    assert len({keys.issue_key(people.alice)[1] for _ in range(20)}) == 20


def test_a_key_speaks_for_one_organization_whatever_else_its_user_belongs_to(people: People) -> None:
    here, elsewhere = CorpusFactory(personal_of=people.alice), CorpusFactory(personal_of=people.alice_elsewhere)
    client = with_secret(keys.issue_key(people.alice_elsewhere)[1])
    assert [one["id"] for one in client.get("/api/corpora/").json()["results"]] == [str(elsewhere.pk)]
    assert client.get(f"/api/corpora/{here.pk}/").status_code == 404


def test_the_key_of_a_deactivated_user_opens_nothing(people: People) -> None:
    _key, secret = keys.issue_key(people.alice)
    people.alice.user.is_active = False
    people.alice.user.save()
    assert status(secret) == 401


def test_a_key_goes_with_its_membership(people: People) -> None:
    _key, secret = keys.issue_key(people.bob)
    people.bob.delete()
    assert status(secret) == 401


def test_the_last_use_is_recorded_once_a_minute(people: People) -> None:
    key, secret = keys.issue_key(people.alice)
    status(secret)
    key.refresh_from_db()
    first = key.last_used_at
    assert first is not None
    assert timezone.now() - first < timedelta(seconds=10)
    status(secret)
    key.refresh_from_db()
    assert key.last_used_at == first
    ApiKey.objects.filter(pk=key.pk).update(last_used_at=first - timedelta(minutes=2))
    status(secret)
    key.refresh_from_db()
    assert key.last_used_at is not None
    assert key.last_used_at >= first


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_written_in_any_case(scheme: str, people: People) -> None:
    client = Client(headers={"Authorization": f"{scheme} {keys.issue_key(people.alice)[1]}"})
    assert client.get("/api/corpora/").status_code == 200


@pytest.mark.parametrize("header", ["Basic YWxpY2U6cGFzcw==", "Token {secret}", "{secret}", ""])
def test_another_scheme_is_no_credential(header: str, people: People) -> None:
    client = Client(headers={"Authorization": header.format(secret=keys.issue_key(people.alice)[1])})
    assert client.get("/api/corpora/").status_code == 401


def test_the_hash_of_a_key_is_no_key(people: People) -> None:
    key, _secret = keys.issue_key(people.alice)
    assert status(key.key_hash) == 401


def test_making_and_revoking_are_in_the_audit_log_without_the_secret(people: People) -> None:
    key, secret = keys.issue_key(people.alice, "laptop")
    keys.revoke_key(key, people.ada)
    events = AuditEvent.objects.filter(object_type="apikey", object_id=str(key.pk)).order_by("created_at")
    assert [(event.action, event.actor) for event in events] == [
        ("created", people.alice.user),
        ("revoked", people.ada.user),
    ]
    assert secret not in repr(list(events.values()))


def test_the_command_prints_a_key_that_works(people: People, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("apikey", people.bob.user.email.upper())
    assert status(capsys.readouterr().out.strip()) == 200


def test_the_command_asks_for_the_organization_of_somebody_who_is_in_several(people: People) -> None:
    with pytest.raises(CommandError, match="--organization"):
        call_command("apikey", people.alice.user.email)


def test_the_command_takes_the_organization_by_its_slug(people: People, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("apikey", people.alice.user.email, organization=people.alice_elsewhere.organization.slug)
    assert keys.membership_of_key(capsys.readouterr().out.strip()) == people.alice_elsewhere


def test_the_command_makes_no_key_for_somebody_who_is_not_there() -> None:
    gone = MembershipFactory(user__is_active=False)
    for email in ("nobody@example.org", gone.user.email):
        with pytest.raises(CommandError, match="no active member of"):
            call_command("apikey", email)


def test_a_key_with_an_end_works_until_then(people: People) -> None:
    key, secret = keys.issue_key(people.alice, days=30)
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - timezone.now() <= timedelta(days=30)
    assert status(secret) == 200
    ApiKey.objects.filter(pk=key.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert status(secret) == 401


def test_where_a_key_was_used_last_is_recorded(people: People) -> None:
    key, secret = keys.issue_key(people.alice)
    with_secret(secret).get("/api/corpora/", REMOTE_ADDR="192.0.2.7")
    key.refresh_from_db()
    assert key.last_used_from == "192.0.2.7"


def test_the_command_makes_a_key_that_ends(people: People, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("apikey", people.bob.user.email, "--expires", "90")
    assert status(capsys.readouterr().out.strip()) == 200
    expires_at = ApiKey.objects.get().expires_at
    assert expires_at is not None
    assert expires_at - timezone.now() > timedelta(days=89)


@pytest.mark.parametrize("days", ["0", "-1", "soon", "1000000"])
def test_the_command_wants_a_number_of_days(days: str, people: People) -> None:
    with pytest.raises(CommandError, match="number of days"):
        call_command("apikey", people.bob.user.email, f"--expires={days}")
    assert not ApiKey.objects.exists()
