"""Pages of corpora: list, create, change, switch, delete."""

import pytest

from corpora.models import Corpus
from tests.cast import Cast, browser, make_cast
from tests.factories import CorpusFactory, DocumentFactory

STEPS = ["edit/", "activate/", "delete/"]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def own(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice, name="Alice's notes")


@pytest.fixture
def shared(cast: Cast) -> Corpus:
    return CorpusFactory(shared_in=cast.alice.organization, name="House rules")


def test_one_sees_ones_own_and_the_global_corpora(cast: Cast, own: Corpus, shared: Corpus) -> None:
    assert "Alice&#x27;s notes" in browser(cast.alice).get("/corpora/").content.decode()
    for page in (browser(who).get("/corpora/").content.decode() for who in (cast.bob, cast.admin)):
        assert "House rules" in page
        assert "notes" not in page


def test_a_stranger_gets_404(cast: Cast, own: Corpus, shared: Corpus) -> None:
    for corpus in (own, shared):
        assert browser(cast.charlie).get(f"/corpora/{corpus.pk}/").status_code == 404


@pytest.mark.parametrize("who", ["bob", "admin"])
def test_nobody_else_reads_a_personal_corpus(cast: Cast, own: Corpus, who: str) -> None:
    assert browser(getattr(cast, who)).get(f"/corpora/{own.pk}/").status_code == 404


def test_a_member_reads_a_global_corpus_but_does_not_change_it(cast: Cast, shared: Corpus) -> None:
    client = browser(cast.alice)
    page = client.get(f"/corpora/{shared.pk}/").content.decode()
    assert 'id="upload"' not in page
    for step in STEPS:
        assert client.post(f"/corpora/{shared.pk}/{step}", {"name": "mine"}).status_code == 404
    assert Corpus.objects.get(pk=shared.pk).is_active


def test_a_member_creates_personal_corpora_only(cast: Cast) -> None:
    client = browser(cast.alice)
    assert "corpus_type" not in client.get("/corpora/new/").content.decode()
    client.post("/corpora/new/", {"name": "New", "corpus_type": "global"})
    assert Corpus.objects.get().owner == cast.alice.user


def test_an_admin_may_create_a_global_corpus(cast: Cast) -> None:
    browser(cast.admin).post("/corpora/new/", {"name": "New", "corpus_type": "global"})
    corpus = Corpus.objects.get()
    assert (corpus.corpus_type, corpus.owner) == ("global", None)


def test_the_owner_renames_switches_off_and_on_and_deletes(cast: Cast, own: Corpus) -> None:
    client = browser(cast.alice)
    client.post(f"/corpora/{own.pk}/edit/", {"name": "Renamed"})
    client.post(f"/corpora/{own.pk}/activate/", {"active": ""})
    own.refresh_from_db()
    assert (own.name, own.is_active) == ("Renamed", False)
    assert "switched off" in client.get(f"/corpora/{own.pk}/").content.decode()
    client.post(f"/corpora/{own.pk}/activate/", {"active": "1"})
    own.refresh_from_db()
    assert own.is_active
    client.post(f"/corpora/{own.pk}/delete/")
    assert client.get(f"/corpora/{own.pk}/").status_code == 404


def test_the_question_before_deleting_says_what_goes(cast: Cast, own: Corpus) -> None:
    DocumentFactory.create_batch(2, corpus=own)
    page = browser(cast.alice).get(f"/corpora/{own.pk}/").content.decode()
    assert "Nobody reads it and its 2 documents from now on" in page


def test_the_list_is_searched_and_paged(cast: Cast) -> None:
    for n in range(51):
        CorpusFactory(personal_of=cast.alice, name=f"Shelf {n:02}")
    client = browser(cast.alice)
    assert "Shelf 50" not in client.get("/corpora/").content.decode()
    assert "Shelf 50" in client.get("/corpora/?page=2").content.decode()
    assert "Shelf 50" in client.get("/corpora/?q=elf 50").content.decode()
    assert client.get("/corpora/?page=nonsense").status_code == 200
