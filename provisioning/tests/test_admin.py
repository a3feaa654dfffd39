"""The pages of a directory in the administration: a token shown once, revoked; a group chosen to make admins."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, Membership
from provisioning.models import DirectoryToken
from provisioning.problems import DirectoryFull
from provisioning.tokens import MOST_TOKENS
from tests.directories import Directory, directory_group_of, directory_user_of, token_for
from tests.people import People, signed_in, with_secret

pytestmark = pytest.mark.django_db
ADD = reverse("admin:provisioning_directorytoken_add")
TOKENS = reverse("admin:provisioning_directorytoken_changelist")


@pytest.fixture
def ada(people: People) -> Client:
    return signed_in(people.ada)


def made(client: Client) -> str:
    page = client.post(ADD, {"name": "Entra ID"}).content.decode()
    (found,) = re.findall(r"acvscim_[\w-]+", page)
    return str(found)


def test_a_token_is_shown_once_and_kept_hashed(ada: Client) -> None:
    secret = made(ada)
    assert Directory(secret).get("Users").status_code == 200
    token = DirectoryToken.objects.get()
    assert token.last_used_at is not None
    assert secret not in repr(DirectoryToken.objects.values().get())
    for page in (TOKENS, reverse("admin:provisioning_directorytoken_change", args=[token.pk])):
        shown = ada.get(page)
        assert shown.status_code == 200
        assert secret not in shown.content.decode()


def test_a_revoked_token_opens_nothing_and_the_other_goes_on(ada: Client) -> None:
    first, second = made(ada), made(ada)
    token = DirectoryToken.objects.earliest("created_at")
    ada.post(TOKENS, {"action": "revoke", "_selected_action": [str(token.pk)]})
    assert [Directory(one).get("Users").status_code for one in (first, second)] == [401, 200]
    assert set(AuditEvent.objects.filter(object_id=str(token.pk)).values_list("action", flat=True)) == {
        "created", "revoked",
    }  # fmt: skip


def test_there_is_an_end_to_tokens(people: People) -> None:
    for _each in range(MOST_TOKENS):
        token_for(people.ada)
    with pytest.raises(DirectoryFull):
        token_for(people.ada)


def test_members_have_no_such_pages(people: People) -> None:
    assert signed_in(people.bob).get(TOKENS).status_code == 404
    assert signed_in(people.bob).post(ADD, {"name": "Mine"}).status_code == 404
    assert not DirectoryToken.objects.exists()


def choose(client: Client, group: Any, chosen: str) -> Any:
    return client.post(reverse("admin:provisioning_directorygroup_change", args=[group.pk]), {"makes_admins": chosen})


def test_an_admin_chooses_which_group_makes_admins(people: People, ada: Client) -> None:
    group = directory_group_of(people.ada.organization, "Librarians", directory_user_of(people.bob))
    assert choose(ada, group, "on").status_code == 302
    assert Membership.objects.get(pk=people.bob.pk).is_admin
    choose(ada, group, "")
    assert not Membership.objects.get(pk=people.bob.pk).is_admin


def test_a_choice_that_would_take_the_last_admin_is_refused(people: People, ada: Client) -> None:
    group = directory_group_of(people.ada.organization, "Librarians", directory_user_of(people.ada))
    choose(ada, group, "on")
    choose(ada, group, "")
    group.refresh_from_db()
    assert group.makes_admins
    assert Membership.objects.get(pk=people.ada.pk).is_admin


def test_an_admin_switches_a_member_off(people: People, ada: Client) -> None:
    page = reverse("admin:accounts_membership_change", args=[people.bob.pk])
    session = signed_in(people.bob)
    assert ada.post(page, {"role": "member"}).status_code == 302
    assert session.get("/api/corpora/").status_code == 401
    ada.post(page, {"role": "member", "is_active": "on"})
    assert session.get("/api/corpora/").status_code == 200
    own = reverse("admin:accounts_membership_change", args=[people.ada.pk])
    ada.post(own, {"role": "admin"})
    assert Membership.objects.active().filter(pk=people.ada.pk).exists()


def test_what_a_directory_keeps_is_shown_in_words(people: People, ada: Client) -> None:
    user = directory_user_of(people.bob)
    group = directory_group_of(people.ada.organization, "Librarians", user)
    for row in (user, group):
        for name, args in (("changelist", []), ("change", [row.pk])):
            page = ada.get(reverse(f"admin:provisioning_{row._meta.model_name}_{name}", args=args)).content.decode()
            assert "Updated at" not in page
            assert "(&#x27;member" not in page
            assert "última modificación" in page.lower()
            assert ("miembro" in page) or row is group


def test_the_audit_log_says_that_it_was_the_directory(people: People, ada: Client) -> None:
    directory = Directory(token_for(people.ada))
    directory.make_user("new@here.test")
    page = ada.get(reverse("admin:accounts_auditevent_changelist"), headers={"Accept-Language": "en"}).content.decode()
    assert "The directory invited new@here.test" in page
    assert with_secret("acvscim_x").get("/scim/v2/Users").status_code == 401
