"""Whole retrievals: exact terms, recency, diversity, expansions, re-ranking, the budget, and the trace of it all."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Membership
from corpora.models import Chunk, Corpus, Document, DocumentText
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.endpoint import Reply, serving
from retrieval.tests.shelf import index, scope_of, shelve
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = pytest.mark.django_db

RULES = {
    13: "Art. 13.1. Los portátiles se prestan en el mostrador. Art. 13.2. Su préstamo dura cuatro horas.",
    14: "Art. 14.1. Se guarda silencio en las salas. Art. 14.2. La comida solo se admite en la cafetería.",
    2: "Art. 2.14. Los carnés se renuevan cada dos años. La comida no se menciona en este capítulo.",
    1: "Sobre la comida y sobre los artículos de esta guía: qué dice cada uno y sobre qué trata.",
}
LOANS = "A loan lasts twenty-one days. It may be renewed twice unless another reader waits for the book."
QUESTION = "How many days does a loan last?"


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    settings.RERANK_URL = settings.RERANK_MODEL = settings.RERANK_API_KEY = ""


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def corpus(alice: Membership) -> Corpus:
    made: Corpus = CorpusFactory(personal_of=alice)
    return made


@pytest.fixture
def asked(alice: Membership, corpus: Corpus) -> Any:
    def ask(question: str = QUESTION, **policy: Any) -> Retrieval:
        return retrieve(question, scope_of(alice, corpus), RetrievalPolicy(**policy))

    return ask


def titles(found: Retrieval) -> list[str]:
    return [chunk.title for chunk in found.chunks]


def reasons(found: Retrieval) -> dict[Any, str]:
    return {one.document: one.reason for one in found.candidates}


@pytest.mark.parametrize("question", ["¿Qué dice el artículo 14.2 sobre la comida?", "¿Qué dice el § 14.2?"])
def test_an_article_is_found_by_its_number_however_it_is_called(corpus: Corpus, asked: Any, question: str) -> None:
    for number, text in RULES.items():
        shelve(corpus, text, title=f"Capítulo {number}", language="es")
    found = asked(question)
    assert titles(found)[0] == "Capítulo 14"
    assert found.sufficient


def test_a_code_lifts_the_passage_that_has_it(corpus: Corpus, asked: Any) -> None:
    for code, advice in ((500, "retry it twice"), (503, "wait for Retry-After"), (404, "give up")):
        shelve(
            corpus, f"What should a client do when it gets an error? With {code} it should {advice}.", title=str(code)
        )
    found = asked("What should a client do when it gets error 503?")
    assert titles(found)[0] == "503"
    assert found.sufficient


def test_a_term_lifts_a_passage_from_beyond_the_first_page(corpus: Corpus, asked: Any) -> None:
    for n in range(30):
        shelve(corpus, f"Retries and retry limits for the retry of retries, part {n} of {n + 40}.", title=f"Part {n}")
    shelve(corpus, "The limit is kept in the setting max_retry_limit, beside many other settings of the gateway.")
    found = asked("Which retry limits for retries has max_retry_limit?", threshold=0.0)
    assert "max_retry_limit" in found.chunks[0].text


def test_recency_prefers_the_newer_and_filters_nothing(corpus: Corpus, asked: Any) -> None:
    today = timezone.localdate()
    for title, days, place in (("Old", 3000, "first"), ("New", 10, "second"), ("Undated", None, "third")):
        dated = None if days is None else today - timedelta(days=days)
        shelve(corpus, f"On the {place} floor. {LOANS} Ask at desk {place * 3}.", title=title, source_date=dated)
    plain, recent = asked(), asked(recency_half_life_days=365)
    assert titles(recent) == ["New", "Undated", "Old"]
    assert set(titles(plain)) == set(titles(recent))
    assert {c.title: c.relevance for c in plain.chunks} == {c.title: c.relevance for c in recent.chunks}


def test_diversity_makes_room_for_what_is_new(corpus: Corpus, asked: Any) -> None:
    for n in range(3):
        shelve(corpus, f"{LOANS} That is rule number {n} of the house, {'very ' * n}plainly.", title="Same")
    shelve(corpus, "Films may be taken home for seven days at most, and never those that are new.", title="Other")
    assert titles(asked(top_k=2, threshold=0.0)) == ["Same", "Same"]
    diverse = asked(top_k=2, threshold=0.0, diversity=0.5)
    assert titles(diverse) == ["Same", "Other"]
    assert "diversity" in {one.reason for one in diverse.candidates}


def test_another_phrasing_finds_what_the_question_s_words_do_not(corpus: Corpus, asked: Any) -> None:
    shelve(corpus, "The borrowing period is twenty-one days.", title="Borrowing")
    shelve(corpus, "Dogs live eight years.", title="Dogs")
    assert not asked("How long may I keep a volume?").sufficient
    found = asked("How long may I keep a volume?", expansions=("What is the borrowing period?",))
    assert titles(found) == ["Borrowing"]
    assert found.sufficient


def test_all_phrasings_are_embedded_in_one_request(corpus: Corpus, asked: Any, settings: Any) -> None:
    shelve(corpus, LOANS)
    with serving() as endpoint:
        settings.OPENAI_BASE_URL = endpoint.url
        asked(expansions=("a", "b", "c", "d"))
        questions = [request["input"] for request in endpoint.requests if QUESTION in request["input"]]
    assert questions in ([], [[QUESTION, "a", "b", "c"]])


@pytest.mark.parametrize("leg", ["dense", "bm25"])
def test_one_leg_alone_is_searched_and_keeps_its_order(corpus: Corpus, asked: Any, leg: str) -> None:
    for n in range(5):
        shelve(corpus, f"{'loan ' * n} lasts {n} days. {LOANS[n * 7 :]}", title=str(n))
    found = asked(legs=(leg,), threshold=0.0)
    scores = [getattr(one, leg) for one in found.candidates]
    assert scores == sorted(scores, reverse=True)
    assert {getattr(one, "bm25" if leg == "dense" else "dense") for one in found.candidates} == {None}
    assert found.degraded is None


def test_weights_may_be_measured_in_the_place_of_the_space_s(corpus: Corpus, asked: Any) -> None:
    for n in range(4):
        shelve(corpus, f"{'loan ' * n} lasts {n} days. {LOANS[n * 7 :]}", title=str(n))
    by_words = asked(dense_weight=0.0, bm25_weight=1.0, threshold=0.0)
    best = max(one.bm25 for one in by_words.candidates if one.bm25)
    assert all(one.fused == pytest.approx((one.bm25 or 0) / best) for one in by_words.candidates)


def test_every_candidate_is_traced_in_ids_and_numbers_only(corpus: Corpus, asked: Any) -> None:
    kept, copy = (shelve(corpus, LOANS, title="canary", filename=f"{n}.txt") for n in range(2))
    weak = shelve(corpus, "Dogs live for eight days.", title="canary")
    gone = shelve(corpus, f"Gone. {LOANS}", title="canary")
    gone.chunks.all().delete()
    found = asked(threshold=0.75)
    assert reasons(found)[weak.pk] == "threshold"
    assert {reasons(found)[kept.pk], reasons(found)[copy.pk]} == {"kept", "duplicate"}
    (stale,) = (one for one in found.candidates if one.reason == "stale")
    assert (stale.document, stale.corpus, stale.kept) == (None, None, False)
    assert found.dropped == {"duplicate": 1, "threshold": 1, "stale": 1}
    assert "canary" not in repr(found.candidates)
    assert "loan" not in repr(found.candidates)


def sectioned(corpus: Corpus) -> Document:
    """A document of chunks that overlap by some words, as those of one section do."""
    text = " ".join(f"Paragraph {n} says that the {n}th shelf holds books about topic{n}." for n in range(40))
    document: Document = shelve(corpus, text, title="Shelves")
    for chunk in Chunk.objects.filter(document=document).order_by("index"):
        start = max(0, chunk.start - 60)
        Chunk.objects.filter(pk=chunk.pk).update(start=start, text=text[start : chunk.end])
    index(document)
    return document


def test_a_passage_is_widened_by_its_neighbours_and_stays_a_slice_of_the_document(
    corpus: Corpus, asked: Any, django_assert_num_queries: Any
) -> None:
    document = sectioned(corpus)
    text = DocumentText.objects.get(document=document).text
    question = "Which shelf holds books about topic20?"
    narrow = asked(question, top_k=1, neighbours=False)
    asked(question, top_k=1)
    with django_assert_num_queries(4):
        wide = asked(question, top_k=1)
    (passage,), (small,) = wide.chunks, narrow.chunks
    assert passage.start < small.start < small.end < passage.end
    assert passage.text == text[passage.start : passage.end]
    assert (passage.chunk, passage.relevance, wide.score) == (small.chunk, small.relevance, narrow.score)
    assert passage.token_count <= 2000
    tight = asked(question, top_k=1, budget_tokens=small.token_count + 20)
    assert tight.chunks == narrow.chunks


def test_a_neighbour_outside_the_scope_is_never_read(alice: Membership, corpus: Corpus, asked: Any) -> None:
    document = sectioned(corpus)
    question = "Which shelf holds books about topic20?"
    middle = asked(question, top_k=1, neighbours=False).chunks[0]
    Chunk.objects.filter(document=document).exclude(pk=middle.chunk).update(version=7)
    assert asked(question, top_k=1).chunks == (middle,)


def test_beyond_the_budget_the_sentences_that_matter_stay(corpus: Corpus, asked: Any) -> None:
    filler = "The hall is heated in the cold months of the winter. "
    shelve(corpus, filler * 3 + LOANS + " " + filler * 2, title="Long")
    (shorter,) = asked(budget_tokens=45, threshold=0.0).chunks
    assert "A loan lasts twenty-one days." in shorter.text
    assert "[…]" in shorter.text
    assert shorter.token_count <= 45
    assert (shorter.start, shorter.end > len(shorter.text)) == (0, True)
    (cut,) = asked(budget_tokens=45, threshold=0.0, compress=False).chunks
    assert "loan" not in cut.text
    assert (filler * 3).startswith(cut.text)


def test_a_passage_that_is_too_long_even_so_is_told_by_its_document_s_summary(corpus: Corpus, asked: Any) -> None:
    endless = "a loan lasts twenty-one days and " * 11
    summary = "How long loans last."
    document = shelve(corpus, endless, title="Endless", summary=summary)
    found = asked(budget_tokens=20, threshold=0.0)
    assert [(c.document, c.text, c.start) for c in found.chunks] == [(document.pk, summary, 0)]
    assert asked(budget_tokens=20, threshold=0.0, compress=False).chunks == ()


def reranker(*scores: float) -> Reply:
    return Reply(body=json.dumps([{"index": n, "score": score} for n, score in enumerate(scores)]).encode())


def test_the_re_ranker_decides_the_order_and_leaves_relevance_and_confidence(
    corpus: Corpus, asked: Any, settings: Any
) -> None:
    for n in range(3):
        shelve(corpus, f"{LOANS} {' '.join(f'Word{n}{m}' for m in range(9))}.", title=str(n))
    plain = asked()
    with serving() as endpoint:
        settings.RERANK_URL = endpoint.url.removesuffix("/v1")
        endpoint.script.append(reranker(0.1, 0.5, 0.9))
        found = asked(rerank=True)
        assert len(endpoint.requests) == 1
        assert all(LOANS in text for text in endpoint.requests[0]["texts"])
    by_fusion = [one.chunk for one in sorted(found.candidates, key=lambda one: -one.fused)]
    assert [chunk.chunk for chunk in found.chunks] == by_fusion[::-1]
    assert {c.chunk: c.relevance for c in found.chunks} == {c.chunk: c.relevance for c in plain.chunks}
    assert (found.confidence, found.notes) == (plain.confidence, ())


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/rerank", "http://not-allowed.example.org"])
def test_without_the_re_ranker_the_order_of_fusion_stands_and_is_noted(
    corpus: Corpus, asked: Any, settings: Any, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    shelve(corpus, LOANS)
    settings.RERANK_URL = url
    found, plain = asked(rerank=True), asked()
    assert (found.chunks, found.degraded, found.notes) == (plain.chunks, None, ("rerank_unavailable",))
    assert "loan" not in caplog.text


def test_an_agent_that_re_ranks_without_a_re_ranker_is_no_fault(corpus: Corpus, asked: Any) -> None:
    shelve(corpus, LOANS)
    assert asked(rerank=True).notes == ()


def test_the_re_ranker_reads_the_fifty_best_and_of_each_the_words_that_matter(
    corpus: Corpus, asked: Any, settings: Any
) -> None:
    filler = "The hall is heated in the cold months of winter. " * 30
    for n in range(60):
        shelve(corpus, f"{filler} {LOANS} {' '.join(f'Word{n}x{m}' for m in range(9))}.", title=str(n))
    with serving() as endpoint:
        settings.RERANK_URL = endpoint.url.removesuffix("/v1")
        endpoint.script.append(reranker(*(n / 50 for n in range(50))))
        found = asked(rerank=True, candidates=60, top_k=10)
        (sent,) = endpoint.requests
    assert len(sent["texts"]) == 50
    assert all(LOANS in text and len(text) < 900 for text in sent["texts"])
    assert found.notes == ()
