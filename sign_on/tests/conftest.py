"""Providers in tests are on loopback, in the open, as an operator's settings may allow."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.names import NameServer, name_server
from tests.fakes.openid.hostile import HostileProvider, hostile_provider
from tests.fakes.openid.real import RealProvider, running_provider
from tests.fakes.saml import real as saml
from tests.sign_on import CALLBACK, CONSUMER


@pytest.fixture
def loopback_allowed(settings: Any) -> None:
    settings.SIGN_ON_NETWORKS, settings.SIGN_ON_PLAIN_HTTP = ["127.0.0.0/8"], True


@pytest.fixture
def hostile(loopback_allowed: None) -> Iterator[HostileProvider]:
    with hostile_provider() as provider:
        yield provider


@pytest.fixture(scope="session")
def real_process() -> Iterator[RealProvider]:
    with running_provider([f"http://testserver{CALLBACK}"]) as provider:
        yield provider


@pytest.fixture
def real(real_process: RealProvider, loopback_allowed: None) -> RealProvider:
    return real_process


@pytest.fixture(scope="session")
def real_saml_process() -> Iterator[saml.RealProvider]:
    with saml.running_provider(f"http://testserver{CONSUMER}") as provider:
        yield provider


@pytest.fixture
def real_saml(real_saml_process: saml.RealProvider, loopback_allowed: None) -> saml.RealProvider:
    real_saml_process.people.clear()
    return real_saml_process


@pytest.fixture
def names(settings: Any) -> Iterator[NameServer]:
    with name_server() as server:
        settings.DNS_SERVERS = [server.address]
        yield server
