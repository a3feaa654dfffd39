"""Facts on the page of a corpus: kept, replaced by name, refused with a reason, and only by who may write."""

import pytest
from django.test import Client
from django.urls import reverse

from corpora.models import Corpus, Document
from tests.factories import CorpusFactory
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def corpus(people: People) -> Corpus:
    return CorpusFactory(personal_of=people.alice)


@pytest.fixture
def alice(people: People) -> Client:
    return signed_in(people.alice)


def keep(client: Client, corpus: Corpus, **said: str) -> str:
    page = client.post(reverse("fact-keep", args=[corpus.pk]), said, follow=True)
    return page.content.decode()


def test_a_fact_is_kept_and_one_of_the_same_name_replaces_it(alice: Client, corpus: Corpus) -> None:
    assert "Horario" in keep(alice, corpus, title="Horario", text="La sala abre a las nueve.", source="Circular 3")
    keep(alice, corpus, title="Horario", text="La sala abre a las diez.")
    fact = Document.objects.get()
    assert (fact.title, fact.fact_key, fact.content_type) == ("Horario", "Horario", "hecho")
    with fact.file.open("rb") as kept:
        assert kept.read().decode() == "La sala abre a las diez."


def test_a_fact_without_a_statement_is_refused_with_a_reason(alice: Client, corpus: Corpus) -> None:
    assert "Un dato tiene nombre y texto." in keep(alice, corpus, title="Horario", text="")
    assert not Document.objects.exists()


def test_the_form_stands_where_one_may_write(alice: Client, corpus: Corpus, people: People) -> None:
    shared = CorpusFactory(shared_in=people.alice.organization)
    assert reverse("fact-keep", args=[corpus.pk]) in alice.get(reverse("corpus", args=[corpus.pk])).content.decode()
    assert "fact_text" not in alice.get(reverse("corpus", args=[shared.pk])).content.decode()
