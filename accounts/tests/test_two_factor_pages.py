"""Two-factor sign-in: setting it up, using it, recovery codes, and what is kept of it."""

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.test import Client

from accounts.identity.sealing import unseal
from accounts.models import AuditEvent
from tests.cast import Cast, browser, make_cast
from tests.codes import code_of
from tests.doors import SECRET, is_signed_in, reauthenticated, sign_in, sign_in_with_code, with_app
from tests.factories import PASSWORD


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def set_up(client: Client) -> tuple[str, list[str]]:
    """Set up an app; its secret, and the recovery codes that are shown then."""
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    secret = re.search(r'value="([A-Z2-7]{32})"', page)
    assert secret
    answer = client.post("/accounts/2fa/totp/activate/", {"code": code_of(secret[1])}, follow=True)
    return secret[1], re.findall(r"\b\d{8}\b", answer.content.decode())


commits = pytest.mark.django_db(transaction=True)  # sessions end, and mails go, when the new factor is there for good


@commits
def test_an_app_is_set_up_after_the_password_and_its_first_code(cast: Cast) -> None:
    assert sign_in("alice@example.org").get("/accounts/2fa/totp/activate/").status_code == 302
    client = reauthenticated(cast.alice.user)
    _secret, codes = set_up(client)
    assert len(codes) == 10
    assert {message.subject for message in mail.outbox} == {"[Acervo] Authenticator app set up"}
    kinds = {event.changes["kind"] for event in AuditEvent.objects.filter(action="second_factor_added")}
    assert kinds == {"totp", "recovery_codes"}


def test_a_wrong_code_sets_nothing_up(cast: Cast) -> None:
    client = reauthenticated(cast.alice.user)
    client.get("/accounts/2fa/totp/activate/")
    assert "errorlist" in client.post("/accounts/2fa/totp/activate/", {"code": "000000"}).content.decode()
    assert not Authenticator.objects.exists()


@commits
def test_setting_it_up_ends_sessions_that_began_with_the_password_alone(cast: Cast) -> None:
    elsewhere, here = sign_in("alice@example.org"), reauthenticated(cast.alice.user)
    set_up(here)
    assert not is_signed_in(elsewhere)
    assert is_signed_in(here)


def test_the_password_alone_opens_nothing(cast: Cast) -> None:
    with_app(cast.alice.user)
    client = sign_in("alice@example.org")
    assert not is_signed_in(client)
    assert client.get("/api/corpora/").status_code == 401
    client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert not is_signed_in(client)


def test_password_and_code_sign_in(cast: Cast) -> None:
    with_app(cast.alice.user)
    assert is_signed_in(sign_in_with_code(cast.alice.user))


def test_a_code_without_the_password_signs_nobody_in(cast: Cast) -> None:
    with_app(cast.alice.user)
    client = browser(None)
    assert client.post("/accounts/2fa/authenticate/", {"code": code_of(SECRET)})["Location"] == "/accounts/login/"
    assert not is_signed_in(client)


def test_a_code_works_once(cast: Cast) -> None:
    with_app(cast.alice.user)
    code = code_of(SECRET)
    for expected in (True, False):
        client = sign_in("alice@example.org")
        client.post("/accounts/2fa/authenticate/", {"code": code})
        assert is_signed_in(client) is expected


def test_the_code_of_somebody_else_does_not_help(cast: Cast) -> None:
    """Bob has the app with SECRET; Alice's is another."""
    with_app(cast.bob.user)
    Authenticator.objects.create(user=cast.alice.user, type="totp", data={"secret": "unreadable"})
    assert not is_signed_in(sign_in_with_code(cast.alice.user))


def test_guessing_codes_ends_after_five(cast: Cast) -> None:
    with_app(cast.alice.user)
    client = sign_in("alice@example.org")
    for number in range(5):
        client.post("/accounts/2fa/authenticate/", {"code": f"{number:06d}"})
    client.post("/accounts/2fa/authenticate/", {"code": code_of(SECRET)})
    assert not is_signed_in(client)


def test_a_recovery_code_stands_in_once(cast: Cast) -> None:
    _secret, codes = set_up(reauthenticated(cast.alice.user))
    for expected in (True, False):
        client = sign_in("alice@example.org")
        client.post("/accounts/2fa/authenticate/", {"code": codes[0]})
        assert is_signed_in(client) is expected


def test_recovery_codes_are_shown_once(cast: Cast) -> None:
    client = reauthenticated(cast.alice.user)
    _secret, codes = set_up(client)
    again = client.get("/accounts/2fa/recovery-codes/").content.decode()
    assert len(codes) == 10
    assert not set(codes) & set(re.findall(r"\b\d{8}\b", again))
    assert "There are 10 unused codes" in again


def test_new_recovery_codes_put_the_old_ones_out_of_use(cast: Cast) -> None:
    client = reauthenticated(cast.alice.user)
    _secret, old = set_up(client)
    page = client.post("/accounts/2fa/recovery-codes/generate/", follow=True).content.decode()
    assert len(set(re.findall(r"\b\d{8}\b", page)) - set(old)) == 10
    guest = sign_in("alice@example.org")
    guest.post("/accounts/2fa/authenticate/", {"code": old[0]})
    assert not is_signed_in(guest)


def test_secrets_are_sealed_in_the_database(cast: Cast) -> None:
    secret, codes = set_up(reauthenticated(cast.alice.user))
    kept = {row.type: row.data for row in Authenticator.objects.all()}
    assert secret not in repr(kept)
    assert not any(code in repr(kept) for code in codes)
    assert unseal(kept["totp"]["secret"]) == secret


def test_another_secret_key_reads_no_secret_and_opens_nothing(cast: Cast, settings: Any) -> None:
    with_app(cast.alice.user)
    settings.SECRET_KEY = "another-key-of-an-installation-that-was-restored"
    assert not is_signed_in(sign_in_with_code(cast.alice.user))


def test_the_app_is_removed_after_the_password(cast: Cast) -> None:
    with_app(cast.alice.user)
    client = sign_in_with_code(cast.alice.user)
    assert client.post("/accounts/2fa/totp/deactivate/")["Location"].startswith("/accounts/reauthenticate/")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()
    assert AuditEvent.objects.filter(action="second_factor_changed").exists()
    assert mail.outbox[-1].subject == "[Acervo] Authenticator app removed"


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_somebody_elses_passkey_cannot_be_removed(cast: Cast, who: str) -> None:
    passkey = Authenticator.objects.create(user=cast.alice.user, type="webauthn", data={"name": "Phone"})
    client = reauthenticated(getattr(cast, who).user)
    assert client.post(f"/accounts/2fa/webauthn/keys/{passkey.pk}/remove/").status_code == 404
    assert Authenticator.objects.filter(pk=passkey.pk).exists()


def test_a_deactivated_user_does_not_get_in_by_a_second_factor(cast: Cast) -> None:
    with_app(cast.alice.user)
    client = sign_in("alice@example.org")
    cast.alice.user.is_active = False
    cast.alice.user.save()
    client.post("/accounts/2fa/authenticate/", {"code": code_of(SECRET)})
    assert not is_signed_in(client)


@pytest.mark.parametrize("credential", ["{}", "[]", "null", "x", '{"response": {"userHandle": "eA"}}', "[" * 500])
def test_a_broken_passkey_is_refused_and_no_fault(cast: Cast, credential: str) -> None:
    client = browser(None)
    client.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    answer = client.post("/accounts/2fa/webauthn/login/", {"credential": credential})
    assert answer["Location"] == "/accounts/login/"


@pytest.mark.parametrize(
    "path",
    ["2fa/", "2fa/totp/activate/", "2fa/totp/deactivate/", "2fa/recovery-codes/generate/", "2fa/webauthn/add/"],
)
def test_a_page_has_its_landmarks_and_nothing_from_elsewhere(cast: Cast, path: str) -> None:
    with_app(cast.alice.user)
    client = sign_in_with_code(cast.alice.user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    if path.endswith("activate/") and "deactivate" not in path:
        Authenticator.objects.all().delete()
    response = client.get(f"/accounts/{path}")
    page = response.content.decode()
    assert response.status_code == 200
    assert page.count("<h1") == page.count("<main") == 1
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert not re.search(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)", page)
