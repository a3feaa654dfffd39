"""Users, memberships and the audit log: what the tables themselves refuse."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from accounts import audit
from accounts.models import AuditEvent, Membership, User
from tests.factories import PASSWORD, MembershipFactory, UserFactory
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db


def test_an_address_is_the_same_in_any_case() -> None:
    User.objects.create_user("Alice@Example.ORG", PASSWORD)
    assert User.objects.get().email == "alice@example.org"
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ALICE@example.org", PASSWORD)


def test_signing_in_takes_the_address_in_any_case() -> None:
    UserFactory(email="alice@example.org")
    client = Client()
    client.post(reverse("account_login"), {"login": "ALICE@example.org", "password": PASSWORD})
    assert "_auth_user_id" in client.session


def test_a_deactivated_user_cannot_sign_in() -> None:
    UserFactory(email="alice@example.org", is_active=False)
    client = Client()
    client.post(reverse("account_login"), {"login": "alice@example.org", "password": PASSWORD})
    assert "_auth_user_id" not in client.session


def test_nobody_signs_up_without_an_invitation() -> None:
    fields = {"email": "eve@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post("/accounts/signup/", fields).status_code == 404
    assert not User.objects.exists()


def test_a_user_is_a_member_of_an_organization_once(people: People) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        MembershipFactory(user=people.alice.user, organization=people.alice.organization)


def test_there_is_no_other_role_than_member_and_admin(people: People) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.filter(pk=people.alice.pk).update(role="owner")


def test_an_audit_event_is_neither_changed_nor_deleted(people: People) -> None:
    audit.record(people.ada, "changed", people.alice, role="admin")
    event = AuditEvent.objects.get()
    event.action = "nothing"
    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        event.delete()


def test_the_active_organization_is_the_chosen_one_else_the_oldest(people: People) -> None:
    client = Client()
    client.force_login(people.alice.user)
    assert client.get("/").context["membership"] == people.alice
    assert signed_in(people.alice_elsewhere).get("/").context["membership"] == people.alice_elsewhere


def test_somebody_in_no_organization_reads_nothing() -> None:
    client = Client()
    client.force_login(UserFactory())
    assert client.get("/").status_code == 403
    assert client.get("/api/corpora/").status_code == 401


@pytest.mark.parametrize("message", ["attempt to write", "server closed the connection"])
def test_a_database_that_does_not_answer_is_503_and_tells_nothing(
    message: str, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError

    client = signed_in(people.alice)

    def down(*args: object, **kwargs: object) -> object:
        raise OperationalError(message)

    monkeypatch.setattr("corpora.api.views.membership_of", down)
    answer = client.get("/api/corpora/")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
    assert message.encode() not in answer.content
    assert connection.is_usable()
