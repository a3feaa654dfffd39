"""Whole retrievals over a real index and a real database. Alice asks, Bob is in her team, Charlie is a stranger."""

import logging
import time
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from prometheus_client import REGISTRY

from accounts.models import Membership
from corpora.models import Corpus
from corpora.scope import Scope
from retrieval import search
from retrieval.confidence.gate import Confidence
from retrieval.embeddings import get_provider
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.results import RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import index, scope_of, shelve
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

LOANS = (
    "A loan lasts twenty-one days. It may be renewed twice unless another reader waits for the book. "
    "Who returns a book late pays ten cents a day. Reference works are read in the hall and are never lent."
)
SEEDS = (
    "Tomato seeds germinate within eight days at twenty degrees. Sow them in March, one centimetre deep. "
    "Seedlings move to the garden after the last frost, at half a metre from each other."
)
DOGS = (
    "Bernese mountain dogs live seven to eight years. Their coat is long and must be brushed twice a week. "
    "They pulled milk carts in the Alps before the railway came."
)
QUESTION = "How many days does a loan last?"


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def bob(alice: Membership) -> Membership:
    return MembershipFactory(organization=alice.organization)


@pytest.fixture
def library(alice: Membership) -> Corpus:
    """A global corpus about three things."""
    corpus: Corpus = CorpusFactory(shared_in=alice.organization, name="Library")
    for title, text in (("Loans", LOANS), ("Seeds", SEEDS), ("Dogs", DOGS)):
        shelve(corpus, text, title=title, pages=[[3, 0, 10_000]])
    return corpus


def counted(name: str) -> float:
    return REGISTRY.get_sample_value(name) or 0.0


def test_the_passage_that_answers_comes_first_with_all_that_a_citation_needs(
    alice: Membership, library: Corpus
) -> None:
    found = retrieve(QUESTION, scope_of(alice, library))
    best = found.chunks[0]
    assert found.sufficient
    assert found.degraded is None
    assert (best.title, best.corpus, best.corpus_name, best.corpus_type) == ("Loans", library.pk, "Library", "global")
    assert (best.page, best.start, best.text) == (3, 0, LOANS)
    assert best.relevance >= 0.6
    assert best.dense is not None
    assert best.bm25 is not None
    assert set(found.timings) == {"places", "embed", "search", "confirm", "rank", "fit", "total"}


def test_what_the_documents_do_not_hold_is_not_sufficient(alice: Membership, library: Corpus) -> None:
    found = retrieve("Which treaty ended the Thirty Years' War?", scope_of(alice, library))
    assert not found.sufficient
    assert found.confidence in (Confidence.LOW, Confidence.NONE)


def test_an_empty_scope_or_question_searches_nothing(
    alice: Membership, library: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: Any) -> None:
        raise AssertionError("nothing may be embedded or searched")

    monkeypatch.setattr(search, "provider_of", never)
    monkeypatch.setattr(search, "index_of", never)
    assert retrieve(QUESTION, scope_of(alice)).chunks == ()
    assert retrieve("  \n", scope_of(alice, library)).chunks == ()


def test_both_tiers_are_searched_and_others_corpora_are_not(alice: Membership, bob: Membership) -> None:
    own = CorpusFactory(personal_of=alice)
    shared = CorpusFactory(shared_in=alice.organization)
    unassigned = CorpusFactory(shared_in=alice.organization)
    mine, ours = shelve(own, f"Alice's note. {LOANS}"), shelve(shared, f"House rules. {LOANS}")
    shelve(unassigned, f"Another department. {LOANS}")
    shelve(CorpusFactory(personal_of=bob), f"Bob's note. {LOANS}")
    shelve(CorpusFactory(personal_of=MembershipFactory()), f"Charlie's note. {LOANS}")

    found = retrieve(QUESTION, scope_of(alice, own, shared))

    assert {chunk.document for chunk in found.chunks} <= {mine.pk, ours.pk}
    assert {chunk.document for chunk in retrieve(QUESTION, scope_of(alice, own)).chunks} == {mine.pk}


def test_a_question_costs_three_database_queries(
    alice: Membership, library: Corpus, django_assert_num_queries: Any
) -> None:
    """The names of documents that its words may be, whose passages were found, and these in scope."""
    scope = scope_of(alice, library)
    retrieve(QUESTION, scope)
    with django_assert_num_queries(3):
        retrieve(QUESTION, scope)


def test_a_hit_from_outside_the_scope_is_dropped_counted_and_logged_by_ids(
    alice: Membership, bob: Membership, library: Corpus, caplog: pytest.LogCaptureFixture
) -> None:
    """A planted mutant: Bob's points claim to be of Alice's corpus."""
    secret = shelve(CorpusFactory(personal_of=bob, name="canary-corpus"), f"canary-text {LOANS}", title="canary-title")
    index(secret, {"corpus_id": str(library.pk), "corpus_type": "global"})
    before = counted("isolation_violation_total")

    with caplog.at_level(logging.ERROR):
        found = retrieve(QUESTION, scope_of(alice, library))

    assert secret.pk not in {chunk.document for chunk in found.chunks}
    assert counted("isolation_violation_total") == before + 1
    assert found.dropped["isolation"] == 1
    assert str(secret.corpus_id) in caplog.text
    assert "canary" not in caplog.text


def test_a_personal_corpus_in_a_wrong_scope_is_a_violation_too(alice: Membership, bob: Membership) -> None:
    """Another mutant: the scope itself names Bob's corpus, and the payload says it is Alice's."""
    corpus = CorpusFactory(personal_of=bob)
    index(shelve(corpus, LOANS), {"user_id": str(alice.user_id)})
    before = counted("isolation_violation_total")
    assert retrieve(QUESTION, scope_of(alice, corpus)).chunks == ()
    assert counted("isolation_violation_total") == before + 1


@pytest.mark.parametrize("change", ["deleted", "superseded", "deactivated", "corpus deleted", "gone"])
def test_what_is_no_longer_served_disappears_at_once_without_re_indexing(
    alice: Membership, library: Corpus, change: str
) -> None:
    document = library.documents.get(title="Loans")
    if change == "deleted":
        document.deleted_at = timezone.now()
    elif change == "superseded":
        document.version = 2
    elif change == "gone":
        document.chunks.all().delete()
    elif change == "deactivated":
        library.is_active = False
    else:
        library.deleted_at = timezone.now()
    document.save()
    library.save()
    stale, violations = counted("retrieval_stale_hits_total"), counted("isolation_violation_total")

    found = retrieve(QUESTION, scope_of(alice, library))

    assert document.pk not in {chunk.document for chunk in found.chunks}
    assert counted("retrieval_stale_hits_total") > stale
    assert counted("isolation_violation_total") == violations


def test_stale_hits_do_not_take_the_place_of_served_ones(alice: Membership, library: Corpus) -> None:
    """More stale points than are read at once stand before the one that is served."""
    for n in range(20):
        gone = shelve(library, f"A loan lasts {n} days. How many days does a loan last?")
        gone.chunks.all().delete()
    found = retrieve(QUESTION, scope_of(alice, library), RetrievalPolicy(top_k=2))
    assert [chunk.title for chunk in found.chunks][:1] == ["Loans"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1"])
def test_without_the_embedding_server_words_alone_are_searched(
    alice: Membership, library: Corpus, settings: Any, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OPENAI_BASE_URL = address
    monkeypatch.setattr(search, "provider_of", lambda space: get_provider())
    started = time.monotonic()
    found = retrieve(QUESTION, scope_of(alice, library))
    assert time.monotonic() - started < 1.5
    assert found.degraded == "embedding_unavailable"
    assert found.chunks[0].title == "Loans"
    assert found.chunks[0].dense is None
    assert found.sufficient


@pytest.mark.parametrize("error", [IndexUnavailable, IndexLocked])
def test_without_the_index_there_is_no_context_and_no_exception(
    alice: Membership,
    library: Corpus,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[Exception],
) -> None:
    def unavailable(space: Any) -> None:
        raise error("canary-address")

    monkeypatch.setattr(search, "index_of", unavailable)
    found = retrieve("canary-question", scope_of(alice, library))
    assert (found.degraded, found.chunks, found.sufficient) == ("index_unavailable", (), False)
    assert "canary" not in caplog.text


def test_without_the_database_nothing_is_served(alice: Membership, library: Corpus) -> None:
    def down(*args: Any) -> None:
        raise OperationalError("the database is down")

    scope = scope_of(alice, library)
    with connection.execute_wrapper(down), pytest.raises(OperationalError):
        retrieve(QUESTION, scope)


def test_a_question_without_words_finds_nothing(alice: Membership, library: Corpus) -> None:
    assert retrieve("¿?", scope_of(alice, library)).chunks == ()


def test_the_same_text_in_both_tiers_is_shown_once(alice: Membership) -> None:
    own, shared = CorpusFactory(personal_of=alice), CorpusFactory(shared_in=alice.organization)
    shelve(own, LOANS)
    shelve(shared, LOANS)
    assert len(retrieve(QUESTION, scope_of(alice, own, shared)).chunks) == 1


def test_neighbours_become_one_passage_of_the_document(alice: Membership) -> None:
    corpus = CorpusFactory(personal_of=alice)
    text = " ".join(f"Rule {n}: a loan of kind {n} lasts {n} days, and no longer." for n in range(1, 30))
    shelve(corpus, text)
    found = retrieve("How many days does a loan of any kind last?", scope_of(alice, corpus))
    assert len(found.chunks) == 1
    passage = found.chunks[0]
    assert passage.text == text[passage.start : passage.end]
    assert passage.end - passage.start > 400


def test_policy_bounds_passages_and_tokens(alice: Membership) -> None:
    corpus = CorpusFactory(personal_of=alice)
    for n in range(12):
        shelve(corpus, f"Branch {n} of the library. A loan lasts {n} days here; ask at desk {n * 7}. {LOANS[n * 9 :]}")
    scope = scope_of(alice, corpus)
    assert len(retrieve(QUESTION, scope, RetrievalPolicy(top_k=3)).chunks) <= 3
    small = retrieve(QUESTION, scope, RetrievalPolicy(budget_tokens=120))
    assert 0 < sum(chunk.token_count for chunk in small.chunks) <= 120
    assert small.dropped["budget"] > 0


def test_nothing_below_the_threshold_is_kept(alice: Membership, library: Corpus) -> None:
    found = retrieve(QUESTION, scope_of(alice, library), RetrievalPolicy(threshold=0.5))
    assert all(chunk.relevance >= 0.5 for chunk in found.chunks)


def test_requirements_narrow_and_preferences_only_order(alice: Membership) -> None:
    corpus = CorpusFactory(personal_of=alice)
    shelve(corpus, f"For adults. {LOANS}", title="Adults", unit="1", tags=["adult"])
    shelve(corpus, f"In the children's room all is different: there {LOANS.lower()}", title="Children", unit="2")
    scope = scope_of(alice, corpus)

    def titles(**policy: Any) -> list[str]:
        policy = {"threshold": 0.0} | policy
        return [chunk.title for chunk in retrieve(QUESTION, scope, RetrievalPolicy(**policy)).chunks]

    assert titles(requirements={"unit": ["2"]}) == ["Children"]
    assert titles(preferences={"unit": ["2"]})[0] == "Children"
    assert titles(preferences={"tags": ["adult", "other"]})[0] == "Adults"
    assert set(titles(preferences={"unit": ["2"]})) == set(titles())
    for wrong in ({"requirements": {"owner": ["x"]}}, {"preferences": {"owner": ["x"]}}):
        with pytest.raises(ValueError, match="metadata"):
            titles(**wrong)


def test_other_granularities_are_not_mixed_in(alice: Membership, library: Corpus) -> None:
    assert retrieve(QUESTION, scope_of(alice, library), RetrievalPolicy(granularity=256)).chunks == ()


def test_a_scope_of_another_organization_finds_nothing_of_this_one(library: Corpus) -> None:
    charlie = MembershipFactory()
    foreign = Scope(charlie.organization_id, charlie.user_id, global_ids=frozenset({library.pk}))
    assert retrieve(QUESTION, foreign).chunks == ()
