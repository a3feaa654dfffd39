"""Every page of the application and of the administration, as they are rendered: accessible in light and dark, on a
desktop and on a phone; without a word of the other language, a value of the code, an id or JSON; without any complaint
of the browser. Pages are found by their links, so a new one is visited by itself.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.urls import Resolver404, resolve
from playwright.sync_api import Page, expect

from tests.e2e.accessible import THEIRS, assert_accessible
from tests.e2e.visits import DESKTOP, PHONE, Visits
from tests.stray_words import stray_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDE = (1360, 850)  # unfold shows its side bar from 1280 on
NO_PAGES = re.compile(r"^/api/|/logout/|/download/|/content/|/image/|/exports/|/i18n/|/static/|/jsi18n/")
STARTS = ("/", "/account/", "/trash/", "/accounts/password/change/", "/accounts/2fa/")
LINKS = "() => [...document.links].map((one) => one.href)"
FOUND = {"admin": 60, "alicia": 20}  # at least


def route_of(url: str) -> str:
    """What the page is, whichever row it shows; empty for what is no page."""
    path = urlsplit(url).path
    if NO_PAGES.search(path):
        return ""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


def every_page(page: Page, starts: Iterable[str]) -> Iterator[str]:
    """Paths of one page of each kind that links lead to."""
    origin = urlsplit(page.evaluate("location.href")).netloc
    waiting, seen = [*starts], set[str]()
    while waiting:
        path = waiting.pop(0)
        if (route := route_of(path)) in {"", *seen}:
            continue
        seen.add(route)
        page.goto(path)
        waiting += [one for one in page.evaluate(LINKS) if urlsplit(one).netloc == origin]
        yield path


def connect(visits: Visits) -> None:
    """What an organization has with other programs: a file with tables, a metric of it, and a webhook that was told."""
    api = visits.installation.api
    source = (
        f"/api/data-sources/{api('admin', 'POST', '/api/data-sources/', {'name': 'Ventas', 'kind': 'duckdb'})['id']}"
    )
    visits.installation.send_file("admin", f"{source}/files/", "ventas.csv", b"dia,zona,total\n2025-01-03,norte,10\n")
    columns = [{"name": "dia"}, {"name": "zona"}, {"name": "total"}]
    (table,) = api("admin", "PUT", f"{source}/tables/", {"tables": [{"name": "ventas", "columns": columns}]})["tables"]
    for agent in api("admin", "GET", "/api/agents/")["results"]:
        api("admin", "PUT", f"/api/agents/{agent['id']}{source.removeprefix('/api')}/", {"tables": [table["id"]]})
    named = {"table": "ventas", "name": "ventas", "aggregate": "sum", "column": "total", "time_column": "dia"}
    api("admin", "PUT", f"{source}/metrics/", {"metrics": [named]})
    hook = api("admin", "POST", "/api/webhooks/", {"url": "https://hooks.example.org/", "events": ["answer.rated"]})
    api("admin", "POST", f"/api/webhooks/{hook['id']}/test/")


@pytest.fixture(scope="module")
def pages(visits: Visits) -> dict[str, list[str]]:
    """Of an admin and of a member, with an answer given and a document deleted, so that there is a page of each."""
    connect(visits)
    ask = {"messages": [{"role": "user", "content": "¿Cuánto dura el préstamo de un libro?"}], "stream": False}
    found = {}
    for person in FOUND:
        visits.installation.api(person, "POST", "/api/agents/asistente-corporativo/chat/", ask)
        with visits.window(person) as page:
            page.goto("/")
            found[person] = list(every_page(page, (*STARTS, "/admin/") if person == "admin" else STARTS))
        assert len(found[person]) >= FOUND[person], found[person]
    return found


# By day each person, theme, size and language is met once (tests/test_stray_words.py and test_accessibility.py meet
# more of them on fewer pages), by night all together: they take a quarter of an hour of a small machine.
WAYS = {
    f"{person}-{theme}-{'phone' if size == PHONE else 'desktop'}": (person, theme, size)
    for person in FOUND
    for theme in ("light", "dark")
    for size in (WIDE, PHONE)
}
TONGUES = {f"{person}-{locale}": (person, locale[:2], locale) for person in FOUND for locale in ("es-ES", "en-GB")}
BY_DAY = {"admin-dark-desktop", "alicia-light-phone", "admin-es-ES", "alicia-en-GB"}


def by_day_or_night(cases: dict[str, tuple[Any, ...]]) -> list[Any]:
    by_night = pytest.mark.nightly
    return [pytest.param(*case, id=name, marks=() if name in BY_DAY else by_night) for name, case in cases.items()]


@pytest.mark.parametrize(("person", "theme", "size"), by_day_or_night(WAYS))
def test_axe_finds_no_fault(
    visits: Visits, pages: dict[str, list[str]], person: str, theme: str, size: tuple[int, int]
) -> None:
    touch = {"is_mobile": True, "has_touch": True} if size == PHONE else {}
    with visits.window(person, size=size, color_scheme=theme, **touch) as page:
        for path in pages[person]:
            page.goto(path)
            assert_accessible(page)


@pytest.mark.parametrize(("person", "language", "locale"), by_day_or_night(TONGUES))
def test_no_word_is_astray(
    visits: Visits, pages: dict[str, list[str]], person: str, language: str, locale: str
) -> None:
    astray = []
    with visits.window(person, size=DESKTOP, locale=locale) as page:
        for path in pages[person]:
            page.goto(path)
            expect(page.locator("html")).to_have_attribute("lang", re.compile(language))
            page.evaluate("theirs => document.querySelectorAll(theirs).forEach((one) => one.remove())", THEIRS)
            astray += [f"{path}: {one}" for one in stray_in(page.content(), language)]
    assert astray == [], "\n".join(astray)
