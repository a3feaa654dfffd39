"""What Schemathesis is told of our rows, and what it must never be answered: `tests.contract.fuzz` names this module.

Generated ids exist nowhere, so a request made of them says little. Most are exchanged for ids of the caller's own
organization and of the other one.
"""

import json
import os
import random
from collections import Counter
from copy import deepcopy
from typing import Any
from uuid import UUID

import schemathesis

WORLD: dict[str, Any] = json.loads(os.environ["FUZZ_WORLD"])
OWN, FOREIGN, MARKS = WORLD["own"], WORLD["foreign"], WORLD["foreign_marks"]
FOREIGN_IDS = {one for ids in FOREIGN.values() for one in ids}
CHANCE = random.Random(WORLD["seed"])
SHARE_AS_GENERATED, SHARE_FOREIGN, SHARE_TAKEN, SURELY = 0.2, 0.4, 0.4, 3
KIND_OF_FIELD = {
    "corpus": "corpora",
    "corpora": "corpora",
    "corpus_id": "corpora",
    "reference": "agents",
    "agent": "agents",
    "conversation": "conversations",
    "project": "projects",
    "before": "messages",
    "source_id": "sources",
    "webhook_id": "webhooks",
    "delivery_id": "deliveries",
    "file_id": "source_files",
    "documents": "documents",
    "to": "corpora",
}
PARTS = {"/pages/": "printed", "/pictures/": "drawn"}  # which documents have some
OF_A_BODY = {"agent": "agents", "model": "agents"}
# Of each kind so many are neither deleted nor changed, and as many of the next not deleted, since they must go on being
# answered; what operation deletes which first is chance.
LASTING = slice(WORLD["lasting"])
CHANGED = slice(WORLD["lasting"], WORLD["lasting"] + WORLD["changed"])
SPARE = slice(CHANGED.stop, None)


QUESTION = {"role": "user", "content": "How long does a loan last?"}
HOOK = {"url": "https://hooks.example.org/", "events": ["answer.rated"]}
MOVE = "POST /api/corpora/{id}/documents/move/"
ASSIGN = "POST /api/agents/{reference}/corpora/"
# What is taken: the rules behind some operations cannot be told in a schema. "" stands for an id.
TAKEN: dict[str, dict[str, Any]] = {
    "POST /api/agents/": {"name": "New"},
    "PATCH /api/agents/{reference}/": {"description": "New"},
    "POST /api/agents/{reference}/chat/": {"messages": [QUESTION], "stream": False},
    ASSIGN: {"corpus": ""},
    "POST /api/agents/{reference}/retrieve/": {"query": "How long does a loan last?"},
    "PATCH /api/conversations/{id}/": {"title": "New"},
    "POST /api/corpora/": {"name": "New"},
    "PATCH /api/corpora/{id}/": {"description": "New"},
    MOVE: {"documents": [""], "to": ""},
    "POST /api/corpora/{id}/facts/": {"text": "Ice melts."},
    "PATCH /api/documents/{id}/": {"unit": "2"},
    "POST /api/messages/{id}/feedback/": {"rating": -1},
    "POST /api/projects/": {"name": "New"},
    "PATCH /api/projects/{id}/": {"name": "New"},
    "POST /api/data-sources/": {"name": "New", "kind": "sqlite"},
    "PATCH /api/data-sources/{source_id}/": {"name": "New"},
    "PUT /api/data-sources/{source_id}/tables/": {"tables": [{"name": "rows", "columns": [{"name": "a"}]}]},
    "POST /api/webhooks/": HOOK,
    "PATCH /api/webhooks/{webhook_id}/": {"description": "New"},
    "PUT /api/data-sources/{source_id}/metrics/": {"metrics": []},
    "PUT /api/agents/{reference}/data-sources/{source_id}/": {"tables": []},
    "POST /api/tools/{name}/": {"agent": "", "query": "How long does a loan last?"},
    "POST /v1/chat/completions": {"model": "", "messages": [QUESTION]},
    "POST /mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
}
UPLOADS = {"POST /api/corpora/{id}/documents/": "note {}.md", "POST /api/data-sources/{source_id}/files/": "more.csv"}
UNASSIGN = "DELETE /api/agents/{reference}/corpora/{corpus_id}/"
TAKE_FILE = "DELETE /api/data-sources/{source_id}/files/{file_id}/"
SEND_AGAIN = "POST /api/webhooks/{webhook_id}/deliveries/{delivery_id}/again/"
FORGET = "DELETE /api/corpora/{id}/facts/"
PAIRS = {  # rows that belong together
    UNASSIGN: {"reference": "agents", "corpus_id": "corpora"},
    TAKE_FILE: {"source_id": "sources", "file_id": "source_files"},
    SEND_AGAIN: {"webhook_id": "webhooks", "delivery_id": "deliveries"},
}
MADE: Counter[str] = Counter()


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Put true ids where an id belongs. The first requests of each operation, and some later ones, would be taken."""
    label = case.operation.label
    if case.method != label.partition(" ")[0]:  # a method that the address does not take
        return
    rows = rows_for(label)
    MADE[label] += 1
    is_taken = MADE[label] <= SURELY or CHANCE.random() < SHARE_TAKEN
    if is_taken:
        make_it_one_that_is_taken(label, case, kwargs)
    for place in (case.path_parameters, case.query, case.body):
        if isinstance(place, dict):
            for name, value in place.items():
                if kind := kind_of(case.operation.path, name, place is case.body):
                    place[name] = owned(kind, value, rows) if MADE[label] <= SURELY else exchanged(kind, value, rows)
    if is_taken:
        put_rows_that_go_together(label, case, rows)


def put_rows_that_go_together(label: str, case: Any, rows: slice) -> None:
    if label in PAIRS:
        n = CHANCE.randrange(CHANGED.start, CHANGED.stop)
        case.path_parameters.update({name: OWN[kind][n] for name, kind in PAIRS[label].items()})
    if label == ASSIGN:  # not what the agent was given when it was made
        n, other = CHANCE.sample(range(rows.start or 0, rows.stop), 2)
        case.path_parameters["reference"], case.body["corpus"] = OWN["agents"][n], OWN["corpora"][other]
    if label == MOVE:  # not to where they are
        case.body["to"] = CHANCE.choice([one for one in OWN["corpora"][rows] if one != case.path_parameters["id"]])


def rows_for(label: str) -> slice:
    """Which rows a request may be made of: what is below a row is deleted and leaves the row."""
    if label in (UNASSIGN, FORGET) or label.startswith("PATCH"):
        return CHANGED
    return SPARE if label.startswith("DELETE") else LASTING


def make_it_one_that_is_taken(label: str, case: Any, kwargs: dict[str, Any]) -> None:
    if label in TAKEN:
        case.body, case.media_type = deepcopy(TAKEN[label]), "application/json"
        if "name" in case.body:
            case.body["name"] += f" {CHANCE.random()}"
    if label in UPLOADS:
        case.media_type = "multipart/form-data"
        name = UPLOADS[label].format(CHANCE.random())
        kwargs["files"] = {"file": (name, f"# Note\n\n{CHANCE.random()}\n".encode())}
    if label == FORGET:
        case.query["key"] = WORLD["fact"]
    if "/{number}/" in label:
        case.path_parameters["number"] = 1
        case.query = {"start": 0, "end": 4} if label.endswith("/pages/{number}/") else {"width": "200"}
    if "/tools/{name}" in label:
        case.path_parameters["name"] = "retrieve"
    for optional in ("project", "before", "cursor"):
        case.query.pop(optional, None)


def kind_of(path: str, name: str, in_body: bool) -> str | None:
    """What a field names. A body's `id` and `agent` are only told, never taken, but by tools."""
    if in_body and name in OF_A_BODY:
        return OF_A_BODY[name] if path.startswith(("/api/tools/", "/v1/")) else None
    for part, kind in PARTS.items():
        if name == "id" and part in path:
            return kind
    if name == "id":  # /api/corpora/{id}/… is one of the corpora
        return None if in_body else path.partition("/{id}")[0].rpartition("/")[2]
    return KIND_OF_FIELD.get(name)


def exchanged(kind: str, value: Any, rows: slice) -> Any:
    if isinstance(value, list):
        return [exchanged(kind, one, rows) for one in value]
    if not (kind == "agents" or value == "" or is_uuid(value)) or CHANCE.random() < SHARE_AS_GENERATED:
        return value
    return CHANCE.choice(FOREIGN[kind]) if CHANCE.random() < SHARE_FOREIGN else own(kind, rows)


def owned(kind: str, value: Any, rows: slice) -> Any:
    return [own(kind, rows) for _ in value] if isinstance(value, list) else own(kind, rows)


def own(kind: str, rows: slice) -> Any:
    return CHANCE.choice(OWN[kind][rows])


def is_uuid(value: Any) -> bool:
    try:
        UUID(str(value))
    except ValueError:
        return False
    return True


@schemathesis.check
def nothing_foreign_is_answered(ctx: Any, response: Any, case: Any) -> None:
    """A request that names a row of the other organization is refused, and no answer tells of one."""
    sent = json.dumps([case.path_parameters, case.query, case.body], default=str)
    named = [one for one in FOREIGN_IDS if one in json.dumps(decisive(case), default=str)]
    assert not named or response.status_code >= 400, f"{response.status_code} for {named} of the other organization"
    answered = response.content.decode(errors="replace")
    told = [one for one in (*FOREIGN_IDS, *MARKS) if one in answered and one not in sent]
    assert not told, f"the answer tells of {told}, of the other organization"


def decisive(case: Any) -> list[Any]:
    """What a request names. Of a list of documents to move, what is not there is passed over, foreign or not."""
    body = case.body
    if case.operation.label == MOVE and isinstance(body, dict):
        body = {name: value for name, value in body.items() if name != "documents"}
    return [case.path_parameters, case.query, body]


@schemathesis.check
def nothing_foreign_is_moved(ctx: Any, response: Any, case: Any) -> None:
    """What is counted as moved, or as having stayed, was named and is no document of the other organization."""
    if case.operation.label == MOVE and response.status_code == 200 and isinstance(case.body, dict):
        named = {str(one) for one in case.body["documents"]}
        told = response.json()
        assert told["moved"] + told["taken"] + told["follow_folder"] <= len(named - FOREIGN_IDS), (told, named)


@schemathesis.check
class EachOperationIsReached:
    """An operation that never succeeds is not tested, whatever else is found."""

    def __init__(self) -> None:
        self.reached: set[str] = set()

    def after_response(self, ctx: Any, response: Any, case: Any) -> None:
        if response.status_code < 300:
            self.reached.add(case.operation.label)

    def after_run(self, ctx: Any) -> None:
        missed = sorted({*MADE} - self.reached)
        assert not missed, f"never answered with success: {', '.join(missed)}"
