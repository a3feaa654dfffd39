"""Where a secret might come out. A new place is one more line of SINKS.

`shows` is what a sink must show to somebody who may see it, as (principal, whose, kind): a sink in which nothing can be
found proves nothing.
"""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.apps import apps
from django.contrib import admin
from django.core import serializers
from django.core.cache import cache
from prometheus_client import generate_latest

from retrieval.spaces.opened import current_index
from tests.canaries.addresses import addresses
from tests.canaries.lookups import fields_of, lists
from tests.canaries.secrets import Seen
from tests.canaries.stage import Stage
from tests.canaries.ways_in import text_of

TEXTS = ("CharField", "TextField", "JSONField", "EmailField", "SlugField", "FileField")


SEARCHED = ("text", "title", "filename", "question", "answer", "comment")  # what a list may be searched for


@dataclass(frozen=True, slots=True)
class Heard:
    """What the process said while the stage was played: its log, and what it told its workers."""

    log: Callable[[], str]
    hints: list[str]


@dataclass(frozen=True, slots=True)
class Sink:
    """`kinds`: what is looked for, if not everything."""

    name: str
    look: Callable[[Stage, Heard], Iterator[Seen]]
    shows: frozenset[tuple[str, str, str]] = frozenset()
    kinds: frozenset[str] = frozenset()


def answers(stage: Stage, heard: Heard) -> Iterator[Seen]:
    """Everything that callers were answered on their way: chat, OpenAI's calls, retrieval, events, feedback."""
    yield from stage.heard


def every_page(stage: Stage, heard: Heard, under: str = "") -> Iterator[Seen]:
    """Every address that can be read, as everybody; those of the API also with keys."""
    for route, paths in addresses():
        if not (paths and route.startswith(under)) or stage.pages["ada"].call("GET", paths[0]).status == 405:
            continue
        for who, caller in stage.pages.items():
            for path in paths if who in readers_of(route) else paths[:1]:
                answer = caller.call("GET", path)
                assert answer.status != 500, f"GET {path} as {who}"
                yield Seen(who, path, text_of(answer))
        for who in ("bob", "zoe") if route.startswith(("api/", "v1/")) else ():
            yield from (Seen(who, path, text_of(stage.programs[who].call("GET", path))) for path in paths)


def readers_of(route: str) -> tuple[str, ...]:
    """Who is let into any page of the kind; the others are turned away at each alike (tests/test_guard_routes.py)."""
    return ("ada", "zoe", "operator") if route.startswith("admin/") else ("alice", "bob", "ada", "charlie", "zoe")


def every_lookup(stage: Stage, heard: Heard, under: str = "/admin/") -> Iterator[Seen]:
    """A list that is searched for a secret tells it by having a row; one that can be filtered by its first letters, by
    answering at all."""
    asked = [(model, address) for model, address in lists() if address.startswith(under)]
    for who in ("ada", "zoe", "operator"):
        by_kind = {one.kind: one.value for one in stage.vault.not_for(who)}
        for model, address in asked:
            for value in map(by_kind.get, SEARCHED) if admin.site._registry[model].search_fields else ():
                assert value is not None
                found = stage.pages[who].call("GET", f"{address}?q={quote(value)}")
                yield Seen(who, f"{address}?q=", value if b"_selected_action" in raw(found.body) else "")
    for model, address in asked:
        for name, field in fields_of(model):
            if field.get_internal_type() in TEXTS:
                value = by_kind["text"]
                where = f"{address}?{name}__contains={value[:6]}"
                yield Seen("ada", where, value if stage.pages["ada"].call("GET", where).status == 200 else "")


def raw(body: Any) -> bytes:
    return body if isinstance(body, bytes) else b""


def the_log(stage: Stage, heard: Heard) -> Iterator[Seen]:
    text = heard.log()
    assert "RuntimeError" in text, "the fault was not logged: nothing is listened to"
    yield Seen("nobody", "the log at DEBUG", text)


def the_cache(stage: Stage, heard: Heard) -> Iterator[Seen]:
    """Every key with its value, in this process's memory or in Redis."""
    cache.set("canary", "in the mine")
    entries = list(entries_of_cache())
    assert any("canary" in entry and "in the mine" in entry for entry in entries)
    yield Seen("nobody", "the cache", "\n".join(entries))


def entries_of_cache() -> Iterator[str]:
    kept: Any = getattr(cache, "_cache")  # noqa: B009 - of the backend, whichever it is
    if isinstance(kept, dict):
        yield from (f"{key} {pickle.loads(value)!r}" for key, value in kept.items())
        return
    redis = kept.get_client(None, write=False)
    for key in redis.scan_iter("*"):
        yield f"{key!r} {redis.get(key) if redis.type(key) == b'string' else redis.dump(key)!r}"


def the_broker(stage: Stage, heard: Heard) -> Iterator[Seen]:
    """What workers are told: which lane has work. Arguments of tasks are nothing else (workers.queue.hints)."""
    assert heard.hints
    yield Seen("nobody", "hints to workers", " ".join(heard.hints))


def the_index(stage: Stage, heard: Heard) -> Iterator[Seen]:
    """Every point's payload. The metadata that searches filter by is on points of its own corpus (docs/privacy.md)."""
    import qdrant_edge as edge

    index: Any = current_index()
    everything = edge.ScrollRequest(None, limit=10_000, with_payload=True, with_vector=False)
    with index._engine() as live:
        records, _ = live.read(lambda shard: shard.scroll(everything))
    assert records
    for record in records:
        yield Seen(f"points of {record.payload['corpus_id']}", f"point {record.id}", str(record.payload))


def the_rows(stage: Stage, heard: Heard) -> Iterator[Seen]:
    """Every column of every table: what must be kept nowhere."""
    for model in apps.get_models():
        yield Seen("nobody", model._meta.label, serializers.serialize("json", model._base_manager.all()))


def the_metrics(stage: Stage, heard: Heard) -> Iterator[Seen]:
    yield Seen("nobody", "metrics", generate_latest().decode())


def shown(who: str, whose: str, kinds: str) -> set[tuple[str, str, str]]:
    return {(who, whose, kind.replace("_", " ")) for kind in kinds.split()}


DOCUMENT = "text heading filename title tag corpus fact fact_title fact_tag"
SINKS = (
    Sink(
        "answers",
        answers,
        frozenset(
            shown("alice", "alice", "text fact title answer comment")
            | shown("alice", "here", "text answer comment cell") | shown("charlie", "elsewhere", "cell")
            | shown("bob", "bob", "text answer") | shown("charlie", "charlie", "text answer")
            | shown("ada", "here", "text comment") | shown("zoe", "elsewhere", "text")
        ),
    ),
    Sink(
        "pages",
        every_page,
        frozenset(
            shown("alice", "alice", f"{DOCUMENT} description question answer comment key_name project fetched_row")
            | shown("bob", "bob", f"{DOCUMENT} question answer comment key_name project")
            | shown("alice", "here", f"{DOCUMENT} source table")
            | shown("charlie", "elsewhere", f"{DOCUMENT} source table")
            | shown("charlie", "charlie", f"{DOCUMENT} question answer")
            | shown("ada", "here", f"{DOCUMENT} question comment")
            | shown("ada", "writer", "prompt") | shown("zoe", "abroad", "prompt")
            | shown("ada", "alice", "key_name") | shown("operator", "here", "filename title question comment")
        ),
    ),
    Sink("lookups", every_lookup),
    Sink("log", the_log),
    Sink("cache", the_cache),
    Sink("broker", the_broker),
    Sink("index", the_index),
    Sink(
        "rows",
        the_rows,
        kinds=frozenset({"key", "provider key", "source user", "source password", "tool credential"}),
    ),
    Sink("metrics", the_metrics),
)  # fmt: skip
