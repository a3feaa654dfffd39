"""Groups of a directory, as Entra ID and Okta send them, and the one that makes admins."""

import time
from typing import Any

import pytest

from accounts.models import AuditEvent, Membership
from provisioning.groups import map_to_admins
from provisioning.models import DirectoryGroup
from tests.directories import GROUP, Directory, directory_user_of, token_for
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def directory(people: People) -> Directory:
    return Directory(token_for(people.ada))


@pytest.fixture
def ids(people: People, directory: Directory) -> dict[str, str]:
    found = directory.get("Users").json()["Resources"]
    by_address = {one["userName"]: one["id"] for one in found}
    return {
        name: by_address[member.user.email]
        for name, member in (("alice", people.alice), ("bob", people.bob), ("ada", people.ada))
    }


def members(directory: Directory, pk: str) -> set[str]:
    return {one["value"] for one in directory.get(f"Groups/{pk}").json().get("members", ())}


def role(member: Membership) -> str:
    return Membership.objects.get(pk=member.pk).role


def test_a_group_is_made_found_and_removed(directory: Directory, ids: dict[str, str]) -> None:
    made = directory.make_group("Librarians", ids["alice"])
    assert made.status_code == 201, made.content
    told = made.json()
    assert [one["value"] for one in told["members"]] == [ids["alice"]]
    assert directory.found("Groups", 'displayName eq "librarians"')[0]["id"] == told["id"]
    assert directory.found("Groups", f'id eq "{told["id"]}" and members eq "{ids["alice"]}"')
    assert not directory.found("Groups", f'members.value eq "{ids["bob"]}"')
    assert "members" not in directory.get("Groups", excludedAttributes="members").json()["Resources"][0]
    assert directory.send("DELETE", f"Groups/{told['id']}").status_code == 204
    assert directory.get(f"Groups/{told['id']}").status_code == 404


def entra_add(*some: str) -> dict[str, Any]:
    return {"op": "Add", "path": "members", "value": [{"$ref": None, "value": one} for one in some]}


@pytest.mark.parametrize(
    ("operations", "left"),
    [
        (lambda a, b, c: [entra_add(c)], "abc"),
        (lambda a, b, c: [{"op": "Remove", "path": "members", "value": [{"value": a}]}], "b"),
        (lambda a, b, c: [{"op": "Remove", "path": f'members[value eq "{a}"]'}], "b"),
        (lambda a, b, c: [{"op": "remove", "path": f'members[value eq "{a}"]'}, {"op": "add", "path": "members",
                          "value": [{"value": c, "display": "x"}]}], "bc"),
        (lambda a, b, c: [{"op": "replace", "path": "members", "value": [{"value": c}]}], "c"),
        (lambda a, b, c: [{"op": "replace", "value": {"displayName": "Renamed", "id": "ignored"}}], "ab"),
        (lambda a, b, c: [{"op": "add", "value": {"members": [{"value": c}]}}], "abc"),
        (lambda a, b, c: [{"op": "remove", "path": "members"}], ""),
        (lambda a, b, c: [{"op": "Add", "path": "members", "value": {"value": c}}], "abc"),
        (lambda a, b, c: [{"op": "Replace", "path": "externalId", "value": "g-1"}], "ab"),
        (lambda a, b, c: [{"op": "remove", "path": 'members[value eq "nobody"]'}], "ab"),
    ],
)  # fmt: skip
def test_operations_of_entra_and_okta(operations: Any, left: str, directory: Directory, ids: dict[str, str]) -> None:
    named = {"a": ids["alice"], "b": ids["bob"], "c": ids["ada"]}
    pk = directory.make_group("Librarians", named["a"], named["b"]).json()["id"]
    answer = directory.patch(f"Groups/{pk}", *operations(*named.values()))
    assert answer.status_code == 200, answer.content
    assert members(directory, pk) == {named[one] for one in left}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": "members", "value": [{"value": "no id"}]},
        {"op": "add", "path": "members", "value": [{"value": "00000000-0000-4000-8000-000000000000"}]},
        {"op": "add", "path": "members", "value": ["x"]},
        {"op": "add", "path": "members[", "value": "x"},
        {"op": "replace", "path": "displayName", "value": ""},
        {"op": "replace", "path": "displayName", "value": "a\u202eb"},
        {"op": "remove", "path": "displayName"},
        {"op": "remove"},
        {"op": "move", "path": "members"},
        {"op": ["add"], "path": "members"},
        {"op": "remove", "path": 'members[display eq "x"]'},
        "x",
    ],
)
def test_other_operations_are_refused(operation: Any, directory: Directory, ids: dict[str, str]) -> None:
    pk = directory.make_group("Librarians", ids["alice"]).json()["id"]
    answer = directory.patch(f"Groups/{pk}", operation)
    assert answer.status_code == 400, answer.content
    assert answer.json()["scimType"]
    assert members(directory, pk) == {ids["alice"]}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "value": {f"x{n}": 1 for n in range(50_000)}},
        {"op": "add", "value": {"members[" + "(" * 200_000: 1}},
        {"op": "remove", "path": "members[" + " or ".join(['value eq "x"'] * 40_000) + "]"},
        {"op": "add", "path": "members", "value": [{"value": "x"}] * 30_000},
    ],
    ids=range(4),
)
def test_what_would_take_long_is_not_begun(operation: Any, directory: Directory, ids: dict[str, str]) -> None:
    pk, began = directory.make_group("Librarians", ids["alice"]).json()["id"], time.process_time()
    answer = directory.patch(f"Groups/{pk}", operation)
    assert (answer.status_code, answer.json()["scimType"]) == (400, "tooMany"), answer.content
    body = {"schemas": [GROUP], "displayName": "x", **{f"x{n}": 1 for n in range(50_000)}}
    assert directory.send("POST", "Groups", body).json()["scimType"] == "tooMany"
    assert time.process_time() - began < 2


def test_a_group_is_replaced(directory: Directory, ids: dict[str, str]) -> None:
    pk = directory.make_group("Librarians", ids["alice"]).json()["id"]
    body = {"schemas": [GROUP], "id": pk, "displayName": "Readers", "members": [{"value": ids["bob"]}]}
    assert directory.send("PUT", f"Groups/{pk}", body).json()["displayName"] == "Readers"
    assert members(directory, pk) == {ids["bob"]}


def mapped(people: People, directory: Directory, *some: str) -> str:
    pk = str(directory.make_group("Admins", *some).json()["id"])
    map_to_admins(people.ada, DirectoryGroup.objects.get(pk=pk), True)
    return pk


def test_a_mapped_group_makes_admins_and_members_at_once(
    people: People, directory: Directory, ids: dict[str, str]
) -> None:
    pk = mapped(people, directory, ids["alice"])
    assert role(people.alice) == "admin"
    directory.patch(f"Groups/{pk}", entra_add(ids["bob"]))
    assert role(people.bob) == "admin"
    directory.patch(f"Groups/{pk}", {"op": "Remove", "path": f'members[value eq "{ids["alice"]}"]'})
    assert (role(people.alice), role(people.bob), role(people.ada)) == ("member", "admin", "admin")
    assert directory.send("DELETE", f"Groups/{pk}").status_code == 204
    assert (role(people.bob), role(people.ada)) == ("member", "admin")
    said = AuditEvent.objects.filter(action="changed", object_id=str(people.bob.pk))
    assert {(one.actor_id, one.changes["by_directory"]) for one in said} == {(None, True)}


def test_a_group_that_is_not_mapped_makes_nobody_anything(
    people: People, directory: Directory, ids: dict[str, str]
) -> None:
    pk = directory.make_group("Admins", ids["alice"], ids["ada"]).json()["id"]
    directory.patch(f"Groups/{pk}", {"op": "remove", "path": "members"})
    assert (role(people.alice), role(people.ada)) == ("member", "admin")


def test_who_is_in_two_mapped_groups_stays_an_admin(people: People, directory: Directory, ids: dict[str, str]) -> None:
    one, other = (mapped(people, directory, ids["alice"]) for _both in range(2))
    directory.send("DELETE", f"Groups/{one}")
    assert role(people.alice) == "admin"
    map_to_admins(people.ada, DirectoryGroup.objects.get(pk=other), False)
    assert role(people.alice) == "member"


def test_a_group_never_takes_the_last_admin(people: People, directory: Directory, ids: dict[str, str]) -> None:
    pk = mapped(people, directory, ids["ada"])
    for send in (
        lambda: directory.patch(f"Groups/{pk}", {"op": "remove", "path": "members"}),
        lambda: directory.send("DELETE", f"Groups/{pk}"),
        lambda: directory.send("PUT", f"Groups/{pk}", {"schemas": [GROUP], "displayName": "x"}),
    ):
        answer = send()
        assert answer.status_code == 409
        assert "admin" in answer.json()["detail"]
    assert role(people.ada) == "admin"
    assert members(directory, pk) == {ids["ada"]}
    changed = directory.patch(f"Groups/{pk}", {"op": "replace", "path": "members", "value": [{"value": ids["bob"]}]})
    assert changed.status_code == 200
    assert (role(people.bob), role(people.ada)) == ("admin", "member")


def test_the_directory_cannot_map_a_group(people: People, directory: Directory, ids: dict[str, str]) -> None:
    body = {"schemas": [GROUP], "displayName": "x", "makes_admins": True, "members": [{"value": ids["alice"]}]}
    assert directory.send("POST", "Groups", body).status_code == 201
    assert role(people.alice) == "member"


def test_a_member_that_is_nobody_is_named(people: People, directory: Directory, ids: dict[str, str]) -> None:
    theirs = str(directory_user_of(people.zoe).pk)
    nobody = "00000000-0000-4000-8000-000000000000"
    for unknown in (theirs, nobody):  # another organization's is nobody here
        answer = directory.make_group("Librarians", ids["alice"], unknown)
        assert (answer.status_code, answer.json()["scimType"]) == (400, "invalidValue")
        assert unknown in answer.json()["detail"]
    both = directory.make_group("Librarians", theirs, ids["alice"], nobody).json()["detail"]
    assert "2" in both
    assert ids["alice"] not in both
