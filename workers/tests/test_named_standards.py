"""Standards in two editions and a handbook: whole retrievals over small made ones, of another kind than any sample."""

from datetime import date
from typing import Any

import pytest

from accounts.models import Membership
from corpora.models import Chunk, Corpus, Document, DocumentText, Section
from retrieval.confidence.gate import Confidence
from retrieval.places import statements
from retrieval.places.names import keep_names
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import index, scope_of
from tests.factories import CorpusFactory, DocumentFactory, MembershipFactory
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.plain import extract_text
from workers.ingestion.index.outline import sections_of

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

# Requirements are numbered by letters and in another depth than the samples', clauses are "§".
OLD, NEW = "Dam Safety Standard (DSS) 2.1", "Dam Safety Standard (DSS)"
OLD_TEXT = """Dam Safety Standard 2.1

1. Scope

DS-1.1 Every spillway is inspected once a year by the keeper of the dam.

DS-1.2 Every gate is opened once a month and the date is written down.

DS-1.3 Every alarm is heard in the valley and tested on Mondays.

2. People

DS-2.1 A keeper lives no further than two kilometres away.

DS-2.2 A keeper is replaced within four hours.

Table 1. Water levels
Level Colour
Low Green
"""
NEW_TEXT = """Dam Safety Standard
Version 3.0.0

1. Scope

DS-1.1 Every spillway is filmed without a pause by two cameras.

DS-1.2 Every gate is opened once a week by remote control.

DS-1.3 Every alarm is sent to the telephones of the valley.

2. People

DS-2.1 A keeper is on call and answers within ten minutes.

DS-2.2 A keeper is replaced within one hour.
"""
HANDBOOK_TEXT = """CHAPTER I. WELCOME

You are welcome in the valley of the dams.

CHAPTER II. TIME OFF

Who may be away

Everybody may be away for thirty days.

APPENDIX A. FORMS

The form for time off is green.

Table 1. Days by years of service
Years Days
One Thirty
"""


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def shelf(alice: Membership) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=alice.organization, name="Dams")
    keep(corpus, OLD_TEXT, OLD, "dss-2.1.pdf")
    keep(corpus, NEW_TEXT, NEW, "dam-safety-standard.pdf")
    keep(corpus, HANDBOOK_TEXT, "Keepers' handbook", "keepers-handbook-60-pages.docx")
    return corpus


def keep(corpus: Corpus, text: str, title: str, filename: str, **facts: Any) -> Document:
    """As the pipeline does it: a chunk for each section that has no other below it."""
    extracted: Extracted = extract_text(text.encode())
    document: Document = DocumentFactory(
        corpus=corpus, text=extracted.text, title=title, filename=filename, language="en", **facts
    )
    Section.objects.filter(document=document).delete()
    Section.objects.bulk_create(sections_of(document, document.version, extracted))
    rows = [[one.level, one.title, one.start, one.end] for one in extracted.headings]
    DocumentText.objects.filter(document=document).update(headings=rows)
    assert Chunk.objects.filter(document=document).exists()
    index(document)
    keep_names(document)
    return document


@pytest.fixture
def ask(alice: Membership, shelf: Corpus) -> Any:
    def asked(question: str, **policy: Any) -> Retrieval:
        return retrieve(question, scope_of(alice, shelf), RetrievalPolicy(**policy))

    return asked


@pytest.mark.parametrize(
    ("question", "title", "said"),
    [
        ("What does DS-1.1 say in the DSS 2.1?", OLD, "inspected once a year"),
        ("What does DS-1.1 require (DSS version 3.0.0)?", NEW, "two cameras"),
        ("DS-2.2 of the Dam Safety Standard 3.0", NEW, "within one hour"),
        ("DS-2.2 in version 2.1", OLD, "within four hours"),
        ("DS-1.2 (DSS 3)", NEW, "once a week"),
    ],
)
def test_an_edition_that_is_named_is_the_one_that_answers(ask: Any, question: str, title: str, said: str) -> None:
    found = ask(question)
    assert (found.chunks[0].title, said in found.chunks[0].text) == (title, True)
    assert found.confidence is Confidence.HIGH
    assert {chunk.title for chunk in found.chunks} == {title}


@pytest.mark.parametrize("question", ["What does DS-1.1 say?", "What does DS-1.1 of the DSS say?"])
def test_where_no_edition_is_named_all_of_them_are_shown_and_none_is_sure(ask: Any, question: str) -> None:
    found = ask(question)
    assert {chunk.title for chunk in found.chunks[:2]} == {OLD, NEW}
    assert found.confidence is Confidence.MEDIUM
    assert not found.named.is_sure


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does DS-1.1 say in version 4.0 of the DSS?", "version 4.0"),
        ("What does DS-1.1 say (DSS version 4.0)?", "DSS version 4.0"),
    ],
)
def test_an_edition_that_is_not_there_is_missing(ask: Any, question: str, missing: str) -> None:
    found = ask(question, min_confidence=0.0)
    assert not found.sufficient
    assert found.named.missing_documents == (missing,)
    assert set(found.named.nearest) == {OLD, NEW}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is chapter 2 about (handbook)?", "thirty days"),
        ("chapter II of the handbook", "thirty days"),
        ("What does Appendix A contain?", "The form for time off"),
        ("Table 1 of the handbook", "Years Days"),
        ("tabla 1 (DSS 2.1)", "Low Green"),
        ("chapter two", "thirty days"),
    ],
)
def test_chapters_appendices_and_tables_are_found_by_their_numbers(ask: Any, question: str, said: str) -> None:
    found = ask(question)
    assert said in found.chunks[0].text
    assert found.named.places


def test_a_number_that_no_section_has_is_missing_nowhere(ask: Any) -> None:
    assert not ask("What is 10.0.0.1?").named.is_missing
    assert not ask('What does the section "Fishing" say?').named.is_missing


def test_how_many_strangers_have_a_place_changes_nothing_for_who_asks(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The documents of a place are looked for in all organizations first, and confirmed in scope."""
    few = ask("What does DS-1.1 say?")
    for most_holders, most_wide in ((0, 128), (64, 128), (0, 1), (64, 1)):
        monkeypatch.setattr(statements, "MOST_HOLDERS", most_holders)
        monkeypatch.setattr(statements, "MOST_WIDE", most_wide)
        found = ask("What does DS-1.1 say?")
        assert (found.named == few.named) is (most_wide == 128)


def test_a_year_and_an_author_tell_documents_of_one_kind_apart(alice: Membership, shelf: Corpus) -> None:
    for who, year in (("Ana García", 2011), ("Luis Peña", 2014)):
        text = f"1. Results\n\nThe spillways of {year} are sound, says {who.split()[0]}.\n\n2. Rest\n\nNothing.\n"
        facts = {"meta": {"author": who}, "source_date": date(year, 5, 1)}
        keep(shelf, text, "Annual report on the dams", f"report-{who[:3]}.txt", **facts)
    for question, said in (
        ("What does the report of 2014 say about spillways?", "Luis"),
        ("What does the report by García say about spillways?", "Ana"),
    ):
        found = retrieve(question, scope_of(alice, shelf), RetrievalPolicy())
        assert [said in chunk.text for chunk in found.chunks[:1]] == [True]
        assert found.named.documents == ("Annual report on the dams",)


def test_what_shares_no_word_is_not_named_as_near(ask: Any) -> None:
    assert ask("article 4 of the Constitution").named.nearest == ()
    assert set(ask("article 4 of the Dam Fishing Act").named.nearest) == {OLD, NEW}
