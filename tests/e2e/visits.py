"""A person in front of a browser: a window of their own, watched for everything that a page must not do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, StorageState

from tests.e2e.server import Installation

PATIENCE = 45_000  # ms, where two cores have six things to do; no test is judged by it
FORBIDDEN = re.compile(r"Content Security Policy|Refused to|Mixed Content", re.IGNORECASE)
ABORTED = re.compile(r"net::ERR_FAILED|^htmx:(sendError|afterRequest)")  # by a test's own route
REFUSED = re.compile(r"Failed to load resource|Response Status Error Code|^htmx:")
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`Content Security Policy: ${event.effectiveDirective} ${event.blockedURI}`));
"""
DESKTOP, PHONE = (1200, 800), (390, 844)


@dataclass
class Watch:
    """What went wrong in a window, and which requests left the installation."""

    origin: str
    also: str = ""  # an origin of the test's own that the browser is meant to go to
    is_refused: bool = False  # the test has requests refused, which the browser and htmx put on the console
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        context.on("request", lambda request: self.request(request.url))
        context.on("console", lambda message: self.console(message.type, message.text, message.location["url"]))
        context.on("weberror", lambda error: self.complaints.append(f"script error: {error.error}"))
        context.on("dialog", self.dialog)

    def request(self, url: str) -> None:
        meant = (f"{self.origin}/", "data:", "blob:", "about:", *([f"{self.also}/"] if self.also else []))
        if not url.startswith(meant):
            self.elsewhere.append(url)

    def console(self, kind: str, text: str, url: str) -> None:
        meant = ABORTED.search(text) or (self.is_refused and REFUSED.search(text))
        if FORBIDDEN.search(text) or (kind == "error" and not meant):
            self.complaints.append(f"{text} {url}")

    def dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def assert_clean(self) -> None:
        assert not self.complaints, self.complaints
        assert not self.elsewhere, f"requests left the installation: {self.elsewhere}"


class Visits:
    """Opens windows for an installation's people; signs each person in once."""

    def __init__(self, browser: Browser, installation: Installation) -> None:
        self.browser, self.installation = browser, installation
        self._sessions: dict[str, StorageState] = {}

    @contextmanager
    def window(
        self, person: str = "", size: tuple[int, int] = DESKTOP, *, is_refused: bool = False, **options: Any
    ) -> Iterator[Page]:
        """A page of a fresh window, signed in as `person`; at the end, nothing may have gone wrong in it.
        `is_refused`: but for requests that the test has refused."""
        session = self.session(person) if person else None
        with self.context(size, is_refused=is_refused, storage_state=session, **options) as context:
            yield context.new_page()

    def session(self, person: str) -> StorageState:
        if person not in self._sessions:
            with self.context(DESKTOP) as context:
                page = context.new_page()
                self.sign_in(page, person)
                self._sessions[person] = context.storage_state()
        return self._sessions[person]

    @contextmanager
    def context(
        self, size: tuple[int, int], *, is_refused: bool = False, also: str = "", **options: Any
    ) -> Iterator[BrowserContext]:
        watch = Watch(self.installation.url, also, is_refused)
        width, height = size
        context = self.browser.new_context(
            base_url=self.installation.url,
            viewport={"width": width, "height": height},
            **{"locale": "es-ES", "color_scheme": "light", "reduced_motion": "reduce", **options},
        )
        context.set_default_timeout(PATIENCE)
        context.add_init_script(REPORT_VIOLATIONS)
        watch.over(context)
        try:
            yield context
            watch.assert_clean()
        finally:
            context.close()

    def sign_in(self, page: Page, person: str) -> None:
        login = self.installation.people[person]
        page.goto("/accounts/login/")
        page.get_by_label("Correo electrónico").fill(login.email)
        page.get_by_label("Contraseña", exact=True).fill(login.password)
        page.get_by_role("button", name="Iniciar sesión", exact=True).click()
        page.wait_for_url(lambda url: not urlsplit(url).path.startswith("/accounts/"))
