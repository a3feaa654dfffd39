"""Questions written by hand, in `bench/questions/*.jsonl`: what is asked, of which work, what a right answer holds.

answerable.jsonl  about things that the works say; `must` was looked up in them
nowhere.jsonl     of the same subjects, about things that none of them says; looked for in all of them
judged_*.jsonl    the same, of passages that were drawn by chance; judged on once, fitted on since
fresh_*.jsonl     the same again
asked_*.jsonl     the same, in other words than the text's: as somebody asks who has not read it; fitted on
held_answerable.jsonl, held_nowhere.jsonl       about the project's own samples, which nothing was fitted on; written
                  from their text before anything was asked, to be judged once
course.jsonl      what students ask, written before any answer was seen

A question of `answerable` is also asked where its work is left out: it cannot be answered there, unless what it must
hold stands in what remains.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.answers.judging import holds_all
from bench.answers.papers import Paper

FOLDER = Path(__file__).resolve().parent.parent / "questions"
COURSE = "curso-redes"
# Two versions of one work, or two works about one thing, answer the same questions.
RELATED = {
    "owasp-asvs-5.0.0-en": "owasp-asvs-4.0.3-es",
    "owasp-asvs-4.0.3-es": "owasp-asvs-5.0.0-en",
    "guia-del-prestamo": "preguntas-frecuentes",
    "preguntas-frecuentes": "guia-del-prestamo",
    "networking-basics": "curso-redes",
}


@dataclass(frozen=True)
class Question:
    text: str
    of: str
    must: tuple[str, ...] = ()
    elsewhere: bool = False  # another work answers it as well, in other words


def questions(name: str, works: Iterable[str], of: str = "") -> list[Question]:
    """Those whose work is at hand."""
    known = set(works)
    rows = map(json.loads, (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    made = (
        Question(row["text"], row.get("of", of), tuple(row.get("must", ())), row.get("elsewhere", False))
        for row in rows
    )
    return [one for one in made if one.of in known]


def held_out(works: Iterable[str]) -> set[str]:
    """Every other work in order of its name: those are judged on, the others may be tuned on."""
    return set(sorted(works)[1::2])


def left_out(question: Question) -> tuple[str, ...]:
    """The works without which a question has no answer."""
    return (question.of, *filter(None, [RELATED.get(question.of)]))


def is_answered_elsewhere(question: Question, papers: Iterable[Paper]) -> bool:
    """Whether all that a right answer holds stands in one paper of what remains without its work."""
    gone = left_out(question)
    return question.elsewhere or any(
        holds_all(paper.whole, question.must) for paper in papers if paper.group not in gone
    )
