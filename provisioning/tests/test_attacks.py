"""What a directory that is hostile, or broken, tried."""

import time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.invitations import accept_invitation, create_invitation
from accounts.models import Invitation, Membership
from provisioning.models import DirectoryGroup, DirectoryUser
from tests.directories import GROUP, USER, Directory, token_for
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory, MembershipFactory, UserFactory
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def directory(people: People) -> Directory:
    return Directory(token_for(people.ada))


def id_of(member: Membership) -> str:
    return str(DirectoryUser.objects.get(membership=member).pk)


def group_of(directory: Directory, *some: Membership) -> str:
    made = directory.make_group("Librarians", *map(id_of, some))
    assert made.status_code == 201, made.content
    return str(made.json()["id"])


def in_group(pk: str) -> set[str]:
    return {str(one) for one in DirectoryGroup.objects.get(pk=pk).users.values_list("pk", flat=True)}


# ── attributes' names are of any case (RFC 7643 §2.1) ───────────────────────────────────────────────────────────────


def test_the_members_of_a_group_are_named_in_any_case(people: People, directory: Directory) -> None:
    pk = group_of(directory, people.alice)
    body = {"schemas": [GROUP], "displayName": "Librarians", "Members": [{"Value": id_of(people.bob)}]}
    assert directory.send("PUT", f"Groups/{pk}", body).status_code == 200
    assert in_group(pk) == {id_of(people.bob)}
    operations = {"operations": [{"OP": "Add", "Path": "MEMBERS", "VALUE": [{"VALUE": id_of(people.ada)}]}]}
    answer = directory.send("PATCH", f"Groups/{pk}", {"schemas": ["x"], **operations})
    assert answer.status_code == 200, answer.content
    assert in_group(pk) == {id_of(people.bob), id_of(people.ada)}


def test_an_attribute_is_named_once(people: People, directory: Directory) -> None:
    """Which of the two was meant nobody can tell; the last one would have switched the member on."""
    body = {"schemas": [USER], "userName": people.alice.user.email, "active": False, "Active": True}
    assert directory.send("PUT", f"Users/{id_of(people.alice)}", body).status_code == 400
    group = {"schemas": [GROUP], "displayName": "x", "members": [], "Members": []}
    assert directory.send("POST", "Groups", group).status_code == 400


def test_the_longer_of_two_paths_is_not_begun(people: People, directory: Directory) -> None:
    longer = "emails[" + " and ".join(['type eq "x"'] * 20_000) + "].value"
    directory.patch(
        f"Users/{id_of(people.alice)}", {"op": "add", "value": 1, "path": "no"}
    )  # what imports take is paid
    for operation in ({"PATH": "displayName", "path": longer}, {"path": "displayName", "PATH": longer}):
        began = time.process_time()
        answer = directory.patch(f"Users/{id_of(people.alice)}", {"op": "add", "value": "a@b.test", **operation})
        assert answer.status_code == 400
        assert time.process_time() - began < 1


# ── what is no value changes nothing ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "members"},
        {"op": "add", "path": "members"},
        *(
            {"op": verb, "path": "members", "value": value}
            for verb in ("add", "replace")
            for value in (0, "", False, {})
        ),
        *({"op": "remove", "path": "members", "value": value} for value in (0, "", False, {})),
        {"op": "replace", "value": {"members": 0}},
    ],
)
def test_an_operation_without_a_value_empties_no_group(operation: Any, people: People, directory: Directory) -> None:
    pk = group_of(directory, people.alice)
    assert directory.patch(f"Groups/{pk}", operation).status_code == 400
    assert in_group(pk) == {id_of(people.alice)}


@pytest.mark.parametrize("path", ["members.value", "members.display", 'members[value eq "{}"].display'])
def test_a_part_of_a_member_that_is_removed_takes_no_member(path: str, people: People, directory: Directory) -> None:
    pk = group_of(directory, people.alice)
    operation = {"op": "remove", "path": path.format(id_of(people.alice))}
    assert directory.patch(f"Groups/{pk}", operation).json()["scimType"] == "noTarget"
    assert in_group(pk) == {id_of(people.alice)}


@pytest.mark.parametrize("members", [0, "", False, {}, "x", 1])
def test_members_that_are_no_list_replace_none(members: Any, people: People, directory: Directory) -> None:
    pk = group_of(directory, people.alice)
    body = {"schemas": [GROUP], "displayName": "Librarians", "members": members}
    assert directory.send("PUT", f"Groups/{pk}", body).status_code == 400
    assert in_group(pk) == {id_of(people.alice)}


@pytest.mark.parametrize("value", ["x", "", "\u202e"])
def test_a_refusal_says_nothing_of_the_libraries_behind_it(value: str, people: People, directory: Directory) -> None:
    answer = directory.patch(f"Users/{id_of(people.alice)}", {"op": "replace", "path": "active", "value": value})
    assert (answer.status_code, answer.json()["scimType"]) == (400, "invalidValue")
    assert "pydantic" not in answer.content.decode()


# ── time in proportion to what is sent ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "value",
    [
        {"members[" + " and ".join(['value eq "x"'] * 20_000) + "]": 1},
        {"urn:" + "a:" * 200_000 + "members": []},
        {f"urn:a:{n}:nothing": 1 for n in range(20_000)},
    ],
    ids=["terms", "parts", "names"],
)
def test_names_in_the_value_of_an_operation_are_as_few_and_short_as_operations(
    value: Any, people: People, directory: Directory
) -> None:
    pk, began = group_of(directory, people.alice), time.process_time()
    answer = directory.patch(f"Groups/{pk}", {"op": "add", "value": value})
    assert answer.status_code == 400, answer.content
    assert time.process_time() - began < 1


@pytest.mark.parametrize("path", ["Me", "Bulk", "Users/.search", ".search"])
def test_what_is_not_offered_is_said_to_directories_alone_and_is_no_error_of_ours(
    path: str, directory: Directory, caplog: pytest.LogCaptureFixture
) -> None:
    assert Client().get(f"/scim/v2/{path}").status_code == 401
    caplog.clear()
    assert directory.get(path).status_code == 501
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("WARNING", f"Not Implemented: /scim/v2/{path}")
    ]


# ── switched off ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_who_is_switched_off_while_an_answer_is_made_finds_nothing_more(people: People, directory: Directory) -> None:
    """As who is removed: the membership of a request that runs on is what it was when that began."""
    agent = AgentFactory(organization=people.alice.organization)
    corpus = CorpusFactory(organization=people.alice.organization, corpus_type="global", owner=None)
    AssignmentFactory(agent=agent, corpus=corpus)
    assert agent.scope_for(people.alice).global_ids == {corpus.pk}
    directory.patch(f"Users/{id_of(people.alice)}", {"op": "replace", "path": "active", "value": False})
    assert not agent.scope_for(people.alice).global_ids
    assert agent.scope_for(people.bob).global_ids == {corpus.pk}


def test_a_member_who_came_under_an_address_that_an_entry_has_can_be_switched_off(
    people: People, directory: Directory
) -> None:
    """An entry may have another address than the account it is of, so that a newcomer's may be there already."""
    renamed = [{"value": "new@here.test"}]
    directory.patch(f"Users/{id_of(people.alice)}", {"op": "replace", "path": "emails", "value": renamed})
    nia = MembershipFactory(user__email="new@here.test", organization=people.ada.organization)
    answer = directory.patch(f"Users/{id_of(nia)}", {"op": "replace", "path": "active", "value": False})
    assert answer.status_code == 200, answer.content
    assert not Membership.objects.active().filter(pk=nia.pk).exists()


def test_who_joins_locks_the_members_before_the_invitation(people: People) -> None:
    """As a directory does, which withdraws one: otherwise each would wait for the other, and the database end one."""
    user = UserFactory(email="new@here.test")
    invitation, _token = create_invitation(user.email, "member", people.ada)
    with CaptureQueriesContext(connection) as said:
        assert accept_invitation(invitation, user)
    statements = [one["sql"] for one in said.captured_queries]
    wanted = ('FROM "accounts_organization"', 'UPDATE "accounts_invitation"')
    locked, taken = (next((n for n, sql in enumerate(statements) if one in sql), None) for one in wanted)
    assert locked is not None
    assert taken is not None
    assert locked < taken


# ── addresses ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\u2060", "\ufeff"])
def test_an_address_has_no_letters_that_nobody_sees(unseen: str, people: People, directory: Directory) -> None:
    """It would be invited beside the same address without them, and look like it to admins."""
    host = people.alice.user.email.partition("@")[2]
    answer = directory.make_user("x", emails=[{"value": f"ceo@{host[:3]}{unseen}{host[3:]}"}])
    assert answer.status_code == 400, answer.content
    assert not Invitation.objects.exists()


def test_an_address_that_no_mail_can_go_to_is_refused(directory: Directory) -> None:
    """An ideographic full stop: Django's check takes it, and sending fails, when everything is written already."""
    answer = directory.make_user("x", emails=[{"value": "ceo@\u3002here.test"}])
    assert (answer.status_code, answer.json()["scimType"]) == (400, "invalidValue"), answer.content
