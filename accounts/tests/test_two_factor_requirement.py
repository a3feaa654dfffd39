"""An organization that asks for two-factor sign-in: nothing opens for members without one, whichever way they come."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, Organization, User
from tests.cast import browser
from tests.doors import with_app
from tests.matrix import API, PAGES, Case
from tests.people import People, signed_in, with_key
from tests.world import World, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

SET_UP = "/accounts/2fa/"
SWITCH = "/account/organization/"  # whoever has none for the one organization may go on in another


@pytest.fixture
def world(standing_world: World) -> World:
    return standing_world


@pytest.fixture
def asked_of(world: World) -> Organization:
    organization = world.people.alice.organization
    Organization.objects.filter(pk=organization.pk).update(requires_two_factor=True)
    return organization


def ask(client: Client, case: Case, world: World) -> Any:
    return send(client, case.method, world.filled(case.path), world.filled(case.body), page=case.page)


@pytest.mark.parametrize("case", API, ids=str)
def test_the_api_refuses_a_session_without_one(case: Case, world: World, asked_of: Organization) -> None:
    answer = ask(signed_in(world.people.alice), case, world)
    assert answer.status_code == 403
    told = answer.json()
    assert told.get("code", told.get("error", {}).get("code") if isinstance(told.get("error"), dict) else None) == (
        "two_factor_required"
    )


@pytest.mark.parametrize("case", [case for case in PAGES if case.path != SWITCH], ids=str)
def test_every_page_leads_to_setting_one_up(case: Case, world: World, asked_of: Organization) -> None:
    for member in (world.people.alice, world.people.ada):
        answer = ask(signed_in(member), case, world)
        assert (answer.status_code, answer["Location"]) == (302, SET_UP)


def test_a_fragment_reloads_the_page_which_leads_there(world: World, asked_of: Organization) -> None:
    answer = signed_in(world.people.alice).get("/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")


def test_the_page_says_who_asks(world: World, asked_of: Organization) -> None:
    page = signed_in(world.people.alice).get(SET_UP, headers={"Accept-Language": "en"}).content.decode()
    assert f"{asked_of} asks for it" in page


def test_with_a_second_factor_everything_is_as_before(world: World, asked_of: Organization) -> None:
    with_app(world.people.alice.user)
    client = signed_in(world.people.alice)
    assert client.get("/").status_code == 200
    assert client.get("/api/corpora/").status_code == 200


def test_recovery_codes_alone_are_none(world: World, asked_of: Organization) -> None:
    from allauth.mfa.models import Authenticator

    Authenticator.objects.create(user=world.people.alice.user, type="recovery_codes", data={})
    assert signed_in(world.people.alice).get("/")["Location"] == SET_UP


def test_keys_go_on_working(world: World, asked_of: Organization) -> None:
    """No password opens them, and programs have no second factor; who has none makes no new one (above)."""
    assert with_key(world.people.alice).get("/api/corpora/").status_code == 200


def test_another_organization_does_not_ask(world: World, asked_of: Organization) -> None:
    assert signed_in(world.people.charlie).get("/").status_code == 200
    assert signed_in(world.people.alice_elsewhere).get("/").status_code == 200


def test_whoever_has_none_can_go_on_in_another_organization(world: World, asked_of: Organization) -> None:
    client = signed_in(world.people.alice)
    client.post(SWITCH, {"organization": str(world.people.alice_elsewhere.organization_id)})
    assert client.get("/").status_code == 200


def test_the_admin_site_opens_for_admins_with_one_alone(world: World, asked_of: Organization) -> None:
    index = reverse("admin:index")
    client = signed_in(world.people.ada)
    assert client.get(index)["Location"] == SET_UP
    assert client.get(reverse("admin:accounts_user_changelist"))["Location"] == SET_UP
    with_app(world.people.ada.user)
    assert client.get(index).status_code == 200


def test_operators_need_one_as_soon_as_any_organization_asks(world: World) -> None:
    operator = Client()
    user = User.objects.create_superuser("operator@example.org")
    operator.force_login(user)
    index = reverse("admin:index")
    assert operator.get(index).status_code == 200
    Organization.objects.filter(pk=world.people.charlie.organization_id).update(requires_two_factor=True)
    assert operator.get(index)["Location"] == SET_UP
    with_app(user)
    assert operator.get(index).status_code == 200


def test_an_admin_asks_for_it_and_takes_it_back(people: People) -> None:
    with_app(people.ada.user)
    client = signed_in(people.ada)
    client.post("/members/two-factor/", {"required": "1"})
    assert signed_in(people.bob).get("/")["Location"] == SET_UP
    client.post("/members/two-factor/", {"required": ""})
    assert signed_in(people.bob).get("/").status_code == 200
    told = [event.changes for event in AuditEvent.objects.filter(actor=people.ada.user).order_by("created_at")]
    assert told == [{"requires_two_factor": True}, {"requires_two_factor": False}]


def test_an_admin_without_one_is_led_to_set_it_up_first(people: People) -> None:
    assert signed_in(people.ada).post("/members/two-factor/", {"required": "1"})["Location"] == SET_UP
    people.ada.organization.refresh_from_db()
    assert not people.ada.organization.requires_two_factor


def test_the_members_page_tells_who_has_one(people: People) -> None:
    with_app(people.bob.user)
    client = browser(people.ada)
    assert client.get("/members/").content.decode().count(">two-factor<") == 1


def test_nobody_is_nobody(asked_of: Organization) -> None:
    """An anonymous caller is asked to sign in, not to set something up."""
    assert AnonymousUser().is_anonymous
    assert Client().get("/")["Location"].startswith("/accounts/login/")
