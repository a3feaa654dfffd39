"""Who joins, and the directory that switches them off, at the same moment."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, connections

from accounts.invitations import accept_invitation, create_invitation
from accounts.models import Invitation, Membership
from tests.directories import Directory, token_for
from tests.factories import UserFactory
from tests.people import People

ROUNDS = 10  # without the lock of `accept_invitation` the third or fourth fails


@pytest.mark.skipif(connection.vendor == "sqlite", reason="a transaction is alone from its beginning")
@pytest.mark.django_db(transaction=True)
def test_whoever_is_first_the_directory_is_heard() -> None:
    people = People.assembled()
    secret = token_for(people.ada)
    for n in range(ROUNDS):
        user, statuses = UserFactory(email=f"new{n}@here.test"), list[int]()
        pk = Directory(secret).make_user(user.email).json()["id"]
        Invitation.objects.filter(email=user.email).delete()
        invitation, _token = create_invitation(user.email, "member", people.ada)

        def switch_off(path: str = f"Users/{pk}", statuses: list[int] = statuses) -> None:
            off = {"op": "replace", "path": "active", "value": False}
            statuses.append(Directory(secret).patch(path, off).status_code)

        def join(invitation: Invitation = invitation, user: Any = user) -> None:
            accept_invitation(invitation, user)

        at_once(switch_off, join)
        assert statuses == [200]
        assert not Membership.objects.active().filter(user=user).exists()


def at_once(*works: Callable[[], object]) -> None:
    gate = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        gate.wait(60)
        try:
            work()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
