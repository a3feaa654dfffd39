"""The members page: for admins of the organization, and for nobody else."""

import pytest

from accounts.models import AuditEvent, Invitation, Membership
from tests.cast import Cast, browser, make_cast


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_an_admin_sees_the_members_of_their_organization_only(cast: Cast) -> None:
    page = browser(cast.admin).get("/members/").content.decode()
    assert "alice@example.org" in page
    assert "Charlie" not in page


@pytest.mark.parametrize("who", ["alice", "bob"])
def test_for_members_the_page_does_not_exist(cast: Cast, who: str) -> None:
    assert browser(getattr(cast, who)).get("/members/").status_code == 404


def test_members_are_found_by_name_or_address(cast: Cast) -> None:
    page = browser(cast.admin).get("/members/?q=alice@").content.decode()
    assert "alice@example.org" in page
    assert "bob@example.org" not in page


def test_a_role_is_changed_and_recorded(cast: Cast) -> None:
    browser(cast.admin).post(f"/members/{cast.alice.pk}/role/", {"role": "admin"})
    cast.alice.refresh_from_db()
    assert cast.alice.is_admin
    assert AuditEvent.objects.filter(action="changed", object_id=str(cast.alice.pk)).exists()


@pytest.mark.parametrize("step", ["role", "remove"])
def test_another_organizations_admin_changes_nothing(cast: Cast, step: str) -> None:
    response = browser(cast.charlie).post(f"/members/{cast.alice.pk}/{step}/", {"role": "admin"})
    assert response.status_code == 404
    cast.alice.refresh_from_db()
    assert not cast.alice.is_admin


def test_a_removed_member_reads_nothing_more(cast: Cast) -> None:
    client = browser(cast.alice)
    browser(cast.admin).post(f"/members/{cast.alice.pk}/remove/")
    assert client.get("/").status_code == 403


@pytest.mark.parametrize("step", ["role", "remove"])
def test_the_last_admin_stays(cast: Cast, step: str) -> None:
    response = browser(cast.admin).post(f"/members/{cast.admin.pk}/{step}/", {"role": "member"}, follow=True)
    assert "left without an admin" in response.content.decode()
    assert Membership.objects.get(pk=cast.admin.pk).is_admin


def test_an_inactive_admin_does_not_count(cast: Cast) -> None:
    cast.bob.role = "admin"
    cast.bob.save()
    cast.bob.user.is_active = False
    cast.bob.user.save()
    browser(cast.admin).post(f"/members/{cast.admin.pk}/remove/")
    assert Membership.objects.filter(pk=cast.admin.pk).exists()


def test_a_member_is_not_invited_again(cast: Cast) -> None:
    data = {"email": "alice@example.org", "role": "member"}
    response = browser(cast.admin).post("/members/invite/", data, follow=True)
    assert "already belongs" in response.content.decode()
    assert not Invitation.objects.exists()
