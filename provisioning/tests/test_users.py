"""What a directory does with people: invited, found, changed, switched off and on, removed."""

import time
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts import audit, keys
from accounts.invitations import accept_invitation, accept_invitation_as_new_user, create_invitation
from accounts.models import Invitation, Membership, User
from provisioning.models import DirectoryUser
from tests.directories import PATCH, USER, Directory, id_of, switch_off, token_for
from tests.factories import MembershipFactory, UserFactory
from tests.limits import limit, stop_the_clock
from tests.people import People, signed_in, with_secret

pytestmark = pytest.mark.django_db
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"


@pytest.fixture
def directory(people: People) -> Directory:
    return Directory(token_for(people.ada))


def test_who_is_a_member_already_is_found(people: People, directory: Directory) -> None:
    listed = directory.get("Users").json()
    assert listed["totalResults"] == 3
    assert {one["userName"] for one in listed["Resources"]} == {
        people.alice.user.email, people.bob.user.email, people.ada.user.email,
    }  # fmt: skip
    assert all(one["active"] for one in listed["Resources"])


def test_a_new_address_is_invited_and_is_nobodys_account(
    people: People, directory: Directory, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        made = directory.make_user("new@here.test", externalId="7", name={"givenName": "Nia", "familyName": "Doe"})
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["userName"], told["externalId"], told["active"]) == ("new@here.test", "7", True)
    assert made.headers["Location"].endswith(f"/scim/v2/Users/{told['id']}")
    assert not User.objects.filter(email="new@here.test").exists()
    (sent,) = mail.outbox
    assert sent.to == ["new@here.test"]
    assert "/invitations/" in str(sent.body)
    assert "None" not in str(sent.body)
    assert Invitation.objects.get(email="new@here.test").organization == people.ada.organization


def test_who_joins_is_whom_the_directory_speaks_of(people: People, directory: Directory) -> None:
    made = directory.make_user("new@here.test").json()
    invitation, _token = offered(people, "new@here.test")
    member = accept_invitation_as_new_user(invitation, "Nia", "a-long-password-of-hers")
    assert member is not None
    assert DirectoryUser.objects.get(pk=made["id"]).membership == member
    off = directory.patch(f"Users/{made['id']}", {"op": "replace", "path": "active", "value": False})
    assert off.json()["active"] is False
    assert signed_in(member).get("/api/corpora/").status_code == 401


def offered(people: People, email: str) -> tuple[Invitation, str]:
    Invitation.objects.filter(email=email).delete()
    return create_invitation(email, "member", people.ada)


def test_whether_an_address_has_an_account_elsewhere_is_not_told(people: People, directory: Directory) -> None:
    """The same status, the same words, and nothing of the account is touched."""
    victim, before = people.charlie.user, User.objects.filter(pk=people.charlie.user_id).values().get()
    told = [directory.make_user(one) for one in (victim.email, "nobody-at-all@here.test")]
    said = [
        {key: value for key, value in one.json().items() if key not in ("id", "meta", "userName", "emails")}
        for one in told
    ]
    assert [one.status_code for one in told] == [201, 201]
    assert said[0] == said[1]
    assert User.objects.filter(pk=victim.pk).values().get() == before
    assert not Membership.objects.filter(user=victim, organization=people.ada.organization).exists()
    names = directory.get(f"Users/{told[0].json()['id']}").content.decode()
    assert victim.name not in names


def test_a_persons_account_is_never_changed(people: People, directory: Directory) -> None:
    pk, before = id_of(directory, people.alice), User.objects.filter(pk=people.alice.user_id).values().get()
    body = {
        "schemas": [USER], "userName": "other@here.test", "displayName": "Renamed", "password": "taken-over-1234",
        "emails": [{"value": "other@here.test", "primary": True}], "active": True,
    }  # fmt: skip
    assert directory.send("PUT", f"Users/{pk}", body).status_code == 200
    assert directory.found("Users", 'userName eq "OTHER@here.test"')[0]["displayName"] == "Renamed"
    assert User.objects.filter(pk=people.alice.user_id).values().get() == before


def test_the_last_admin_is_not_locked_out(people: People, directory: Directory) -> None:
    pk = id_of(directory, people.ada)
    for way in ("entra", "okta", "put", "delete"):
        answer = switch_off(directory, pk, way)
        assert answer.status_code == 409, way
        assert answer.json()["schemas"] == [ERROR]
        assert "admin" in answer.json()["detail"]
    assert Membership.objects.active().filter(pk=people.ada.pk).exists()
    assert directory.get(f"Users/{pk}").json()["active"] is True


def test_who_waits_is_switched_off_by_taking_the_invitation_back(people: People, directory: Directory) -> None:
    pk = directory.make_user("new@here.test").json()["id"]
    assert switch_off(directory, pk, "entra").json()["active"] is False
    assert not Invitation.objects.filter(email="new@here.test").exists()
    assert directory.patch(f"Users/{pk}", {"op": "add", "path": "active", "value": True}).status_code == 200
    assert Invitation.objects.filter(email="new@here.test").count() == 1
    assert directory.send("DELETE", f"Users/{pk}").status_code == 204
    assert not Invitation.objects.filter(email="new@here.test").exists()
    assert directory.get(f"Users/{pk}").status_code == 404


def test_who_is_switched_off_before_joining_joins_switched_off(people: People, directory: Directory) -> None:
    """By another way than an invitation, as a sign-in of the organization's own is one."""
    pk = directory.make_user("new@here.test", active=False).json()["id"]
    member = MembershipFactory(organization=people.ada.organization, user=UserFactory(email="new@here.test"))
    assert not Membership.objects.active().filter(pk=member.pk).exists()
    assert directory.get(f"Users/{pk}").json()["active"] is False


def test_a_changed_address_moves_the_invitation(people: People, directory: Directory) -> None:
    pk = directory.make_user("old@here.test").json()["id"]
    directory.patch(f"Users/{pk}", {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "new@here.test"})
    assert list(Invitation.objects.filter(email__endswith="@here.test").values_list("email", flat=True)) == [
        "new@here.test"
    ]
    assert directory.found("Users", 'emails[type eq "work" and value eq "new@here.test"]')[0]["id"] == pk


def test_somebody_is_there_once(people: People, directory: Directory) -> None:
    assert directory.make_user("new@here.test").status_code == 201
    again = directory.make_user("NEW@here.test")
    assert (again.status_code, again.json()["scimType"], again.json()["status"]) == (409, "uniqueness", "409")


def test_a_member_is_claimed_by_address(people: People, directory: Directory) -> None:
    """Whose userName in the directory is not the address that they were invited by."""
    emails = [{"value": people.bob.user.email, "type": "work", "primary": True}]
    claimed = directory.make_user("bob.here", emails=emails, externalId="b-1")
    assert claimed.status_code == 201
    assert DirectoryUser.objects.get(external_id="b-1").membership == people.bob
    assert directory.make_user("other", emails=emails).status_code == 409


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('userName eq "ALICE@HERE.TEST"', 1),
        ('emails.value eq "alice@here.test"', 1),
        ('externalId eq "e-1" and active eq true', 1),
        ('externalId eq "E-1"', 0),
        ('displayName eq "alice a."', 1),
        ('urn:ietf:params:scim:schemas:core:2.0:User:userName eq "alice@here.test"', 1),
        ('userName eq "%"', 0),
        ('userName eq "\\u0000"', 0),
        ('id eq "no id"', 0),
    ],
)
def test_filters_find(said: str, found: int, people: People, directory: Directory) -> None:
    directory.make_user("alice@here.test", externalId="e-1", displayName="Alice A.")
    assert len(directory.found("Users", said)) == found


@pytest.mark.parametrize(
    "said",
    [
        'userName sw "a"', 'userName eq "a" or active eq true', "not (active eq true)", 'password eq "x"', "userName",
        '"', "not (" * 150 + "active eq true" + ")" * 150, " and ".join(["active eq true"] * 50),
        "x" * 2000, 'active eq "',
        'emails[type eq "work"]', 'meta.created gt "2020-01-01T00:00:00Z"',
    ],
)  # fmt: skip
def test_other_filters_are_refused(said: str, directory: Directory) -> None:
    answer = directory.get("Users", filter=said)
    assert (answer.status_code, answer.json()["scimType"]) == (400, "invalidFilter"), answer.content


def test_lists_come_in_pages(people: People, directory: Directory) -> None:
    page = directory.get("Users", startIndex=2, count=1).json()
    assert (page["totalResults"], page["startIndex"], page["itemsPerPage"], len(page["Resources"])) == (3, 2, 1, 1)
    assert directory.get("Users", count=0).json()["totalResults"] == 3
    assert directory.get("Users", startIndex=-5, count=10_000).json()["itemsPerPage"] == 3
    assert directory.get("Users", count="9" * 40).status_code == 400


def test_only_what_is_asked_for_is_told(people: People, directory: Directory) -> None:
    some = directory.get("Users", attributes="userName").json()["Resources"][0]
    assert set(some) == {"schemas", "id", "userName"}
    others = directory.get("Users", excludedAttributes="emails,displayName").json()["Resources"][0]
    assert "emails" not in others
    assert "userName" in others


def test_names_are_kept_as_they_can_be_shown(directory: Directory) -> None:
    made = directory.make_user("new@here.test", displayName="Nia\u202e\u0007 Doe" + "x" * 500, title="Kept nowhere")
    told = made.json()
    assert told["displayName"] == ("Nia Doe" + "x" * 500)[:150]
    assert "title" not in told


@pytest.mark.parametrize(
    "fields",
    [
        {"userName": "a\u202eb@here.test"}, {"userName": "x" * 300}, {"userName": " "}, {"userName": 7},
        {"userName": "no-address"}, {"emails": [{"value": "no-address"}]}, {"emails": "x"}, {"active": "perhaps"},
        {"externalId": "x" * 300}, {"externalId": "a\nb"}, {"name": "x"}, {"emails": [{"value": "a@b.test"}] * 3000},
        {"schemas": ["urn:x"]}, {"userName": "new@here.test\r\nBcc: x@y.test"},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(fields: dict[str, Any], directory: Directory) -> None:
    answer = directory.send("POST", "Users", {"schemas": [USER], "userName": "new@here.test", **fields})
    assert answer.status_code == 400, answer.content
    assert answer.json()["scimType"] in ("invalidValue", "invalidSyntax", "tooMany")
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("body", [b" ", b"{", b"[]", b"[" * 5000, b'"x"', b"\xff", b'{"a":"\\u0000"}'])
def test_what_is_no_user_is_refused(body: bytes, directory: Directory) -> None:
    for method, path in (("POST", "Users"), ("POST", "Groups")):
        answer = directory.send(method, path, body)
        assert (answer.status_code, answer.json()["schemas"]) == (400, [ERROR])


@pytest.mark.parametrize(
    "operations",
    [
        [{"op": "add", "path": "emails[" + " and ".join(['type eq "x"'] * 40_000) + "].value", "value": "a@b.test"}],
        [{"op": "add", "PATH": "emails[" + "(" * 300_000 + 'type eq "x"' + ")" * 300_000 + "]", "value": "a@b.test"}],
        [{"op": "add", "value": {"a" * 500_000: 1}}],
        [{"op": "add", "value": {"emails[" + " and ".join(['type eq "x"'] * 40_000) + "].value": "a@b.test"}}],
        [{"op": "replace", "path": "displayName", "value": "x"}] * 1_000,
        [{"op": "add", "path": "emails", "value": [{"value": f"{n}@b.test"} for n in range(9_000)]}],
    ],
    ids=range(6),
)
def test_operations_that_would_take_long_are_not_begun(operations: Any, people: People, directory: Directory) -> None:
    pk, began = id_of(directory, people.alice), time.process_time()
    answer = directory.patch(f"Users/{pk}", *operations)
    assert (answer.status_code, answer.json()["scimType"]) == (400, "tooMany"), answer.content
    assert time.process_time() - began < 1


def test_nothing_else_opens_it_and_it_opens_nothing_else(people: People) -> None:
    token = token_for(people.ada)
    key = keys.issue_key(people.ada)[1]
    for client in (Client(), signed_in(people.ada), with_secret(key), with_secret("acvscim_x"), with_secret("")):
        answer = client.get("/scim/v2/Users")
        assert (answer.status_code, answer.headers["Content-Type"]) == (401, "application/scim+json")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    for path in ("/api/corpora/", "/v1/models", "/account/", "/admin/"):
        assert with_secret(token).get(path).status_code in (401, 302)


def test_another_organizations_directory_meets_nobody_of_ours(people: People, directory: Directory) -> None:
    theirs = Directory(token_for(people.zoe))
    pk = id_of(directory, people.bob)
    group = directory.make_group("Ours", pk).json()["id"]
    body = {"schemas": [USER], "userName": "x@there.test"}
    never = "00000000-0000-4000-8000-000000000000"
    for path in (f"Users/{pk}", f"Groups/{group}"):
        kind = path.partition("/")[0]
        for method in ("GET", "PUT", "DELETE"):
            told = theirs.send(method, path, body)
            assert told.status_code == 404
            assert told.content == theirs.send(method, f"{kind}/{never}", body).content
        assert theirs.patch(path, {"op": "replace", "path": "active", "value": False}).status_code == 404
    assert theirs.found("Users", f'id eq "{pk}"') == []
    assert theirs.found("Groups", f'members eq "{pk}"') == []
    assert theirs.make_group("Theirs", pk).status_code == theirs.make_group("Theirs", never).status_code == 400
    assert Membership.objects.active().filter(pk=people.bob.pk).exists()


def test_requests_are_counted(directory: Directory, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(settings, writes=2)
    stop_the_clock(monkeypatch)
    answers = [directory.get("Users") for _again in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert answers[-1].json()["schemas"] == [ERROR]


def test_what_entra_and_okta_send_is_taken(people: People, directory: Directory) -> None:
    """Bodies as their documentation and their logs have them."""
    enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
    entra = {
        "schemas": [USER, enterprise], "externalId": "58342554-38d6-4ec8-948c-50044d0a33fd",
        "userName": "Test_User_feed3ace@here.test", "active": True, "displayName": "lennay",
        "emails": [{"primary": True, "type": "work", "value": "Test_User_feed3ace@here.test"}],
        "meta": {"resourceType": "User"}, "name": {"formatted": "givenName familyName", "familyName": "familyName",
        "givenName": "givenName"}, "roles": [], enterprise: {"department": "bob", "manager": "x"},
    }  # fmt: skip
    made = directory.send("POST", "Users", entra)
    assert made.status_code == 201, made.content
    pk = made.json()["id"]
    changed = directory.patch(
        f"Users/{pk}",
        {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "updated@here.test"},
        {"op": "Replace", "path": "name.familyName", "value": "updatedFamilyName"},
        {"op": "Add", "path": f"{enterprise}:department", "value": "Sales"},
        {"op": "Add", "path": 'phoneNumbers[type eq "work"].value', "value": "1"},
        {
            "op": "Replace",
            "value": {"displayName": "Lennay F.", "name.givenName": "Len", f"{enterprise}:division": "x"},
        },
    )
    assert changed.status_code == 200, changed.content
    told = changed.json()
    assert (told["emails"][0]["value"], told["name"]["familyName"]) == ("updated@here.test", "updatedFamilyName")
    assert (told["displayName"], told["name"]["givenName"]) == ("Lennay F.", "Len")
    okta = {
        "schemas": [USER], "userName": "test.user@okta.local", "name": {"givenName": "Test", "familyName": "User"},
        "emails": [{"primary": True, "value": "test.user@okta.local", "type": "work"}], "displayName": "Test User",
        "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq", "active": True,
    }  # fmt: skip
    made = directory.send("POST", "Users", okta, kind="application/scim+json; charset=utf-8")
    assert made.status_code == 201, made.content
    assert "password" not in made.content.decode()
    pk = made.json()["id"]
    back = directory.send("PUT", f"Users/{pk}", {**made.json(), "active": False})
    assert back.json()["active"] is False
    assert directory.send("PATCH", f"Users/{pk}", {"schemas": [PATCH], "Operations": [
        {"op": "replace", "value": {"active": True}}]}).json()["active"] is True  # fmt: skip


def test_an_existing_account_accepts_as_with_any_invitation(people: People, directory: Directory) -> None:
    made = directory.make_user(people.charlie.user.email).json()
    invitation, _token = offered(people, people.charlie.user.email)
    member = accept_invitation(invitation, people.charlie.user)
    assert DirectoryUser.objects.get(pk=made["id"]).membership == member
    assert audit.AuditEvent.objects.filter(action="created", object_id=made["id"], actor=None).exists()


def test_who_is_taken_in_and_let_go_over_and_over_gets_five_mails_a_day(
    directory: Directory, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        for _turn in range(8):
            made = directory.make_user("victim@here.test")
            assert made.status_code == 201
            assert directory.send("DELETE", f"Users/{made.json()['id']}").status_code == 204
        directory.make_user("other@here.test")
    assert [one.to for one in mail.outbox] == [["victim@here.test"]] * 5 + [["other@here.test"]]
