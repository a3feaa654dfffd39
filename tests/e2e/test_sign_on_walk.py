"""An admin sets single sign-on up, and somebody new signs in through it: in a browser, with a real provider."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.server import Installation, free_port, served
from tests.e2e.visits import FORBIDDEN, Visits
from tests.fakes.names import NameServer, name_server
from tests.fakes.openid.real import SECRET, packages, running_provider

pytestmark = pytest.mark.browser
DOMAIN = "campus.test"
ENGLISH = {"locale": "en-GB"}


@pytest.fixture(scope="module")
def names() -> Iterator[NameServer]:
    packages()
    with name_server() as server:
        yield server


@pytest.fixture(scope="module")
def campus(browser: Browser, folder_in_memory: Path, names: NameServer) -> Iterator[Installation]:
    """An installation whose operator allows providers on loopback."""
    settings = {"SIGN_ON_NETWORKS": "127.0.0.0/8", "SIGN_ON_PLAIN_HTTP": "true", "DNS_SERVERS": names.address}
    with served(Path(mkdtemp(dir=folder_in_memory)), **settings) as running:
        yield running


@contextmanager
def stranger(browser: Browser, url: str) -> Iterator[Page]:
    """Somebody whose browser leaves the installation, and comes back."""
    with browser.new_context(base_url=url, **ENGLISH) as context:  # type: ignore[arg-type]
        said: list[str] = []
        context.on("console", lambda message: said.append(message.text))
        yield context.new_page()
        assert not [one for one in said if FORBIDDEN.search(one) and url in one]


def test_it_is_set_up_and_somebody_new_comes_in(browser: Browser, campus: Installation, names: NameServer) -> None:
    port = free_port()
    with Visits(browser, campus).window("admin", **ENGLISH) as page:
        page.goto("/admin/sign_on/identityprovider/add/")
        page.get_by_label("Issuer").fill(f"http://127.0.0.1:{port}")
        page.get_by_label("Client ID").fill("acervo")
        page.get_by_label("Client secret").fill(SECRET)
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator("#result_list a, table a").filter(has_text=f"127.0.0.1:{port}").first.click()
        callback = page.locator("code").first.inner_text()
        assert callback.startswith(campus.url)
        with running_provider([callback], port) as provider:
            provider.tell(nadia={"email": f"nadia@{DOMAIN}", "email_verified": True, "name": "Nadia"})
            page.get_by_role("button", name="Check").click()
            expect(page.get_by_text("the provider answers").first).to_be_visible()
            page.goto("/admin/sign_on/maildomain/add/")
            page.get_by_label("Domain").fill(DOMAIN)
            page.get_by_role("button", name="Save", exact=True).click()
            record, value = (page.locator("dl code").nth(place).inner_text() for place in (0, 1))
            names.records[record] = [value]
            page.get_by_role("button", name="Check").click()
            expect(page.get_by_text("the domain is yours")).to_be_visible()
            with stranger(browser, campus.url) as theirs:
                come_in(theirs)


def come_in(page: Page) -> None:
    page.goto("/accounts/login/?next=/account/")
    page.get_by_label("Email").fill(f"nadia@{DOMAIN}")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name="Go to that page").click()
    page.locator("input[name=login]").fill("nadia")
    page.locator("input[name=password]").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()
    expect(page).to_have_url(re.compile("/account/$"))
    expect(page.get_by_text(f"nadia@{DOMAIN}").first).to_be_visible()
    page.goto("/accounts/2fa/")
    expect(page).to_have_url(re.compile("/account/$"))
    expect(page.get_by_text("You came through your organization")).to_be_visible()
