"""A title that nobody gave is known to be a guess, whatever it was taken from; one that was given is none."""

from collections.abc import Callable

import pytest

from corpora.models import Corpus, Document
from tests.factories import CorpusFactory
from tests.library import upload
from tests.people import People

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def corpus(people: People) -> Corpus:
    return CorpusFactory(personal_of=people.alice)


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [("guide.md", "# CHAPTER 1\n\nA loan lasts.\n", "CHAPTER 1"), ("loan_rules.txt", "A loan lasts.\n", "loan rules")],
)
def test_a_title_taken_from_the_text_or_the_file_name_is_marked(
    corpus: Corpus, people: People, worker: Callable[[], int], name: str, text: str, title: str
) -> None:
    document = upload(corpus, people.alice, name, text)
    assert worker() == 1
    document.refresh_from_db()
    assert (document.title.casefold(), document.title_guessed) == (title.casefold(), True)


def test_a_given_title_is_not(corpus: Corpus, people: People, worker: Callable[[], int]) -> None:
    given = upload(corpus, people.alice, "guide.md", "# CHAPTER 1\n\nA loan lasts.\n", title="The guide")
    assert worker() == 1
    given.refresh_from_db()
    assert (given.title, given.title_guessed) == ("The guide", False)


def test_what_is_read_again_stays_a_guess(corpus: Corpus, people: People, worker: Callable[[], int]) -> None:
    document = upload(corpus, people.alice, "guide.md", "# CHAPTER 1\n\nA loan lasts.\n")
    worker()
    Document.objects.filter(pk=document.pk).requeue()
    worker()
    document.refresh_from_db()
    assert document.title_guessed
