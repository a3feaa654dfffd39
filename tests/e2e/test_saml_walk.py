"""An admin pastes a SAML provider's metadata, and somebody new signs in there: in a browser, whose cookies a form from
another site lacks."""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.server import Installation, served
from tests.e2e.test_sign_on_walk import DOMAIN, ENGLISH, stranger
from tests.e2e.visits import Visits
from tests.fakes.names import NameServer, name_server
from tests.fakes.saml.real import RealProvider, packages, running_provider

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def names() -> Iterator[NameServer]:
    packages()
    with name_server() as server:
        yield server


@pytest.fixture(scope="module")
def campus(browser: Browser, folder_in_memory: Path, names: NameServer) -> Iterator[Installation]:
    """An installation at 127.0.0.1, whose provider is of another site: localhost."""
    with served(Path(mkdtemp(dir=folder_in_memory)), SIGN_ON_PLAIN_HTTP="true", DNS_SERVERS=names.address) as running:
        yield running


def test_it_is_set_up_and_somebody_new_comes_in(browser: Browser, campus: Installation, names: NameServer) -> None:
    assert "127.0.0.1" in campus.url
    with Visits(browser, campus).window("admin", **ENGLISH) as page, running_provider("", host="localhost") as provider:
        page.goto("/admin/sign_on/identityprovider/add/")
        page.get_by_label("Protocol").select_option("saml", force=True)
        page.get_by_label("Metadata of the provider").fill(provider.metadata())
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator("#result_list a, table a").filter(has_text=provider.issuer).first.click()
        provider.consumer = page.locator("dl code").nth(1).inner_text()
        assert provider.consumer.startswith(campus.url)
        provider.tell({}, nadia={"email": f"nadia@{DOMAIN}", "displayName": "Nadia"})
        expect(page.get_by_text("This certificate counts until").first).to_be_visible()
        page.goto("/admin/sign_on/maildomain/add/")
        page.get_by_label("Domain").fill(DOMAIN)
        page.get_by_role("button", name="Save", exact=True).click()
        record, value = (page.locator("dl code").nth(place).inner_text() for place in (0, 1))
        names.records[record] = [value]
        page.get_by_role("button", name="Check").click()
        expect(page.get_by_text("the domain is yours")).to_be_visible()
        with stranger(browser, campus.url) as theirs:
            come_in(theirs, provider)


def come_in(page: Page, provider: RealProvider) -> None:
    page.goto("/accounts/login/?next=/account/")
    page.get_by_label("Email").fill(f"nadia@{DOMAIN}")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name="Go to that page").click()
    expect(page).to_have_url(re.compile(f"^{provider.url}/"))
    page.locator("input[name=login]").fill("nadia")
    page.get_by_role("button", name="Sign-in").click()
    expect(page).to_have_url(re.compile("/account/$"))
    expect(page.get_by_text(f"nadia@{DOMAIN}").first).to_be_visible()
    page.goto("/accounts/2fa/")
    expect(page.get_by_text("You came through your organization")).to_be_visible()
