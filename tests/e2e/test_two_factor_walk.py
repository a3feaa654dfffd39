"""A new member joins, signs in with an authenticator app, then with a passkey: as a person does, in a browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.codes import code_of, seconds_left
from tests.e2e.server import Installation
from tests.e2e.visits import PHONE, Visits

pytestmark = pytest.mark.browser

PASSWORD = "a-long-walk-to-the-door"
ENGLISH = {"locale": "en-GB"}
PASSKEYS = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="module")
def by_name(browser: Browser, installation: Installation) -> Visits:
    """The installation under a name: browsers make no passkeys for a bare network address."""
    return Visits(browser, Installation(installation.url.replace("127.0.0.1", "localhost"), installation.people))


@pytest.fixture
def page(by_name: Visits) -> Iterator[Page]:
    with by_name.window(**ENGLISH) as page:
        yield page


def joined(visits: Visits, page: Page, email: str) -> None:
    """A new member, by the link that the admin sees because no mail goes out, signed in on the page."""
    with visits.window("admin", **ENGLISH) as admins:
        admins.goto("/members/")
        admins.get_by_label("Email address").fill(email)
        admins.get_by_role("button", name="Invite", exact=True).click()
        link = admins.locator("#secret").input_value()
    page.goto(link)
    page.get_by_label("Your name").fill("Dora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def password_again(page: Page) -> None:
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()


def sign_out(page: Page) -> None:
    page.context.clear_cookies()


def sign_in(page: Page, email: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def lasting_code(page: Page, secret: str) -> str:
    """A code that is shown long enough to be sent."""
    if seconds_left() < 8:
        page.wait_for_timeout(1_000 * seconds_left() + 100)
    return code_of(secret)


def set_up_app(page: Page) -> tuple[str, list[str]]:
    page.goto("/account/")
    page.get_by_role("link", name="Set up Two-factor sign-in").click()
    page.get_by_role("link", name="Set up Authenticator app").click()
    password_again(page)
    expect(page.locator("img.qr")).to_be_visible()
    assert page.evaluate("document.querySelector('img.qr').naturalWidth") > 0, "the policy lets the picture in"
    secret = page.locator("#secret").input_value()
    page.get_by_label("Authenticator code").fill(lasting_code(page, secret))
    page.get_by_role("button", name="Set up").click()
    codes = page.locator("#codes").input_value().split()
    page.get_by_role("link", name="Done").click()
    return secret, codes


def test_an_authenticator_app_is_set_up_and_signs_in(by_name: Visits, page: Page) -> None:
    email = "dora@example.org"
    joined(by_name, page, email)
    secret, codes = set_up_app(page)
    assert len(codes) == 10
    sign_out(page)
    sign_in(page, email)
    page.wait_for_url("**/accounts/2fa/authenticate/")
    page.goto("/account/")
    page.wait_for_url("**/accounts/2fa/authenticate/")  # the password alone opens nothing
    page.get_by_label("Code").fill(lasting_code(page, secret))
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(by_name.installation.url + "/")
    sign_out(page)
    sign_in(page, email)
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(by_name.installation.url + "/")


def test_a_passkey_signs_in_beside_the_password_and_alone(by_name: Visits, page: Page) -> None:
    email = "dolores@example.org"
    joined(by_name, page, email)
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": PASSKEYS})
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Add Passkey").click()
    password_again(page)
    page.get_by_label("Name").fill("My telephone")
    page.get_by_label("Sign in with it alone").check()
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#codes")).to_be_visible()
    page.get_by_role("link", name="Done").click()
    expect(page.locator("strong", has_text="My telephone")).to_be_visible()

    sign_out(page)
    sign_in(page, email)
    page.wait_for_url("**/accounts/2fa/authenticate/")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(by_name.installation.url + "/")

    sign_out(page)
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(by_name.installation.url + "/")

    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Remove My telephone").click()
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("strong", has_text="My telephone")).to_have_count(0)


def test_a_passkey_that_is_not_there_is_told_on_the_page(page: Page) -> None:
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": PASSKEYS})
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_have_text(re.compile("did not work"))


def test_sessions_are_listed_and_ended(by_name: Visits, page: Page) -> None:
    email = "diana@example.org"
    joined(by_name, page, email)
    with by_name.window(size=PHONE, **ENGLISH) as telephone:
        sign_in(telephone, email)
        telephone.wait_for_url(by_name.installation.url + "/")
        page.goto("/account/")
        page.get_by_role("button", name="End all other sessions").click()
        telephone.goto("/account/")
        telephone.wait_for_url("**/accounts/login/**")
    page.goto("/account/")
    expect(page.get_by_text("this one")).to_be_visible()
