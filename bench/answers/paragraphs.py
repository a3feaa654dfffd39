"""Questions of a data set of paragraphs, with their paragraph and without it: the rest of its article stays.

What remains is of the same subject, often of the same names and years, and does not answer: a question is asked without
its paragraph only where no other paragraph of the article has the words that answer. Articles are told apart by title;
every other one, in the order of a hash of its title, is held out: it is judged on, the others may be tuned on. A
question of more than one set of the same articles is held out in each.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bench.answers.judging import holds_all
from bench.answers.library import Library
from bench.answers.separation import Separation, separation_of

PARTS = 6  # corpora that the paragraphs of an article are dealt out to


@dataclass(frozen=True)
class Asked:
    """A question, the corpus of its paragraph, and whether it is also asked without that."""

    text: str
    part: str
    unanswered_without: bool
    held_out: bool


def lay_out(folder: Path, home: Path) -> list[Asked]:
    """Writes each paragraph as a file below `home`, in the folder of its part; the questions of all of them."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    articles = defaultdict(list)
    for row in rows:
        articles[row["title"]].append(row)
    part = {row["id"]: f"part-{n % PARTS}" for kept in articles.values() for n, row in enumerate(kept)}
    for row in rows:
        path = home / part[row["id"]] / f"{row['id']}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {row['title']}\n\n{row['text']}\n", encoding="utf-8")
    place = {row["id"]: number for number, kept in enumerate(articles.values()) for row in kept}
    judged = held_out_articles(len(articles))
    by_number = list(articles.values())
    asked = []
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        relevant = one["relevant"]
        gone = {part[id] for id in relevant}
        others = [row["text"] for row in by_number[place[relevant[0]]] if part[row["id"]] not in gone]
        truths = ["|".join(answer["text"] for answer in one["answers"])]
        is_gone = len(gone) == 1 and not any(holds_all(text, truths) for text in others)
        asked.append(Asked(one["text"], part[relevant[0]], is_gone, place[relevant[0]] in judged))
    return asked


def held_out_articles(count: int) -> frozenset[int]:
    """Numbers of those that are judged on; the same in every language of a set."""
    ordered = sorted(range(count), key=lambda number: sha256(str(number).encode()).digest())
    return frozenset(ordered[::2])


def separation_without(library: Library, asked: list[Asked]) -> dict[str, Separation]:
    """Of the tuning half and of the held-out half."""
    found = {}
    for name, is_judged in (("tuning half", False), ("held-out half", True)):
        chosen = [one for one in asked if one.held_out is is_judged]
        whole = [_rated(library, library.everything(), one) for one in chosen]
        without = [_rated(library, library.without(one.part), one) for one in chosen if one.unanswered_without]
        found[name] = separation_of(whole, without)
    return found


def _rated(library: Library, agent: str, one: Asked) -> tuple[float, bool]:
    got = library.retrieve(agent, one.text)
    return float(got["score"]), bool(got["sufficient"])
