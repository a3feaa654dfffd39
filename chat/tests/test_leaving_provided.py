"""Taking along and erasing, beside single sign-on: what is elsewhere, or opened by the provider alone, stays shut."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Organization
from chat.leaving.erasing import request_organization_erasure
from chat.models import Export
from tests.factories import CorpusFactory
from tests.people import People, signed_in
from tests.sign_on import domain_of_organization, provided_session, provider_of

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-walk-to-the-door"


@pytest.fixture
def people() -> People:
    people = People.assembled()
    people.alice.user.email = "alice@here.test"
    people.alice.user.set_password(PASSWORD)
    people.alice.user.save()
    domain_of_organization(people.ada.organization)
    return people


def leaving(client: Client, organization: Organization | None = None) -> Any:
    return client.get(reverse("leaving"), {"organization": str(organization.pk)} if organization else {})


def test_who_is_removed_takes_nothing_along_from_where_they_still_belong(people: People) -> None:
    """The admin signs in as Alice, removes her, and asks as a former member for what she has in the other one."""
    CorpusFactory(personal_of=people.alice_elsewhere, name="Elsewhere, private")
    provider_of(people.ada.organization)
    client = provided_session(people.alice)
    people.alice.delete()
    for answer in (leaving(client, people.zoe.organization), leaving(client)):
        assert "Elsewhere" not in answer.content.decode()
    client.post(reverse("export-request") + f"?organization={people.zoe.organization_id}")
    assert not Export.objects.filter(owner=people.alice.user).exists()


def test_who_is_removed_takes_what_was_left_there_by_password(people: People) -> None:
    CorpusFactory(personal_of=people.alice)
    people.alice.delete()
    people.alice_elsewhere.delete()
    assert leaving(signed_in(people.alice)).context["organization"] == people.ada.organization


def test_a_password_takes_nothing_along_of_what_only_the_provider_opens(people: People) -> None:
    CorpusFactory(personal_of=people.alice)
    provider_of(people.ada.organization, is_enforced=True)
    people.alice_elsewhere.delete()
    client = signed_in(people.alice)
    for answer in (leaving(client), leaving(client, people.ada.organization)):
        assert answer.status_code != 200 or answer.context["organization"] is None
    client.post(reverse("export-request") + f"?organization={people.ada.organization_id}")
    assert not Export.objects.filter(owner=people.alice.user).exists()


def test_a_providers_session_does_not_count_or_delete_what_is_elsewhere(people: People) -> None:
    provider_of(people.ada.organization)
    client = provided_session(people.alice)
    assert "every organization that you belong to" not in leaving(client).content.decode()
    client.post(reverse("account-delete"), {"password": PASSWORD, "agreed": "on"})
    people.alice.user.refresh_from_db()
    assert people.alice.user.is_active


def test_an_organization_that_is_being_erased_signs_nobody_in(people: People) -> None:
    """A first sign-in would make a member, of whom the erasure knows nothing."""
    provider = provider_of(people.ada.organization)
    request_organization_erasure(people.ada.organization, None)
    for name in ("sign-on-begin", "sign-on-callback"):
        assert Client().get(reverse(name, args=[provider.pk])).status_code == 404
