"""The table of docs/performance.md, written between two markers so that the prose around it stays."""

from datetime import UTC, datetime

from bench.processes import ROOT
from bench.results import MEASURES, REFERENCE, Book, Measure, commit, machine

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
HEADING = (
    "| measure | target | min | **median** | max | met | bare reference | ratio |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


def table(book: Book, repeats: int) -> str:
    """Markdown: where and when, then a row for each measure that was taken."""
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    about = f"{when} · commit {commit()} · {machine()} · {repeats} repeats; met or not is the median's."
    rows = [row(measure, book) for measure in MEASURES if book.summary(measure.key)]
    return "\n".join((about, "", HEADING, *rows))


def row(measure: Measure, book: Book) -> str:
    low, median, high = book.summary(measure.key) or (0.0, 0.0, 0.0)
    target = "" if measure.target is None else f"≤ {measure.target:g} {measure.unit}".strip()
    met = "" if measure.target is None else ("yes" if round(median, measure.digits) <= measure.target else "**no**")
    bare = book.summary(REFERENCE + measure.key)
    shown = [f"{value:,.{measure.digits}f}" for value in (low, median, high)]
    reference = f"{bare[1]:,.{measure.digits}f}" if bare else ""
    ratio = f"{median / bare[1]:.1f}" if bare and bare[1] > 0 else ""
    unit = f" ({measure.unit})" if measure.unit else ""
    cells = (measure.title + unit, target, shown[0], f"**{shown[1]}**", shown[2], met, reference, ratio)
    return f"| {' | '.join(cells)} |"


def write(text: str) -> None:
    """Put the table between the markers of the page, or make the page."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else f"# Performance\n\n{BEGIN}\n{END}\n"
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
