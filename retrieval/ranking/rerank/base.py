"""What a re-ranker is (SPEC §4, "optional re-ranker")."""

from collections.abc import Sequence
from typing import Protocol


class RerankUnavailable(Exception):
    """No usable scores came back; the order of fusion stands. Messages name the fault, never a text or a key."""


class Reranker(Protocol):
    """Scores passages against a question, on whichever event loop it is awaited."""

    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """One score (0..1) for each passage, in their order, within seconds. Raises RerankUnavailable."""
        ...
