"""The admin of people: roles, the last admin, keys, the audit log as CSV, operators' pages."""

import asyncio
import csv
import io
import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse

from accounts import audit, keys
from accounts.admin.auditing import log
from accounts.admin.csv_export import escape_cell
from accounts.models import ApiKey, AuditEvent, Membership, Organization, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization() -> Organization:
    return Organization.objects.create(name="Library", slug="library")


def member(organization: Organization, email: str, role: str = "member") -> Membership:
    return Membership.objects.create(user=User.objects.create_user(email), organization=organization, role=role)


@pytest.fixture
def alice(organization: Organization) -> Membership:
    return member(organization, "alice@example.org", "admin")


@pytest.fixture
def bob(organization: Organization) -> Membership:
    return member(organization, "bob@example.org")


@pytest.fixture
def client(alice: Membership) -> Client:
    client = Client()
    client.force_login(alice.user)
    return client


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("operator@example.org"))
    return client


def change(client: Client, row: Any, **fields: Any) -> Any:
    name = f"admin:accounts_{row._meta.model_name}_change"
    return client.post(reverse(name, args=[row.pk]), fields, follow=True)


def test_an_admin_makes_a_member_an_admin(client: Client, bob: Membership) -> None:
    change(client, bob, role="admin", is_active="on")
    bob.refresh_from_db()
    assert bob.role == "admin"
    event = AuditEvent.objects.get()
    assert (event.action, event.object_id, event.changes) == ("changed", str(bob.pk), {"role": "admin"})


def test_a_member_cannot_be_moved_to_another_user_or_organization(client: Client, bob: Membership) -> None:
    elsewhere = Organization.objects.create(name="Elsewhere", slug="elsewhere")
    stranger = User.objects.create_user("stranger@example.org")
    change(client, bob, role="admin", user=str(stranger.pk), organization=str(elsewhere.pk))
    moved = Membership.objects.get(pk=bob.pk)
    assert (moved.user_id, moved.organization_id) == (bob.user_id, bob.organization_id)


def test_the_last_admin_stays_an_admin(client: Client, alice: Membership) -> None:
    response = change(client, alice, role="member")
    alice.refresh_from_db()
    assert alice.role == "admin"
    assert [message.level_tag for message in response.context["messages"]] == ["error"]
    assert not AuditEvent.objects.exists()


def test_the_last_admin_cannot_be_removed_one_by_one_or_together(
    client: Client, alice: Membership, bob: Membership
) -> None:
    client.post(reverse("admin:accounts_membership_delete", args=[alice.pk]), {"post": "yes"})
    everybody = {"action": "delete_selected", "_selected_action": [alice.pk, bob.pk], "post": "yes"}
    client.post(reverse("admin:accounts_membership_changelist"), everybody)
    assert Membership.objects.count() == 2
    assert not AuditEvent.objects.exists()


def test_a_removed_member_loses_the_keys_and_leaves_an_audit_event(client: Client, bob: Membership) -> None:
    keys.issue_key(bob)
    page = client.get(reverse("admin:accounts_membership_delete", args=[bob.pk]))
    assert page.context["model_count"]
    client.post(reverse("admin:accounts_membership_delete", args=[bob.pk]), {"post": "yes"})
    assert not Membership.objects.filter(pk=bob.pk).exists()
    assert not ApiKey.objects.exists()
    assert AuditEvent.objects.filter(action="removed", object_id=str(bob.pk)).exists()


def test_admins_cannot_add_members_without_an_invitation(client: Client) -> None:
    assert client.get(reverse("admin:accounts_membership_add")).status_code == 404


def test_operators_add_members(operator: Client, alice: Membership) -> None:
    new = User.objects.create_user("new@example.org")
    fields = {"user": str(new.pk), "organization": str(alice.organization_id), "role": "member"}
    operator.post(reverse("admin:accounts_membership_add"), fields)
    assert new.memberships.get().organization_id == alice.organization_id
    assert AuditEvent.objects.filter(action="created", object_type="membership").exists()


def test_an_admin_revokes_a_key_and_never_sees_its_hash(client: Client, bob: Membership) -> None:
    key, secret = keys.issue_key(bob, "laptop")
    pages = [
        reverse("admin:accounts_apikey_changelist"),
        reverse("admin:accounts_apikey_change", args=[key.pk]),
    ]
    for page in pages:
        content = client.get(page).content.decode()
        assert key.prefix in content
        assert key.key_hash not in content
        assert secret not in content
    client.post(pages[0], {"action": "revoke", "_selected_action": [str(key.pk)]})
    assert keys.membership_of_key(secret) is None
    assert AuditEvent.objects.filter(action="revoked", object_id=str(key.pk)).exists()


def test_the_audit_log_is_read_only(client: Client, alice: Membership) -> None:
    audit.record(alice, "changed", alice.organization)
    event = AuditEvent.objects.get()
    path = reverse("admin:accounts_auditevent_change", args=[event.pk])
    assert client.post(path, {"action": "forged"}).status_code == 404
    assert client.get(reverse("admin:accounts_auditevent_add")).status_code == 404
    assert client.get(reverse("admin:accounts_auditevent_delete", args=[event.pk])).status_code == 404
    assert AuditEvent.objects.get().action == "changed"


def test_the_audit_log_is_exported_as_csv_without_formulas(
    client: Client, alice: Membership, in_this_thread: None
) -> None:
    User.objects.filter(pk=alice.user_id).update(email="=cmd@example.org")
    audit.record(alice, "@SUM(A1)", alice.organization, flag=True)
    event = AuditEvent.objects.get()
    path = reverse("admin:accounts_auditevent_changelist")
    response = client.post(path, {"action": "export_csv", "_selected_action": [str(event.pk)]})
    assert response["Content-Type"].startswith("text/csv")
    assert "attachment" in response["Content-Disposition"]

    async def download() -> bytes:
        return b"".join([part async for part in response])

    rows = list(csv.reader(io.StringIO(async_to_sync(download)().decode("utf-8-sig"))))
    assert rows[1][1:3] == ["'=cmd@example.org", "'@SUM(A1)"]


@pytest.mark.django_db(transaction=True)
def test_an_export_is_written_as_it_is_read(alice: Membership, monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit log may be longer than memory."""
    monkeypatch.setattr(log, "AUDIT_BATCH", 2)
    for number in range(5):
        audit.record(alice, f"changed {number}", alice.organization)

    async def actions() -> list[list[str]]:
        return [[row[2] for row in batch] async for batch in log.audit_rows(AuditEvent.objects.all())]

    assert asyncio.run(actions()) == [["changed 0", "changed 1"], ["changed 2", "changed 3"], ["changed 4"]]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_never_starts_a_formula(start: str) -> None:
    assert escape_cell(f"{start}1+1") == f"'{start}1+1"
    assert escape_cell(f"1{start}1") == f"1{start}1"


def test_an_empty_cell_stays_empty() -> None:
    assert escape_cell(None) == ""


def test_an_admin_renames_the_own_organization_and_keeps_its_slug(client: Client, organization: Organization) -> None:
    change(client, organization, name="Reading room", slug="taken")
    organization.refresh_from_db()
    assert (organization.name, organization.slug) == ("Reading room", "library")
    assert AuditEvent.objects.get().changes == {"fields": ["name"]}
    assert client.get(reverse("admin:accounts_organization_add")).status_code == 404


def test_operators_make_organizations(operator: Client) -> None:
    operator.post(reverse("admin:accounts_organization_add"), {"name": "New", "slug": "new"})
    assert Organization.objects.filter(slug="new").exists()


def test_nobody_deletes_users_or_organizations(operator: Client, alice: Membership) -> None:
    for name, pk in (("user", alice.user_id), ("organization", alice.organization_id)):
        assert operator.get(reverse(f"admin:accounts_{name}_delete", args=[pk])).status_code == 404


def test_operators_make_and_deactivate_users(operator: Client, bob: Membership) -> None:
    fields = {"email": "New@Example.org", "name": "New", "usable_password": "true"}
    password = {"password1": "correct-horse-battery", "password2": "correct-horse-battery"}
    operator.post(reverse("admin:accounts_user_add"), fields | password)
    assert User.objects.get(email="new@example.org").check_password("correct-horse-battery")
    again = operator.post(reverse("admin:accounts_user_add"), fields | password)
    assert again.status_code == 200
    assert "email" in again.context["adminform"].form.errors
    change(operator, bob.user, email=bob.user.email, name="Bob")
    bob.user.refresh_from_db()
    assert not bob.user.is_active
    assert AuditEvent.objects.get(object_type="user").changes == {"is_active": False}


def test_the_side_bar_offers_operators_pages_to_operators_only(client: Client, operator: Client) -> None:
    users = reverse("admin:accounts_user_changelist").encode()
    assert users not in client.get(reverse("admin:accounts_membership_changelist")).content
    assert users in operator.get(reverse("admin:accounts_membership_changelist")).content


def test_an_operator_without_an_organization_lands_on_the_operators_pages(operator: Client) -> None:
    for name in ("dashboard", "account"):
        answer = operator.get(reverse(name))
        assert (answer.status_code, answer.url) == (302, reverse("admin:index"))  # type: ignore[attr-defined]
    assert operator.get(reverse("dashboard"), follow=True).status_code == 200
    fragment = operator.get(reverse("dashboard"), headers={"HX-Request": "true"})
    assert (fragment.status_code, fragment["HX-Refresh"]) == (204, "true")


@pytest.mark.django_db
def test_anybody_else_without_an_organization_is_told_so(client: Client) -> None:
    client.force_login(User.objects.create_user("nobody@example.org"))
    assert client.get(reverse("dashboard")).status_code == 403


def test_a_page_has_one_main_landmark_and_its_side_bar_beside_it(client: Client) -> None:
    for path in (reverse("admin:index"), reverse("admin:accounts_membership_changelist")):
        page = client.get(path).content.decode()
        assert page.count("<main") == page.count("</main>") == 1
        assert page.count("<aside") == 1
        assert page.index("</aside>") < page.index("<main")
        assert re.search(r"<title>\s*\w", page)
