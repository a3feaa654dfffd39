"""The table of a run, in Markdown."""

from collections.abc import Iterator, Mapping
from typing import Any

_TARGETS = {
    "document first": "≥ 0.98",
    "section first": "≥ 0.95",
    "page exact": "≥ 0.98",
    "high on a wrong one": "0",
    "on the cited page": "≥ 0.98",
    "inside the mark": "≥ 0.98",
    "auroc": "≥ 0.85",
    "unanswerable judged sufficient": "≤ 0.10",
    "answerable refused": "≤ 0.05",
    "right": "≥ 34 of 40",
    "wrong and told as supported": "0",
    "contains the truth": "≥ 0.90",
}


def table(results: Mapping[str, Any]) -> str:
    """Every number, under the name of its part; lists of what went wrong are for the JSON."""
    lines = ["| part | measure | target | measured |", "| --- | --- | --- | --- |"]
    for part, measures in results.items():
        if isinstance(measures, Mapping):
            lines += [
                f"| {part} | {name} | {_TARGETS.get(last, '')} | {value} |" for name, last, value in _flat(measures)
            ]
    return "\n".join(lines)


def _flat(measures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str, str]]:
    for name, value in measures.items():
        if isinstance(value, float):
            yield before + name, name, f"{value:.3f}".rstrip("0").rstrip(".")
        elif isinstance(value, int):
            yield before + name, name, str(value)
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}: ")
