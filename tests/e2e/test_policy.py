"""The admin and the documentation under the policy of all pages: what is injected does not run, what is theirs does."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.e2e.visits import Visits

pytestmark = pytest.mark.browser

WIDE = (1360, 850)  # unfold shows its side bar from 1280 on
INJECTED = """
<script>window.ran = "inline"</script><img src="data:," onerror="window.ran = 'handler'">
<a href="javascript:void (window.ran = 'link')" id="link">x</a><style>body { opacity: 0.5 }</style>
"""
EVALUATED = "\n;try { eval('window.ran = \"eval\"') } catch { window.refused = true }\n"
OF_THE_PAGE = {"/admin/corpora/corpus/": "**/acervo/admin/alpine.js", "/api/docs/": "**/api/docs/?script*"}


@pytest.fixture
def page(visits: Visits) -> Iterator[Page]:
    with visits.window("admin", size=WIDE) as page:
        yield page


@pytest.fixture
def unwatched(visits: Visits) -> Iterator[BrowserContext]:
    """A signed-in window in which violations are wanted."""
    session = visits.session("admin")
    context = visits.browser.new_context(base_url=visits.installation.url, storage_state=session)
    yield context
    context.close()


@pytest.mark.parametrize("path", OF_THE_PAGE)
@pytest.mark.parametrize("protected", [True, False], ids=["as it is served", "without its policy"])
def test_what_is_injected_runs_only_without_the_policy(path: str, protected: bool, unwatched: BrowserContext) -> None:
    def inject(route: Route) -> None:
        answer = route.fetch()
        headers = {name: value for name, value in answer.headers.items() if protected or "security" not in name}
        is_page = "<body" in answer.text()
        body = answer.text().replace("</body>", INJECTED + "</body>") if is_page else answer.text() + EVALUATED
        route.fulfill(response=answer, headers=headers, body=body)

    page = unwatched.new_page()
    page.route(f"**{path}", inject)
    page.route(OF_THE_PAGE[path], inject)
    page.goto(path)
    page.wait_for_load_state("load")
    expect(page.locator("#link")).to_be_attached()
    page.evaluate("document.getElementById('link').click()")
    page.wait_for_timeout(200)
    assert (page.evaluate("window.ran") is None) is protected
    assert page.evaluate("window.refused === true") is protected
    assert page.evaluate("getComputedStyle(document.body).opacity") == ("1" if protected else "0.5")


def test_the_theme_and_the_side_bar_are_switched_and_remembered(page: Page) -> None:
    page.goto("/admin/")
    root, sidebar = page.locator("html"), page.locator("#nav-sidebar")
    for theme in ("dark", "light"):
        page.locator("[x-on\\:click='openUserLinks = !openUserLinks']").click()
        page.locator(f"[x-on\\:click=\"switchTheme('{theme}')\"]").click()
        expect(root).to_have_class(theme)
        page.reload()
        expect(root).to_have_class(theme)
    expect(sidebar).to_be_visible()
    page.locator("span", has_text=re.compile(r"^\s*dock_to_right\s*$")).locator("visible=true").click()
    expect(sidebar).to_be_hidden()
    page.reload()
    expect(sidebar).to_be_hidden()


def test_a_list_is_filtered_searched_and_acted_upon(page: Page) -> None:
    page.goto("/admin/corpora/document/")
    rows = page.locator("#result_list tbody tr")
    expect(rows.first).to_be_visible()
    page.locator("[x-on\\:click='filterOpen = true']").first.click()
    expect(page.locator("#changelist-filter")).to_be_visible()
    page.keyboard.press("Escape")
    page.goto("/admin/corpora/document/?status__exact=failed")
    expect(rows).to_have_count(0)
    page.goto("/admin/corpora/document/")
    rows.first.locator("input[type=checkbox]").check()
    expect(page.locator("#changelist-actions")).to_be_visible()
    page.locator("select[name=action]").select_option(index=1)
    expect(page.locator("#changelist-actions button[type=submit]").first).to_be_visible()


def test_a_form_has_its_tabs_inlines_and_related_windows(page: Page) -> None:
    page.goto("/admin/agents/agent/")
    page.get_by_role("link", name="Asistente Corporativo").click()
    form = page.locator("form#agent_form")
    expect(form).to_have_attribute("action", re.compile(r"/admin/agents/agent/[0-9a-f-]+/change/"))
    inline = page.locator(".formset").first
    before = inline.locator(".form-group:not(.empty-form)").count()
    inline.locator(".add-row").locator("visible=true").first.click()
    expect(inline.locator(".form-group:not(.empty-form)")).to_have_count(before + 1)


def test_the_documentation_shows_the_api_and_calls_it(page: Page) -> None:
    page.goto("/api/docs/")
    operation = page.locator("#operations-api-api_corpora_list")
    operation.locator("button.opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table tbody .response-col_status").first).to_contain_text("200")
    expect(page.locator("#operations-api-api_agents_chat_create")).to_be_visible()
