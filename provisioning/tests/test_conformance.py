"""A maintained tester of SCIM servers, against this one as it is served."""

from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from pytest_django.live_server_helper import LiveServer

from tests.directories import token_for
from tests.people import People

if TYPE_CHECKING:
    from scim2_tester import CheckResult

pytestmark = pytest.mark.django_db(transaction=True)


def is_meant(result: "CheckResult") -> bool:
    """One address is kept, and told as the primary one of work; what a member is called the server says."""
    reason = result.reason or ""
    return "unexpected value for 'emails'" in reason or ("for 'members'" in reason and "display=None" in reason)


def test_a_conformance_tester_finds_nothing(live_server: LiveServer) -> None:
    """It is imported here alone: its models take 6 s of processor time, of every process that collects tests."""
    from scim2_client.engines.httpx2 import SyncSCIMClient
    from scim2_tester import Status, check_server

    people = People.assembled()
    headers = {"Authorization": f"Bearer {token_for(people.ada)}"}
    with httpx2.Client(base_url=f"{live_server.url}/scim/v2", headers=headers) as client:
        scim: Any = SyncSCIMClient(client)
        results = check_server(scim)
    bad = [one for one in results if one.status not in (Status.SUCCESS, Status.SKIPPED) and not is_meant(one)]
    assert len(results) > 20
    assert not bad, "\n".join(f"{one.title} {one.resource_type}: {one.reason}" for one in bad)
