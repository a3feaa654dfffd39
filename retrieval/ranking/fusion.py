"""Fusion of the dense and the BM25 hits into one ranking. Pure arithmetic.

A convex combination of scores, each divided by its leg's best score: better than reciprocal rank fusion (Cormack et
al. 2009), which forgets by how much a hit leads, and the weight may differ from space to space (Bruch et al. 2023, "An
Analysis of Fusion Functions for Hybrid Retrieval"). A hit that a full leg did not return takes that leg's last score,
the most that it can have there (as in Fagin's threshold algorithm): with 0 instead, an encoder that does not know the
language buries what BM25 found.

hit@1 and nDCG@10, 50 candidates a leg, BM25 as in `index.bm25`, dense weight .2 for lexical and .6 for MiniLM, a
share of .2 for the words (those that are used, and what the product does with them: `spaces.builtin`,
docs/evaluation.md):

                                      XQuAD en    XQuAD es    es → en     en → es     SciFact
    BM25                              .947 .972   .926 .963   .524 .622   .534 .643   .540 .675
    lexical                           .871 .930   .832 .913   .478 .618   .450 .595   .447 .549
      reciprocal ranks, equal weight  .903 .953   .882 .945   .561 .687   .541 .674   .490 .628
      reciprocal ranks, weighted      .945 .970   .917 .960   .575 .690   .545 .679   .483 .650
      convex, min-max                 .949 .973   .928 .965   .547 .669   .541 .673   .553 .682
      this                            .948 .973   .926 .965   .581 .694   .566 .689   .553 .683
      this and the words' coverage    .950 .974   .930 .966   .586 .697   .564 .690   .557 .687
    MiniLM (English)                  .885 .943   .489 .632   .340 .503   .513 .702   .503 .648
      reciprocal ranks, equal weight  .929 .968   .694 .824   .529 .668   .618 .777   .577 .709
      reciprocal ranks, weighted      .927 .966   .671 .797   .519 .642   .606 .771   .573 .702
      convex, min-max                 .949 .977   .758 .865   .493 .616   .622 .777   .590 .717
      convex, unseen = 0              .953 .979   .857 .892   .555 .665   .649 .795   .593 .716
      this                            .953 .979   .922 .963   .559 .680   .649 .795   .597 .729
      this and the words' coverage    .956 .981   .936 .970   .582 .693   .657 .801   .617 .733
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from retrieval.index.base import Candidates, Hit


class Fused(NamedTuple):
    """A candidate with its fused score (0..1) and its raw ones; None where the leg did not return it."""

    id: UUID
    score: float
    dense: float | None
    bm25: float | None


def fuse(candidates: Candidates, dense_weight: float, bm25_weight: float, limit: int) -> tuple[Fused, ...]:
    """Every candidate once, best first; ties by id. `limit` is what each leg was asked for.

    A leg without hits has no say. The order does not change when all scores of a leg are multiplied by a constant.
    """
    dense = _Leg(candidates.dense, dense_weight, limit)
    sparse = _Leg(candidates.sparse, bm25_weight, limit)
    total = (dense.weight + sparse.weight) or 1.0
    found = ((id, dense.scores.get(id), sparse.scores.get(id)) for id in dense.scores | sparse.scores)
    fused = (Fused(id, (dense.share(near) + sparse.share(bm25)) / total, near, bm25) for id, near, bm25 in found)
    return tuple(sorted(fused, key=lambda hit: (-hit.score, hit.id)))


class _Leg:
    """One leg's scores, and what a hit with one of them gets from it; None: with none."""

    def __init__(self, hits: Sequence[Hit], weight: float, limit: int) -> None:
        self.scores = {hit.id: hit.score for hit in hits}
        self.weight = weight if hits else 0.0
        self._best = max(self.scores.values(), default=0.0)
        self._unseen = min(self.scores.values(), default=0.0) if len(hits) >= limit else 0.0

    def share(self, score: float | None) -> float:
        if self._best <= 0.0:
            return 0.0
        return self.weight * max(self._unseen if score is None else score, 0.0) / self._best
