"""The same text twice, in two corpora or under two names, is found as if it were there once."""

from typing import Any

import pytest

from accounts.models import Membership
from corpora.models import Corpus
from retrieval.results import Retrieval
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of, shelve
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

OFFER = "Oferta de servicios\n\nSoporte mensual: 300 €/mes. Incluye dos visitas y la atención por teléfono.\n"
OTHERS = (
    "El puerto abre a las ocho y cierra a las nueve de la noche.",
    "Las tarifas de amarre se publican en enero.",
    "La biblioteca presta libros durante tres semanas.",
    "El comedor sirve la cena desde las siete.",
)


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def offers(alice: Membership) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=alice.organization, name="Ofertas")
    shelve(corpus, OFFER, title="Oferta", language="es")
    for number, text in enumerate(OTHERS):
        shelve(corpus, text, title=f"Nota {number}", language="es")
    return corpus


def test_the_only_text_may_be_there_twice(alice: Membership) -> None:
    """One that nothing else is found beside needs none that agrees."""
    first, second = (CorpusFactory(shared_in=alice.organization, name=name) for name in ("Ofertas", "Copias"))
    shelve(first, OFFER, title="Oferta", language="es")
    shelve(second, OFFER, title="Oferta (copia)", language="es")
    question = "¿Qué incluye el soporte?"
    alone, twice = (retrieve(question, scope_of(alice, *corpora)) for corpora in ((first,), (first, second)))
    assert (twice.confidence, round(twice.score, 2)) == (alone.confidence, round(alone.score, 2))
    assert len(twice.chunks) == 1


@pytest.mark.parametrize("question", ["¿Cuánto cuesta el soporte?", "¿Cuánto cuesta el soporte mensual?"])
def test_a_copy_takes_nothing_from_what_is_sure(alice: Membership, offers: Corpus, question: str) -> None:
    def asked(*corpora: Corpus) -> Retrieval:
        return retrieve(question, scope_of(alice, *corpora))

    alone = asked(offers)
    copies: Corpus = CorpusFactory(shared_in=alice.organization, name="Copias")
    shelve(copies, OFFER, title="Oferta (copia)", language="es")
    twice = asked(offers, copies)
    assert (twice.sufficient, round(twice.score, 2)) == (alone.sufficient, round(alone.score, 2))
    assert [chunk.text for chunk in twice.chunks] == [chunk.text for chunk in alone.chunks]
