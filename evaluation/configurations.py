"""Configurations of retrieval to compare, and how they are written: `bm25`, `hybrid=0.3`, `256+diversity=0.5`. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from retrieval.results import RetrievalPolicy

DEPTH = 10
SIZES = (256, 512, 800, 1024)
STANDARD = "default,bm25,dense,hybrid=0.2,hybrid=0.4,hybrid=0.6,no-terms,diversity=0.3,256,512,1024"
GRAMMAR = "default, bm25, dense, hybrid=W, diversity=D, no-terms, rerank, candidates=N, 256|512|800|1024, joined by +"


def hybrid(weight: str) -> dict[str, Any]:
    """Weight of the dense leg, 0..1; BM25 has the rest."""
    dense = share(weight)
    return {"dense_weight": dense, "bm25_weight": 1.0 - dense}


def share(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise ValueError(text)
    return value


UNVALUED: dict[str, dict[str, Any]] = {
    "default": {},
    "bm25": {"legs": ("bm25",)},
    "dense": {"legs": ("dense",)},
    "no-terms": {"exact_terms": False},
    "rerank": {"rerank": True},
    **{str(size): {"granularity": size} for size in SIZES},
}
VALUED: dict[str, Callable[[str], dict[str, Any]]] = {
    "hybrid": hybrid,
    "diversity": lambda text: {"diversity": share(text)},
    "candidates": lambda text: {"candidates": max(DEPTH, int(text))},
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """A name and what it changes of the product's policy."""

    name: str = "default"
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def granularity(self) -> int:
        return self.product.granularity

    @property
    def product(self) -> RetrievalPolicy:
        """As an answer would search: threshold, top-k, budget."""
        return replace(RetrievalPolicy(), **self.changes)

    @property
    def ranking(self) -> RetrievalPolicy:
        """The ten best chunks, each by itself, whatever their relevance."""
        single: dict[str, Any] = {"neighbours": False, "unite": False, "budget_tokens": 1_000_000}
        return replace(RetrievalPolicy(), **{"top_k": DEPTH, "threshold": 0.0, **single, **self.changes})


def parse_configurations(text: str) -> tuple[Configuration, ...]:
    """Comma-separated configurations, each once. ValueError names what is not one, with the grammar."""
    names = dict.fromkeys(name.strip() for name in text.split(",") if name.strip())
    return tuple(configuration(name) for name in names)


def configuration(name: str) -> Configuration:
    changes: dict[str, Any] = {}
    for part in name.split("+"):
        key, has_value, value = part.strip().partition("=")
        try:
            changes |= VALUED[key](value) if has_value else UNVALUED[key]
        except (KeyError, ValueError):
            raise ValueError(f"{name!r} is not a configuration: {GRAMMAR}") from None
    return Configuration(name, changes)
