"""Measures as a table, for a terminal or in Markdown, and thresholds that they may fail. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.measuring import Scores

COLUMNS = (
    "hit@1", "recall@5", "recall@10", "mrr", "ndcg@10", "answer@1", "answer@5", "token_precision", "token_recall",
    "token_iou", "sufficient", "in_context", "faithfulness", "context_precision", "context_recall", "ms",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least that a measure of one configuration may be."""

    measure: str
    least: float
    configuration: str = "default"

    @classmethod
    def parse(cls, text: str) -> "Threshold":
        """`hit@1=0.92`, or `bm25:hit@1=0.92` of another configuration than the first. ValueError otherwise."""
        name, is_given, value = text.rpartition("=")
        configuration, _colon, measure = name.rpartition(":")
        if not is_given or not measure:
            raise ValueError(f"{text!r} is not a threshold: write hit@1=0.92")
        return cls(measure, float(value), configuration or "default")

    def failed_by(self, scores: Sequence[Scores]) -> list[str]:
        """A sentence for each set that is below; a measure that no set has fails too."""
        mine = [one for one in scores if one.configuration == self.configuration and self.measure in one.measures]
        if not mine:
            return [f"{self.configuration} has no {self.measure}"]
        below = (one for one in mine if one.measures[self.measure] < self.least)
        return [f"{one.name}: {self.measure} is {one.measures[self.measure]:.3f}, below {self.least}" for one in below]


def rows_of(scores: Sequence[Scores]) -> list[list[str]]:
    """The head and one row for every set and configuration, as texts."""
    columns = [name for name in COLUMNS if any(name in one.measures for one in scores)]
    rows = [["set", "configuration", "questions", "chunks", *columns]]
    for one in scores:
        cells = (f"{one.measures[name]:.3f}" if name in one.measures else "" for name in columns)
        rows.append([one.name, one.configuration, str(one.questions), str(one.chunks), *cells])
    return rows


def table(scores: Sequence[Scores]) -> list[str]:
    """Lines of aligned columns."""
    rows = rows_of(scores)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(align(row, widths)) for row in rows]


def align(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Names to the left, numbers to the right."""
    return [
        cell.ljust(width) if place < 2 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def markdown(scores: Sequence[Scores]) -> list[str]:
    """Lines of a Markdown table."""
    head, *rows = rows_of(scores)
    rule = ["---", "---", *["--:"] * (len(head) - 2)]
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]


def without_documents(scores: Sequence[Scores]) -> list[str]:
    """A sentence for each set that names documents which are nowhere."""
    sets = {one.name: one.unknown for one in scores if one.unknown.ids}
    return [
        f"{name}: no document has these ids: {', '.join(unknown.ids)}. "
        f"Left out of the measures are the {unknown.questions} questions that name no other."
        for name, unknown in sets.items()
    ]
