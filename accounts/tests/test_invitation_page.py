"""Invitations: a link that works once, for seven days, for one address."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from accounts import invitations
from accounts.models import Invitation, Membership, User
from tests.cast import Cast, browser, make_cast
from tests.factories import UserFactory

NEW = {"name": "Dora", "password": "a-long-enough-one"}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def invite(cast: Cast, email: str = "dora@example.org", role: str = "member") -> str:
    return f"/invitations/{invitations.create_invitation(email, role, cast.admin)[1]}/"


DORA = {"email": "Dora@example.org", "role": "member"}
UNSENT = "accounts.identity.mail.UnsentMail"


def test_the_link_is_mailed_to_its_receiver_alone(cast: Cast) -> None:
    """Whoever joins by it has proven the address: the admin who invites must not see it."""
    page = browser(cast.admin).post("/members/invite/", DORA).content.decode()
    assert mail.outbox[0].to == ["dora@example.org"]
    assert "http://testserver/invitations/" in mail.outbox[0].body
    assert "/invitations/" not in page.replace("/members/invitations/", "")


def test_where_no_mail_goes_out_the_link_is_shown_once_and_only_its_hash_is_kept(
    cast: Cast, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = UNSENT
    client = browser(cast.admin)
    page = client.post("/members/invite/", DORA).content.decode()
    link = page.split('value="http://testserver')[1].split('"')[0]
    token = link.split("/")[2]
    assert token not in str(Invitation.objects.values())
    assert token not in client.get("/members/").content.decode()
    assert token not in caplog.text
    assert browser(None).get(link).status_code == 200


def test_a_mail_server_that_refuses_gives_the_link_to_nobody_else(cast: Cast, settings: Any) -> None:
    """With the link an admin could make an account for an address that its owner never proved."""
    settings.EMAIL_BACKEND = "accounts.tests.test_mail.Refusing"
    page = browser(cast.admin, "en").post("/members/invite/", DORA).content.decode()
    assert "could not be sent" in page
    assert "testserver/invitations/" not in page


def test_the_mail_is_in_the_inviters_language(cast: Cast) -> None:
    browser(cast.admin, "es").post("/members/invite/", {"email": "dora@example.org", "role": "member"})
    assert "te invita" in mail.outbox[0].body


def test_a_new_person_sets_name_and_password_and_is_in(cast: Cast) -> None:
    link = invite(cast)
    client = browser(None)
    assert "dora@example.org" in client.get(link).content.decode()
    assert client.post(link, NEW, follow=True).status_code == 200
    joined = Membership.objects.get(user__email="dora@example.org")
    assert (joined.organization, joined.role) == (cast.alice.organization, "member")
    assert joined.user.check_password(NEW["password"])
    assert client.get("/").status_code == 200


def test_a_weak_password_is_explained(cast: Cast) -> None:
    response = browser(None).post(invite(cast), {"name": "Dora", "password": "12345"})
    assert response.status_code == 200
    assert "errorlist" in response.content.decode()
    assert not User.objects.filter(email="dora@example.org").exists()


def test_a_token_works_once(cast: Cast) -> None:
    link = invite(cast)
    browser(None).post(link, NEW)
    response = browser(None).post(link, NEW)
    assert response.status_code == 404
    assert "does not work" in response.content.decode()


@pytest.mark.parametrize("spoil", ["unknown", "expired", "revoked", "resent"])
def test_what_does_not_work_is_404_with_a_clear_page(cast: Cast, spoil: str) -> None:
    link = invite(cast)
    invitation = Invitation.objects.get()
    if spoil == "unknown":
        link = "/invitations/nothing/"
    elif spoil == "expired":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif spoil == "revoked":
        browser(cast.admin).post(f"/members/invitations/{invitation.pk}/revoke/")
    else:
        browser(cast.admin).post(f"/members/invitations/{invitation.pk}/resend/")
    response = browser(None).get(link)
    assert response.status_code == 404
    assert "This invitation does not work" in response.content.decode()


def test_somebody_with_an_account_signs_in_and_joins_with_the_offered_role(cast: Cast) -> None:
    dora = UserFactory(email="dora@example.org")
    link = invite(cast, role="admin")
    anonymous = browser(None)
    assert "has an account already" in anonymous.get(link).content.decode()
    anonymous.post(link, NEW)
    assert not dora.memberships.exists()
    anonymous.force_login(dora)
    anonymous.post(link)
    assert dora.memberships.get().is_admin


def test_another_signed_in_person_cannot_take_it(cast: Cast) -> None:
    link = invite(cast)
    assert "Sign out" in browser(cast.charlie).post(link, NEW).content.decode()
    assert not cast.charlie.user.memberships.filter(organization=cast.alice.organization).exists()


@pytest.mark.parametrize("step", ["resend", "revoke"])
@pytest.mark.parametrize("who", ["alice", "charlie"])
def test_only_the_organizations_admins_keep_invitations(cast: Cast, who: str, step: str) -> None:
    invite(cast)
    path = f"/members/invitations/{Invitation.objects.get().pk}/{step}/"
    assert browser(getattr(cast, who)).post(path).status_code == 404
    assert Invitation.objects.exists()
