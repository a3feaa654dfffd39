"""The measures: each asks, judges, and gives its numbers with what went wrong."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bench.answers.judging import Quote, Verdict, holds_all, judge_reference, quotes_of
from bench.answers.library import Library
from bench.answers.papers import Paper
from bench.answers.questions import COURSE, Question, held_out, is_answered_elsewhere, left_out, questions
from bench.answers.references import Reference
from bench.answers.separation import separation_of, share

Numbers = dict[str, Any]
MOST_SHOWN = 400


def references(library: Library, asked: Sequence[Reference], quotes: list[Quote]) -> Numbers:
    """Right document, right section and page first; high on a wrong one. `quotes` takes the cited sentences along."""
    verdicts = []
    for reference in asked:
        answer = library.ask(library.everything(), reference.text)
        verdicts.append(judge_reference(library, reference, answer))
        quotes += quotes_of(library, answer)
    return {
        "questions": len(verdicts),
        "document first": share(one.document for one in verdicts),
        "section first": share(one.section for one in verdicts),
        "page exact": share(one.page for one in verdicts if one.page is not None),
        "page exact, of those whose section is right": share(
            one.page for one in verdicts if one.page is not None and one.section
        ),
        "high on a wrong one": sum(one.wrong_high for one in verdicts),
        "section first by form": _by_form(verdicts),
        "states": dict(Counter(one.state for one in verdicts)),
        "wrong": [f"[{one.form}] {one.question} → {one.confidence} {one.told}" for one in verdicts if not _right(one)][
            :MOST_SHOWN
        ],
    }


def _right(one: Verdict) -> bool:
    return one.document and one.section and one.page is not False


def _by_form(verdicts: Sequence[Verdict]) -> dict[str, float]:
    forms = dict.fromkeys(one.form for one in verdicts)
    return {form: round(share(one.section for one in verdicts if one.form == form), 3) for form in forms}


def cited(quotes: Sequence[Quote]) -> Numbers:
    """Cited sentences on their page, and inside their mark."""
    return {
        **_marked(quotes),
        "by format": {kind: _marked([one for one in quotes if one.kind == kind]) for kind in _each("kind", quotes)},
        "by work": {work: _marked([one for one in quotes if one.work == work]) for work in _each("work", quotes)},
        "wrong": [one.sentence[:160] for one in quotes if one.page is False or not one.inside][:MOST_SHOWN],
    }


def _each(name: str, quotes: Sequence[Quote]) -> list[str]:
    return sorted({getattr(one, name) for one in quotes})


def _marked(quotes: Sequence[Quote]) -> Numbers:
    paged = [one for one in quotes if one.page is not None]
    return {
        "sentences": len(quotes),
        "of PDFs": len(paged),
        "on the cited page": share(one.page for one in paged),
        "inside the mark": share(one.inside for one in quotes),
        "inside a mark no longer than three of it": share(one.tight for one in quotes),
    }


def held(library: Library, papers: Sequence[Paper]) -> Numbers:
    """Questions that nothing was tuned on, with and without an answer in the same subjects."""
    works = list(library.corpora)
    known = questions("held_answerable", works)
    whole = {one: _rated(library, library.everything(), one) for one in known}
    gone = [one for one in known if not is_answered_elsewhere(one, papers)]
    without = {one: _rated(library, library.without(*left_out(one)), one) for one in gone}
    nowhere = {one: _rated(library, library.everything(), one) for one in questions("held_nowhere", works)}
    found = separation_of(list(whole.values()), [*without.values(), *nowhere.values()])
    return {
        "answerable": found.answerable,
        "unanswerable": found.unanswerable,
        "auroc": found.auroc,
        "unanswerable judged sufficient": found.let_through,
        "answerable refused": found.refused,
        "left out judged sufficient": share(pair[1] for pair in without.values()),
        "said nowhere judged sufficient": share(pair[1] for pair in nowhere.values()),
    }


def separation(library: Library, papers: Sequence[Paper], quotes: list[Quote]) -> Numbers:
    """Questions with and without an answer in the same subjects: all works, the tuning half and the held-out half."""
    works = list(library.corpora)
    known = questions("answerable", works) + questions("course", works, COURSE)
    whole = {one: _rated(library, library.everything(), one) for one in known}
    gone = [one for one in known if not is_answered_elsewhere(one, papers)]
    without = {one: _rated(library, library.without(*left_out(one)), one) for one in gone}
    nowhere = {one: _rated(library, library.everything(), one) for one in questions("nowhere", works)}
    narrowed = {one: _rated(library, library.agent([one.of]), one) for one in known}
    for one in known:
        quotes += quotes_of(library, library.ask(library.everything(), one.text))
    apart = held_out({one.of for one in known})

    def of(chosen: Callable[[Question], bool]) -> Numbers:
        bad = [pair for asked in (without, nowhere) for one, pair in asked.items() if chosen(one)]
        found = separation_of([pair for one, pair in whole.items() if chosen(one)], bad)
        return {
            "answerable": found.answerable,
            "unanswerable": found.unanswerable,
            "auroc": found.auroc,
            "unanswerable judged sufficient": found.let_through,
            "answerable refused": found.refused,
        }

    return {
        "all": of(lambda _: True),
        "tuning half": of(lambda one: one.of not in apart),
        "held-out half": of(lambda one: one.of in apart),
        "left out judged sufficient": share(pair[1] for pair in without.values()),
        "said nowhere judged sufficient": share(pair[1] for pair in nowhere.values()),
        "refused when narrowed to where the answer stands": share(
            not narrowed[one][1] for one, (_, sufficient) in whole.items() if sufficient
        ),
        "refused": [f"{score:.2f} {one.text}" for one, (score, enough) in whole.items() if not enough],
        "let through": [
            f"{score:.2f} {one.text}" + ("" if one.text in {n.text for n in nowhere} else f" (without {one.of})")
            for asked in (without, nowhere)
            for one, (score, enough) in asked.items()
            if enough
        ],
        "refused when narrowed": [
            f"{narrowed[one][0]:.2f} < {score:.2f} {one.text}"
            for one, (score, sufficient) in whole.items()
            if sufficient and not narrowed[one][1]
        ],
    }


def _rated(library: Library, agent: str, question: Question) -> tuple[float, bool]:
    found = library.retrieve(agent, question.text)
    return float(found["score"]), bool(found["sufficient"])


def course(library: Library) -> Numbers:
    """What students ask, of the course alone: right answers, and wrong ones that are told as supported."""
    asked = questions("course", library.corpora, COURSE)
    agent = library.agent([COURSE])
    rows = [(one, library.ask(agent, one.text)) for one in asked]
    right = [holds_all(said(answer), one.must) for one, answer in rows]
    wrong = [(one, answer) for (one, answer), good in zip(rows, right, strict=True) if not good]
    return {
        "questions": len(rows),
        "right": sum(right),
        "wrong and told as supported": sum(answer["state"] == "supported" for _, answer in wrong),
        "median length": median_length(answer for _, answer in rows),
        "wrong": [f"{one.text} → {answer['state']}: {said(answer)[:200]}" for one, answer in wrong],
    }


def extractive(library: Library, asked: Sequence[tuple[str, Sequence[str]]]) -> Numbers:
    """Questions with the words that answer them: whether the answer has one of those, and how long it is."""
    agent = library.everything()
    rows = [(truths, library.ask(agent, text)) for text, truths in asked]
    return {
        "questions": len(rows),
        "contains the truth": share(holds_all(said(answer), ["|".join(truths)]) for truths, answer in rows),
        "median length": median_length(answer for _, answer in rows),
    }


def said(answer: dict[str, Any]) -> str:
    """An answer without the line in italics that says what answers."""
    lines = answer["content"].splitlines()
    return "\n".join(line for line in lines if not (line.startswith("*") and line.endswith("*")))


def median_length(answers: Iterable[dict[str, Any]]) -> float:
    """Characters of what is said, without the numbers of its sources."""
    lengths = [len(" ".join(said(answer).split())) for answer in answers]
    return statistics.median(lengths) if lengths else 0.0
