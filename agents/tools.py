"""What agents can do besides answering: tools with a JSON schema, executed in the name of a membership.

Definitions have the shape that model providers share (name, description, JSON Schema of the input). A tool never can
do what its membership could not do through the API, and its result is a plain value for the model to read
(information-layer.es.md, "Interfaces expuestas").
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from accounts.models import Membership
from accounts.problems import NotFound, Problem
from corpora import facts
from corpora.metadata import MAX_VALUES
from corpora.models import Corpus
from corpora.serializers import FactSerializer

Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """`input_schema` is JSON Schema; `execute` gets arguments that a model wrote: nothing in them is trusted."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    execute: Callable[[Membership, Mapping[str, Any]], Result]

    @property
    def definition(self) -> Result:
        """As it is offered to a model."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.input_schema)}


def execute(name: str, by: Membership, arguments: Any) -> Result:
    """Run a tool. What goes wrong is a result too: {"error": {"code", "detail"}}, so that the model can react."""
    tool = TOOLS.get(name)
    if tool is None:
        return failure("unknown_tool", f"There is no tool {name!r}. Known: {', '.join(TOOLS)}.")
    if not isinstance(arguments, Mapping):
        return failure("invalid", "The arguments must be an object.")
    try:
        return tool.execute(by, arguments)
    except Problem as problem:
        return failure(str(problem.code), str(problem.detail))


def failure(code: str, detail: str) -> Result:
    return {"error": {"code": code, "detail": detail}}


def upsert_knowledge(by: Membership, arguments: Mapping[str, Any]) -> Result:
    """Keep a statement in a corpus that the membership may change; another's corpus does not exist."""
    form = FactSerializer(data={name: value for name, value in arguments.items() if name != "corpus"})
    if not form.is_valid():
        wrong = "; ".join(f"{name}: {' '.join(map(str, reasons))}" for name, reasons in form.errors.items())
        return failure("invalid", wrong)
    document = facts.upsert(writable_corpus(by, arguments.get("corpus")), by, **form.validated_data)
    return {"document": str(document.pk), "key": document.fact_key, "status": document.status}


def writable_corpus(by: Membership, reference: Any) -> Corpus:
    try:
        corpus = Corpus.objects.writable_by(by).filter(pk=UUID(str(reference))).first()
    except ValueError:
        corpus = None
    if corpus is None:
        raise NotFound
    return corpus


def text(longest: int, description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest, "description": description}


UPSERT_KNOWLEDGE = Tool(
    name="upsert_knowledge",
    description=(
        "Keep one statement as knowledge, so that later questions find it within seconds. A statement with the same "
        "key in the same corpus is replaced. Use it for facts that the user asks to remember or to correct."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "corpus": {"type": "string", "format": "uuid", "description": "The corpus that keeps it."},
            "text": {"minLength": 1, **text(facts.MAX_TEXT, "The statement, complete and understandable by itself.")},
            "title": text(facts.MAX_TITLE, "A short title; by default the first line."),
            "tags": {"type": "array", "items": text(50, "A word."), "maxItems": MAX_VALUES},
            "key": text(facts.MAX_KEY, "What it replaces; by default the title."),
            "source": text(facts.MAX_SOURCE, "Where the statement comes from: a document, an address, a person."),
        },
        "required": ["corpus", "text"],
        "additionalProperties": False,
    },
    execute=upsert_knowledge,
)
TOOLS = {tool.name: tool for tool in (UPSERT_KNOWLEDGE,)}
