"""Fusion earns its place on XQuAD."""

import statistics
from collections.abc import Callable

import pytest

from evaluation.formulas import hit_at, ndcg_at, recall_at
from retrieval.embeddings.lexical import LexicalProvider
from retrieval.tests import xquad
from retrieval.tests.exact import ExactIndex, numbers

Rank = Callable[[str], list[int]]


def quality(rank: Rank, questions: list[xquad.Question], ids: list[str]) -> tuple[float, float, float]:
    """Mean hit@1, recall@5 and nDCG@10."""
    rows = []
    for question in questions:
        ranked = [ids[number] for number in rank(question.text)]
        rows.append(
            (hit_at(ranked, question.relevant, 1), recall_at(ranked, question.relevant, 5),
             ndcg_at(ranked, question.relevant))
        )  # fmt: skip
    hits, recalls, gains = zip(*rows, strict=True)
    return statistics.fmean(hits), statistics.fmean(recalls), statistics.fmean(gains)


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_embedded_default_beats_both_its_parts_on_xquad(language: str) -> None:
    passages, questions = xquad.passages(language), xquad.questions(language)
    index = ExactIndex(LexicalProvider(), list(passages.values()), language)
    found = {question.text: index.search(question.text) for question in questions}
    ids = list(passages)

    hybrid = quality(lambda text: numbers(index.ranked(text, found[text])), questions, ids)
    bm25 = quality(lambda text: [hit.id.int for hit in found[text].sparse], questions, ids)
    dense = quality(lambda text: [hit.id.int for hit in found[text].dense], questions, ids)

    assert hybrid[0] >= 0.92
    assert hybrid[1] >= 0.98
    assert hybrid[0] > max(bm25[0], dense[0])
    assert hybrid[2] > max(bm25[2], dense[2])
