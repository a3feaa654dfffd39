"""The conversation page as its reader sees it: asking, what has appeared and in what order, and the end."""

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

# Records, in order, when the first source and then each growth of the text became part of the page.
RECORDER = """() => {
  const seen = (window.seen = []);
  const note = (what) => { if (seen.at(-1) !== what) seen.push(what); };
  new MutationObserver((records) => {
    for (const { target } of records) {
      const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
      if (element?.closest("[data-sources] ol")?.childElementCount) note("sources");
      const prose = element?.closest("[data-prose]");
      if (prose?.textContent.trim()) note(`text ${prose.textContent.length}`);
    }
  }).observe(document.getElementById("transcript"), { subtree: true, childList: true, characterData: true });
}"""
SETTLING = 100  # ms from what has come to the page's being moved to it


@dataclass(frozen=True, slots=True)
class ChatPage:
    """The parts of a conversation that a test looks at; always of the latest answer."""

    page: Page

    @property
    def answer(self) -> Locator:
        return self.page.locator("article.answer").last

    @property
    def prose(self) -> Locator:
        return self.answer.locator("[data-prose]")

    @property
    def sources(self) -> Locator:
        return self.answer.locator("[data-sources] li.source")

    @property
    def documents(self) -> Locator:
        return self.answer.locator(".source-document")

    @property
    def failure(self) -> Locator:
        return self.answer.locator("[data-failure]")

    @property
    def question(self) -> Locator:
        return self.page.locator("#question")

    @property
    def stop(self) -> Locator:
        return self.page.get_by_role("button", name="Detener la respuesta")

    @property
    def stage(self) -> Locator:
        return self.page.locator("#stage")

    def leave_for_a_source(self) -> None:
        """To the document's own page, from where the conversation is come back to."""
        self.page.evaluate("location.assign(document.querySelector('.source [data-link]').href)")
        self.page.wait_for_url("**/documents/**")

    def written(self) -> list[str]:
        """The words of the answer, as they are read."""
        return self.prose.inner_text().split()

    def record(self) -> None:
        self.page.evaluate(RECORDER)

    def recorded(self) -> list[str]:
        seen: list[str] = self.page.evaluate("window.seen")
        return seen

    def ask(self, question: str) -> None:
        """By its script: without one the form leads to another page."""
        self.page.wait_for_load_state()
        self.question.fill(question)
        self.question.press("Enter")

    def wait_for_end(self) -> None:
        """Also for what may be asked next, which moves the page a last time."""
        expect(self.answer).to_have_class(re.compile("settled"))
        expect(self.stop).to_be_hidden()
        expect(self.answer.locator("[data-follow-ups].htmx-request")).to_have_count(0)
        self.page.wait_for_timeout(SETTLING)

    def ask_to_the_end(self, question: str) -> None:
        before = self.page.locator("article.answer").count()
        self.ask(question)
        expect(self.page.locator("article.answer")).to_have_count(before + 1)
        self.wait_for_end()
