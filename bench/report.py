"""The tables of docs/performance.md, each written between two markers so that the prose around it stays."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bench.processes import ROOT
from bench.results import MEASURES, REFERENCE, Book, Measure, commit, machine

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- {}: begin -->", "<!-- {}: end -->"
HEADING = (
    "| measure | target | min | **median** | max | met | bare reference | ratio |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


def table(book: Book, repeats: int) -> str:
    """Markdown: where and when, then a row for each measure that was taken."""
    about = f"{occasion()} · {repeats} repeats; met or not is the median's."
    rows = [row(measure, book) for measure in MEASURES if book.summary(measure.key)]
    return "\n".join((about, "", HEADING, *rows))


def occasion() -> str:
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"{when} · commit {commit()} · {machine()}"


def short_table(book: Book, measures: Sequence[Measure]) -> str:
    """Markdown: of each measure that was taken its target, its median and whether that meets it."""
    rows = []
    for measure in measures:
        if summary := book.summary(measure.key):
            unit = f" ({measure.unit})" if measure.unit else ""
            met = "" if measure.target is None else ("yes" if measure.is_met(summary[1]) else "**no**")
            cells = (measure.title + unit, aim(measure), f"{summary[1]:,.{measure.digits}f}", met)
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(("| measure | target | measured | met |", "| --- | --- | --- | --- |", *rows))


def aim(measure: Measure) -> str:
    if measure.target is None:
        return ""
    return f"{'≥' if measure.more_is_better else '≤'} {measure.target:g} {measure.unit}".strip()


def row(measure: Measure, book: Book) -> str:
    low, median, high = book.summary(measure.key) or (0.0, 0.0, 0.0)
    target = aim(measure)
    met = "" if measure.target is None else ("yes" if measure.is_met(median) else "**no**")
    bare = book.summary(REFERENCE + measure.key)
    shown = [f"{value:,.{measure.digits}f}" for value in (low, median, high)]
    reference = f"{bare[1]:,.{measure.digits}f}" if bare else ""
    ratio = f"{median / bare[1]:.1f}" if bare and bare[1] > 0 else ""
    unit = f" ({measure.unit})" if measure.unit else ""
    cells = (measure.title + unit, target, shown[0], f"**{shown[1]}**", shown[2], met, reference, ratio)
    return f"| {' | '.join(cells)} |"


def write(text: str, name: str = "bench") -> None:
    """Put the text between the markers of that name, or at the end of the page with markers of its own."""
    begin, end = BEGIN.format(name), END.format(name)
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Performance\n"
    if begin not in page:
        page += f"\n{begin}\n{end}\n"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
