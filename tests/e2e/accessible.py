"""Whether a page is accessible: axe-core's rules, best practices among them, and WCAG 2.2's size of targets."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OPTIONS: dict[str, Any] = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
THEIRS = ".reading, .prose"  # what documents and models have written: their headings have their own levels


def assert_accessible(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")  # a target that was scrolled half beneath the bar at the top is no small one
    found = Axe().run(page, options=OPTIONS).response["violations"]
    faults = [(one["id"], node) for one in found for node in one["nodes"] if is_ours(page, one["id"], node)]
    told = [f"{rule}: {node['target']} {node['html'][:160]}" for rule, node in faults]
    assert not told, f"{page.url}\n" + "\n".join(told)


def is_ours(page: Page, rule: str, node: dict[str, Any]) -> bool:
    if rule != "heading-order":
        return True
    return not page.locator(node["target"][0]).evaluate("(heading, theirs) => heading.closest(theirs)", THEIRS)
