"""The admin's walk through evaluation: a question set, cases from feedback and the corpus, runs, and their plot."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Screenshot
from tests.e2e.visits import Visits

pytestmark = pytest.mark.browser

WIDE = (1360, 900)  # unfold shows its side bar from 1280 on
LOANS, BAGS = "¿Cuánto dura el préstamo de un libro?", "¿Se puede entrar con mochila en la sala?"


def test_an_admin_measures_a_corpus_and_compares_runs(visits: Visits, screenshot: Screenshot) -> None:
    rate(visits, LOANS, 1)
    rate(visits, BAGS, -1, "No responde a lo que pregunté.")
    with visits.window("admin", size=WIDE, locale="en-GB") as page:
        make_set(page)
        take_feedback(page, screenshot)
        answer_by_hand(page)
        page.get_by_role("button", name="Make questions from the corpus").click()
        expect(page.get_by_text("Cases added")).to_be_visible()
        screenshot(page, "30-question-set")
        page.get_by_role("link", name="Run and compare").click()
        for configurations in ("", "hybrid=0.6"):
            run(page, configurations)
        page.get_by_role("link", name="ndcg@10", exact=True).click()
        expect(page.get_by_role("img", name="ndcg@10 over time")).to_be_visible()
        assert page.locator("figure > svg polyline").count() == 4
        assert page.locator("figure > svg g.mark").count() == 7
        screenshot(page, "31-evaluation-runs")
        address = page.url
    with visits.window("admin", size=WIDE, locale="en-GB", color_scheme="dark") as page:
        page.goto(address)
        expect(page.locator("html")).to_have_class("dark")
        screenshot(page, "32-evaluation-runs-dark")


def rate(visits: Visits, question: str, rating: int, comment: str = "") -> None:
    asked = {"messages": [{"role": "user", "content": question}], "stream": False}
    answer = visits.installation.api("alicia", "POST", "/api/agents/asistente-corporativo/chat/", asked)
    given = {"rating": rating, "comment": comment}
    visits.installation.api("alicia", "POST", f"/api/messages/{answer['message']}/feedback/", given)


def make_set(page: Page) -> None:
    page.goto("/admin/evaluation/questionset/add/")
    page.get_by_label("Name").fill("Reglamento")
    page.locator("select[name=corpus]").select_option(label="Biblioteca Aurora")
    page.locator("[name=_continue]").click()
    expect(page.get_by_role("link", name="Run and compare")).to_be_visible()


def take_feedback(page: Page, screenshot: Screenshot) -> None:
    page.get_by_role("link", name="Add from feedback").click()
    expect(page.get_by_text("No responde a lo que pregunté.")).to_be_visible()
    for box in page.get_by_role("checkbox").all():
        box.check()
    screenshot(page, "33-evaluation-feedback")
    page.get_by_role("button", name="Make cases of the chosen").click()
    expect(page.get_by_text("Cases added: 2")).to_be_visible()


def answer_by_hand(page: Page) -> None:
    """The thumbs-down's truth: an admin knows which document should have answered."""
    page.locator("#questions-group").get_by_role("link", name=BAGS).click()
    page.locator("select[name=documents]").select_option(index=0)
    page.locator("[name=_save]").click()
    page.goto("/admin/evaluation/questionset/")
    page.get_by_role("link", name="Reglamento", exact=True).click()
    expect(page.get_by_text("not known yet")).to_have_count(0)


def run(page: Page, configurations: str) -> None:
    page.get_by_label("Meaning alone").check()
    if configurations:
        page.get_by_text("Expert", exact=True).click()
        page.get_by_label("Configurations").fill(configurations)
    page.get_by_label("Fails when").select_option("hit@1")
    page.get_by_label("is below").fill("0.3")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Runs started")).to_be_visible()
    expect(page.locator("meta[http-equiv=refresh]")).to_have_count(0, timeout=60_000)
