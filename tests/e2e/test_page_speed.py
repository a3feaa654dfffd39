"""What a page costs who opens it: largest paint, shifts of its layout, blocked input (PERFORMANCE, in a real browser).

The worst cases: a long conversation, a PDF of hundreds of pages, a corpus of 5,000 documents, the admin's home.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.corpus_page import uploaded
from tests.e2e.documents import WalkDocuments
from tests.e2e.server import ROOT, environment_of, prepared, serving
from tests.e2e.visits import Visits
from tests.live import patience

pytestmark = pytest.mark.browser

LARGEST_PAINT_MS, SHIFT, BLOCKED_MS, PAGE_IMAGE_MS = 500, 0.02, 60, 150
TIMES = 5
ROWS = 5_000
EXCHANGES = 20
FILL = f"""
from django.utils import timezone
from accounts.models import Membership
from accounts.tenancy.scope import system_scope
from corpora.models import Corpus, Document
with system_scope():
    admin = Membership.objects.get(user__email__startswith="admin@")
    corpus = Corpus.objects.create(organization_id=admin.organization_id, name="Hemeroteca", corpus_type="global")
    Document.objects.bulk_create(
        Document(
            corpus=corpus, uploaded_by_id=admin.user_id, filename=f"recorte-{{n:04}}.md", title=f"Recorte {{n}}",
            media_type="text/markdown", size=900 + n, sha256=f"{{n:064}}", status="indexed", version=1, chunk_count=1,
            indexed_at=timezone.now(),
        )
        for n in range({ROWS})
    )
    print(corpus.pk)
"""
WATCH = """
window.speed = {paint: 0, shift: 0, blocked: 0};
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.speed.paint = one.startTime;
}).observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.speed.shift += one.value;
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.speed.blocked += Math.max(0, one.duration - 50);
}).observe({type: "longtask", buffered: true});
"""


@dataclass(frozen=True, slots=True)
class Speed:
    """Largest paint and blocked time in milliseconds; the sum of the layout's shifts."""

    paint: float
    shift: float
    blocked: float


@dataclass(frozen=True, slots=True)
class House:
    """An installation with much in it, and the addresses of its heaviest pages."""

    visits: Visits
    corpus: str
    document: str
    conversation: str


@pytest.fixture(scope="module")
def house(browser: Browser, folder_in_memory: Path, documents: WalkDocuments) -> Iterator[House]:
    folder = Path(mkdtemp(dir=folder_in_memory))
    environment, people = prepared(folder)
    fill = [sys.executable, str(ROOT / "manage.py"), "shell", "--verbosity", "0", "--command", FILL]
    filled = subprocess.run(fill, env=environment_of(folder, {}), check=True, stdout=subprocess.PIPE, text=True).stdout
    with serving(folder, environment, people) as (installation, _process):
        visits = Visits(browser, installation)
        corpus = installation.api("alicia", "POST", "/api/corpora/", {"name": "Impreso"})["id"]
        document = uploaded(visits, corpus, documents.long)
        yield House(visits, filled.split()[-1], document, long_conversation(visits))


def long_conversation(visits: Visits) -> str:
    """Its address, with as many questions answered."""
    api, said = visits.installation.api, {"stream": False}
    agent = next(
        one for one in api("alicia", "GET", "/api/agents/")["results"] if one["slug"] == "asistente-corporativo"
    )
    ask = said | {"messages": [{"role": "user", "content": "¿Cuánto dura el préstamo de un libro?"}]}
    answer = api("alicia", "POST", f"/api/agents/{agent['id']}/chat/", ask)
    for _again in range(EXCHANGES - 1):
        api("alicia", "POST", f"/api/agents/{agent['id']}/chat/", ask | {"conversation": answer["conversation"]})
    return f"/conversations/{answer['conversation']}/"


def opened(page: Page, path: str) -> Speed:
    page.goto(path)
    page.wait_for_load_state("networkidle")
    return Speed(**page.evaluate("window.speed"))


def assert_fast(visits: Visits, path: str, person: str = "alicia") -> None:
    """The best of several visits: what else the machine does only adds. The first fills the browser's cache."""
    with visits.window(person) as page:
        page.add_init_script(WATCH)
        seen = [opened(page, path) for _visit in range(TIMES)]
    assert all(one.paint for one in seen), "nothing was painted, so nothing was measured"
    assert min(one.paint for one in seen) < patience(LARGEST_PAINT_MS), seen
    assert max(one.shift for one in seen) < SHIFT, seen
    assert min(one.blocked for one in seen) < patience(BLOCKED_MS), seen


def test_a_long_conversation_opens_at_once_and_stands_still(house: House) -> None:
    assert_fast(house.visits, house.conversation)


def test_an_agents_page_opens_at_once_and_stands_still(house: House) -> None:
    assert_fast(house.visits, "/agents/asistente-corporativo/")


def test_a_long_documents_page_opens_at_once_and_stands_still(house: House) -> None:
    assert_fast(house.visits, f"/documents/{house.document}/")
    assert_fast(house.visits, f"/documents/{house.document}/pages/200/")


def test_a_corpus_of_thousands_opens_at_once_and_stands_still(house: House) -> None:
    with house.visits.window("admin") as page:
        page.goto(f"/corpora/{house.corpus}/")
        expect(page.locator("#documents tbody tr[id]").first).to_be_visible()
        expect(page.locator("body")).to_contain_text("5000")
    assert_fast(house.visits, f"/corpora/{house.corpus}/", person="admin")


def test_the_admins_home_opens_at_once_and_stands_still(house: House) -> None:
    assert_fast(house.visits, "/admin/", person="admin")


def test_the_image_of_a_page_is_there_at_once(house: House) -> None:
    """Pages that nobody has asked for before; the quarter that the rest of the machine disturbed least."""
    took = []
    with house.visits.window("alicia") as page:
        for number in range(100, 109):
            page.goto(f"/documents/{house.document}/pages/{number}/")
            image = page.locator("figure.printed img")
            expect(image).to_have_js_property("complete", True)
            took.append(page.evaluate(
                "performance.getEntriesByType('resource').find((one) => one.initiatorType === 'img').duration"
            ))  # fmt: skip
    assert sorted(took)[len(took) // 4] < patience(PAGE_IMAGE_MS), took
