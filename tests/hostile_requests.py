"""Requests of the matrix with something hostile in them: how they are made and what is asked of their answers."""

from typing import Any

from django.db import transaction
from django.test import Client

from tests.bodies import body_of
from tests.matrix import API, Case
from tests.world import World

# What the matrix's bodies leave out, by the end of the address.
MORE: dict[str, Any] = {
    "/chat/": {"filters": {"unit": ["1"]}},
    "/retrieve/": {"filters": {"unit": ["1"]}, "preferences": {"topic": ["1"]}},
    "/facts/": {"title": "x", "key": "x", "source": "x", "tags": ["x"]},
    "/upsert_knowledge/": {"title": "x", "key": "x", "source": "x", "tags": ["x"]},
    "/query/": {"params": {"x": 1}},
    "/query_analytics/": {
        "source": "x",
        "dimensions": ["cliente"],
        "filters": {"cliente": ["1"]},
        "group_by": "month",
        "date_range": {"from": "2025-01-01"},
    },
    "/get_trends/": {"source": "x", "filters": {"cliente": ["1"]}},
    "/forecast/": {"source": "x", "filters": {"cliente": ["1"]}, "period": "month"},
    "/query_crm/": {"source": "x", "filter": {"id": ["1"]}, "fields": ["id"], "limit": 1},
    "/get_entity/": {"source": "x", "entity": "x"},
    "/metrics/": {"dimensions": [{"table": "orders", "name": "x", "column": "id"}]},
    "/api/data-sources/": {
        **dict.fromkeys(("host", "database", "username", "password", "openapi", "mapping"), "x"),
        "port": 1,
    },
    "/api/webhooks/": {"description": "x", "is_active": True},
    "/feedback/": {"comment": "x"},
    "/api/agents/": {
        **dict.fromkeys(("slug", "description", "system_prompt", "instructions", "model", "evaluator_model"), "x"),
        "context_template": "{documents}",
        "filters": {"unit": ["1"]},
        "preferences": {"topic": ["1"]},
    },
    "/api/corpora/": {"description": "x", "corpus_type": "personal"},
}


OTHER_SHAPES = ("/v1/", "/mcp")  # errors as OpenAI's clients and those of JSON-RPC read them


def whole_body(case: Case, world: World) -> Any:
    return {**next((more for end, more in MORE.items() if case.path.endswith(end)), {}), **world.filled(case.body)}


def answered(client: Client, method: str, path: str, **request: Any) -> Any:
    """What is answered; what it did to the database is undone."""
    with transaction.atomic():
        answer = client.generic(method, path, **request)
        if answer.streaming:
            body_of(answer)
        transaction.set_rollback(True)
    return answer


def check(answer: Any, case: Case, *asked: Any) -> None:
    assert answer.status_code < 500, (str(case), asked)
    if answer.status_code >= 400 and case in API and not case.path.startswith(OTHER_SHAPES):
        assert answer.headers["Content-Type"] == "application/problem+json", (str(case), asked)


def rightful(case: Case, world: World, *, key: bool) -> Client:
    """Whoever may do it: the owner, or the admin."""
    if case.rule.owner >= 400:
        return world.caller("admin")
    return world.caller("owner_key" if key else "owner")
