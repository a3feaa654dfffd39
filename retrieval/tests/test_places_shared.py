"""A place that several documents have, and of which the question does not say whose it is."""

from typing import Any

import pytest

from accounts.models import Membership
from corpora.models import Corpus, Document
from retrieval.confidence.gate import Confidence
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of, shelve
from retrieval.tests.test_places import name
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

TERRACES, ALLOTMENTS = "Ordenanza de terrazas", "Ordenanza de huertos"


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def shelf(alice: Membership) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=alice.organization, name="Normas")
    for title, said in ((TERRACES, "Se prohíben las estufas de gas."), (ALLOTMENTS, "Se prohíben los herbicidas.")):
        heading = "Artículo 10. Prohibiciones"
        text = f"{heading}\n\n{said} Quien no lo cumpla pierde su licencia.\n"
        headings = [[2, heading, 0, len(heading)]]
        name(shelve(corpus, text, title=title, language="es", headings=headings, pages=[[1, 0, len(text)]]))
    return corpus


@pytest.fixture
def ask(alice: Membership, shelf: Corpus) -> Any:
    def asked(question: str, **policy: Any) -> Retrieval:
        return retrieve(question, scope_of(alice, shelf), RetrievalPolicy(**policy))

    return asked


@pytest.mark.parametrize("question", ["artículo 10", "¿Qué dice el art. 10 sobre las infracciones?"])
def test_all_that_have_it_are_told_and_none_is_sure(ask: Any, question: str) -> None:
    found = ask(question)
    assert set(found.named.shared_by) == {TERRACES, ALLOTMENTS}
    assert {chunk.title for chunk in found.chunks[:2]} == {TERRACES, ALLOTMENTS}
    assert found.confidence is not Confidence.HIGH


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("¿Qué dice el artículo 10 sobre los herbicidas?", ALLOTMENTS),
        ("artículo 10 de la ordenanza de terrazas", TERRACES),
        ("artículo 10, lo de los huertos", ALLOTMENTS),
    ],
)
def test_the_rest_of_the_question_decides(ask: Any, question: str, title: str) -> None:
    found = ask(question)
    assert found.named.shared_by == ()
    assert found.chunks[0].title == title


def test_a_document_that_is_preferred_has_it_alone(ask: Any) -> None:
    preferred = Document.objects.get(title=ALLOTMENTS)
    found = ask("artículo 10", preferences={"document": (str(preferred.pk),)})
    assert (found.named.shared_by, found.chunks[0].title) == ((), ALLOTMENTS)
