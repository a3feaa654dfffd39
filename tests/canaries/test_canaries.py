"""Secrets of every tenant, tier and kind come out where their owners look, and nowhere else (RELIABILITY R8, R18, R24).

The model is faked at the wire, by one that repeats whatever it was shown in everything it says.
"""

import logging
import runpy
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from typing import Any

import pytest

from config.faults import LineFormatter
from config.observability.logs import JsonFormatter
from config.settings import BASE_DIR
from tests.canaries import lookups
from tests.canaries.secrets import Leak, Seen, Vault
from tests.canaries.sinks import SINKS, Heard, Sink, every_lookup, every_page
from tests.canaries.stage import Stage
from tests.canaries.ways_in import play
from tests.fakes.fixtures import ModelServer
from tests.live import LiveServer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume synchronous iterators"),  # downloads
]


class BothShapes(LineFormatter):
    """Each event as text and as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{super().format(record)}\n{JsonFormatter().format(record)}"


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """What the console would show with LOG_LEVEL=DEBUG, in the format and at the levels of the settings."""
    monkeypatch.setenv("LOG_LEVEL", "DEBUG")
    wanted = runpy.run_path(str(BASE_DIR / "config" / "settings.py"))["LOGGING"]
    console = logging.StreamHandler(StringIO())
    text = dict(wanted["formatters"]["text"])
    text.pop("()")
    console.setFormatter(BothShapes(text["format"], style=text["style"]))
    levels = {"": wanted["root"], **wanted["loggers"]}
    before = {one: logging.getLogger(one).level for one in levels}
    for one, settings in levels.items():
        logging.getLogger(one).setLevel(settings.get("level", "NOTSET"))
    logging.getLogger().addHandler(console)
    yield console.stream.getvalue
    logging.getLogger().removeHandler(console)
    for one, level in before.items():
        logging.getLogger(one).setLevel(level)


@pytest.fixture
def heard(log: Callable[[], str], hints: list[str]) -> Heard:
    return Heard(log, hints)


@pytest.fixture
def stage(server: LiveServer, chat_model: ModelServer, worker: Callable[[], int], settings: Any, heard: Heard) -> Stage:
    return Stage.furnished(server, chat_model, worker, settings)


def leaks_of(sink: Sink, stage: Stage, heard: Heard) -> tuple[list[Leak], set[tuple[str, str, str]]]:
    found: set[tuple[str, str, str]] = set()
    vault = Vault([one for one in stage.vault.secrets if not sink.kinds or one.kind in sink.kinds])
    return vault.leaks(sink.name, sink.look(stage, heard), found), found


@pytest.mark.slow
def test_every_secret_is_seen_by_those_whom_it_is_for_and_by_nobody_else(stage: Stage, heard: Heard) -> None:
    play(stage)
    leaks, blind = [], []
    for sink in SINKS:
        leaked, shown = leaks_of(sink, stage, heard)
        leaks += leaked
        blind += [f"{sink.name} does not show {what}" for what in sorted(sink.shows - shown)]
    assert not leaks, "\n".join(sorted({str(leak) for leak in leaks}))
    assert not blind, "\n".join(blind)


@pytest.mark.slow
def test_the_sinks_find_what_planted_mutants_let_out(
    stage: Stage, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words that are kept of every search, lists that answer everything, errors with their messages."""
    from accounts.admin.rows import DiscreetAdmin
    from chat.answering import attempting, inquiry, records

    for module in (attempting, inquiry):
        monkeypatch.setattr(module, "is_personal", lambda scope, history=False: False)
    monkeypatch.setattr(records, "follows_personal", lambda conversation, question: False)
    monkeypatch.setattr(DiscreetAdmin, "lookup_allowed", lambda page, lookup, value, request: True)
    monkeypatch.setattr(LineFormatter, "formatException", logging.Formatter().formatException)
    play(stage)
    traces = Sink("traces", partial(every_page, under="admin/chat/trace/"))
    lists = Sink("lookups", partial(every_lookup, under="/admin/chat/trace/"))
    sinks = (traces, lists, *(one for one in SINKS if one.name == "log"))
    assert {leak.sink for sink in sinks for leak in leaks_of(sink, stage, heard)[0]} == {"traces", "lookups", "log"}


@pytest.mark.parametrize("principal", ["bob", "nobody"])
def test_a_vault_tells_who_saw_what_was_not_for_them(principal: str) -> None:
    vault, shown = Vault(), set[tuple[str, str, str]]()
    secret = vault.plant("alice", "text", "alice")
    texts = [Seen("alice", "a page", f"<b>{secret}</b>"), Seen(principal, "a list", secret.upper())]
    assert vault.leaks("pages", texts, shown) == [Leak("pages", principal, "a list", "alice's text")]
    assert shown == {("alice", "alice", "text")}


def test_every_list_of_the_admin_is_asked_every_lookup_of_its_fields_and_relations() -> None:
    asked = {model: set(lookups.every_lookup(model)) for model, _address in lookups.lists()}
    by_name = {model.__name__: found for model, found in asked.items()}
    assert {"condensed_query__contains", "candidates__0__text", "agent__system_prompt__startswith"} <= by_name["Trace"]
    assert "key_hash__startswith" in by_name["ApiKey"]
