"""A page of a PDF in a real browser: its image, the cited sentence boxed on it, its text for who cannot see it."""

import os
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessible import assert_accessible
from tests.e2e.corpus_page import uploaded
from tests.e2e.documents import WalkDocuments
from tests.e2e.visits import DESKTOP, PHONE, Visits

pytestmark = pytest.mark.browser

SHOTS = os.environ.get("ACERVO_PRINTED_SHOTS", "")  # a folder, for who wants to look


@pytest.fixture(scope="module")
def cited(visits: Visits, documents: WalkDocuments) -> dict[str, Any]:
    """The address of the page that an answer cites, and the sentence."""
    api = visits.installation.api
    corpus = api("alicia", "POST", "/api/corpora/", {"name": "Impreso"})["id"]
    document = uploaded(visits, corpus, documents.cited)
    agent = next(one for one in api("alicia", "GET", "/api/agents/")["results"] if one["allows_personal_corpus"])
    api("alicia", "POST", f"/api/agents/{agent['id']}/corpora/", {"corpus": corpus})
    ask = {"messages": [{"role": "user", "content": documents.question}], "stream": False}
    answer = api("alicia", "POST", f"/api/agents/{agent['id']}/chat/", ask)
    quote = next(
        one | {"chunk": source["chunk"]}
        for one in answer["citations"]
        for source in answer["sources"]
        if one["text"] and source["n"] == one["n"] and source["document"] == document
    )
    mark = f"chunk={quote['chunk']}&mark={quote['start']}-{quote['end']}"
    return {"path": f"/documents/{document}/", "page": quote["page"], "asked": mark, "text": quote["text"]}


def assert_shows_the_sentence(page: Page) -> None:
    image = page.get_by_role("img", name="La página tal como está impresa")
    expect(image).to_be_visible()
    expect(image).to_have_js_property("complete", True)
    assert image.evaluate("one => one.naturalWidth") > 0
    quote = page.locator("rect.quote")
    expect(quote.first).to_be_in_viewport()
    around, inside = page.locator("figure.printed").bounding_box(), quote.first.bounding_box()
    assert around is not None
    assert inside is not None
    assert around["x"] <= inside["x"] < inside["x"] + inside["width"] <= around["x"] + around["width"]
    assert page.locator("rect.faint").count() >= 1


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_cited_sentence_is_boxed_on_the_printed_page(
    visits: Visits, cited: dict[str, Any], size: tuple[int, int]
) -> None:
    with visits.window("alicia", size=size) as page:
        page.goto(f"{cited['path']}?{cited['asked']}#passage")
        expect(page.locator("#page")).to_have_value(str(cited["page"]))
        assert_shows_the_sentence(page)
        if SHOTS:
            page.screenshot(path=f"{SHOTS}/printed-{size[0]}.png")
        page.get_by_text("El texto de esta página").click()
        assert " ".join(page.locator("mark:not(.faint)").all_inner_texts()).split() == cited["text"].split()
        assert_accessible(page)


def test_without_a_script_the_page_is_the_same(visits: Visits, cited: dict[str, Any]) -> None:
    with visits.window("alicia", java_script_enabled=False) as page:
        page.goto(f"{cited['path']}pages/{cited['page']}/?{cited['asked']}#passage")
        expect(page.locator("rect.quote").first).to_be_in_viewport()
        page.get_by_role("link", name="Leer como texto").click()
        expect(page.locator("mark#passage")).to_be_in_viewport()


def test_by_the_keyboard_one_goes_from_page_to_page(visits: Visits, cited: dict[str, Any]) -> None:
    with visits.window("alicia") as page:
        page.goto(f"{cited['path']}pages/1/")
        page.get_by_role("link", name="Siguiente").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/pages/2/")
        expect(page.get_by_role("link", name="Anterior")).to_be_visible()
