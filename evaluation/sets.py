"""Question sets in folders: `corpus.jsonl` and `queries.jsonl`, as shared/eval has them.

`corpus.jsonl`: id, title, text. `queries.jsonl`: id, text, and either `relevant` document ids, or `doc` with
`references` as character spans [start, end) of the answer in it, and the `paragraph` around them if that is known.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retrieval.text.lines.sentences import Span

CROSSED = "@"
MOST_UNKNOWN = 50  # ids that are told of a set


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its truth: documents, or spans in one document: of the answer, and of what is worth reading."""

    text: str
    relevant: frozenset[str]
    spans: tuple[Span, ...] = ()
    excerpts: tuple[Span, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Ids of relevant documents that are nowhere, the first of them, and how many questions know no others: they are
    not asked, for their zeros would say nothing of retrieval."""

    ids: tuple[str, ...] = ()
    questions: int = 0


@dataclass(frozen=True, slots=True)
class Dataset:
    name: str
    documents: tuple[dict[str, Any], ...]
    queries: tuple[Query, ...]

    @classmethod
    def load(cls, folder: Path, limit: int | None = None) -> "Dataset":
        """Read a folder, or `QUESTIONS@DOCUMENTS`: the questions of one asked of the documents of another, matched by
        their ids (one set in two languages). ValueError says what is missing; `limit` takes the first questions.
        """
        questions, crossed, documents = str(folder).partition(CROSSED)
        if crossed and not folder.is_dir():
            return pair_with_documents(cls.load(Path(questions), limit), cls.load(Path(documents)))
        try:
            lines = read_lines(folder / "corpus.jsonl")
            queries = [query_of(line) for line in read_lines(folder / "queries.jsonl")]
        except (OSError, KeyError, json.JSONDecodeError) as error:
            raise ValueError(f"{folder} is not a question set: {error!r}") from error
        answerable = [query for query in queries if query.relevant]
        return cls(folder.name, tuple(lines), tuple(answerable[:limit]))


def pair_with_documents(questions: Dataset, documents: Dataset) -> Dataset:
    """Truth is that of the documents' own set."""
    truth = {query.id: query for query in documents.queries}
    queries = (replace(truth[query.id], text=query.text) for query in questions.queries if query.id in truth)
    return Dataset(f"{questions.name}{CROSSED}{documents.name}", documents.documents, tuple(queries))


def read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def query_of(line: dict[str, Any]) -> Query:
    id = str(line.get("id", ""))
    if "relevant" in line:
        return Query(line["text"], frozenset(line["relevant"]), id=id)
    spans = tuple((one["start"], one["end"]) for one in line["references"])
    excerpts = (tuple(line["paragraph"]),) if "paragraph" in line else spans
    return Query(line["text"], frozenset([line["doc"]]), spans, excerpts, id)


def unknown_among(relevant: Iterable[Collection[str]], known: Collection[str]) -> Unknown:
    """`relevant`: the ids of each question; `known`: those that there are."""
    asked = [one for one in relevant if one]
    ids = sorted({id for one in asked for id in one if id not in known})
    return Unknown(tuple(ids[:MOST_UNKNOWN]), sum(all(id not in known for id in one) for one in asked))
