"""64 requests at once against one limit, over HTTP, for each way that there is to use it up.

An installation is a `House`: the sample organization, served by one process or by several, whose database the test
reaches past them. `exactly` asks; what it returns is how many were let in.
"""

import itertools
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID, uuid4

from accounts.limits.declared import LIMITS, Per
from tests.fakes.fixtures import ModelServer
from tests.live import Caller, Stream
from tests.processes import upload

AT_ONCE, ALLOWED = 64, 5
AGENT = "escritor-de-libros"  # answers without context too
ADMIN, MEMBER = "admin@aurora.example", "alicia@aurora.example"
NO_LIMITS = json.dumps({per.value: dict.fromkeys(LIMITS, 0) for per in Per})
PRICES = json.dumps({"fake": [1, 1]})
SETTINGS = {"QUOTAS": "on", "LIMITS": NO_LIMITS, "CHAT_MODEL": "fake", "MODEL_PRICES": PRICES}
_numbers = itertools.count()


class House(Protocol):
    """`callers` of a person: one for each process that serves. `execute` goes straight to the database; a `%s` stands
    for a value, and an id is given as the database keeps it (`kept`)."""

    def callers(self, email: str, *, by_session: bool = False) -> Sequence[Caller]: ...
    def execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]: ...
    def kept(self, id: str) -> Any: ...


@dataclass(frozen=True)
class Asked:
    """What one request needs to know: who asks, and things of theirs that were made before."""

    caller: Caller
    corpus: str = ""
    document: str = ""
    admin: str = ""


Ask = Callable[[Asked], int | Stream]


@dataclass(frozen=True)
class Way:
    """A way to use a limit up. `ask` returns a status, or a stream, which is then kept open until all have asked.
    `each`: how much one request takes; None for a reservation that is measured first."""

    name: str
    limit: str
    ask: Ask
    each: float | None = 1
    needs: tuple[str, ...] = ()
    by_session: bool = False
    by_admins: bool = False
    let_in: frozenset[int] = frozenset((200, 201, 202))

    def __str__(self) -> str:
        return f"{self.name}: {self.limit}"


def fresh() -> str:
    """Always as long: who asks with one more letter reserves more than was measured."""
    return f"{next(_numbers):06d}-{uuid4().hex[:6]}"


def post(path: str, body: Callable[[Asked], Any]) -> Ask:
    return lambda asked: asked.caller.call("POST", path.format(**vars(asked)), body(asked)).status


def stream(asked: Asked) -> Stream:
    return asked.caller.ask(AGENT, f"¿Qué es un bucle? {fresh()}")


def page(path: str, **form: str) -> Ask:
    """A form of a page, posted."""

    def ask(asked: Asked) -> int:
        body = "&".join(f"{name}={value}" for name, value in form.items()).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return asked.caller.call("POST", path.format(**vars(asked)), body, **kind).status

    return ask


QUESTION = {"messages": [{"role": "user", "content": "¿Qué es un bucle?"}], "stream": False}
SMALL = b"16 kilobytes. \n\n" * 1024
BUSY, BUSY_FOR = 503, 15  # seconds: who is told that too much is going on at once asks again, as the answer says
SLACK = 0.001  # of any unit: less than one request takes, and more than is lost in rounding
WAYS = (
    Way("chat", "questions", post(f"/api/agents/{AGENT}/chat/", lambda _: QUESTION)),
    Way("OpenAI's chat", "questions", post("/v1/chat/completions", lambda _: {**QUESTION, "model": AGENT})),
    Way("retrieve", "searches", post(f"/api/agents/{AGENT}/retrieve/", lambda _: {"query": "bucle"})),
    Way("tool retrieve", "searches", post("/api/tools/retrieve/", lambda _: {"agent": AGENT, "query": "bucle"})),
    Way(
        "playground", "searches", lambda asked: asked.caller.call("GET", asked.admin).status, each=2,
        needs=("playground",), by_session=True, by_admins=True,
    ),
    Way(
        "facts", "writes", post("/api/corpora/{corpus}/facts/", lambda _: {"text": f"Fact {fresh()}."}),
        needs=("corpus",),
    ),
    Way(
        "tool upsert_knowledge", "writes",
        post("/api/tools/upsert_knowledge/", lambda asked: {"corpus": asked.corpus, "text": f"Fact {fresh()}."}),
        needs=("corpus",),
    ),
    Way(
        "uploads", "writes",
        lambda asked: upload(asked.caller, asked.corpus, f"{fresh()}.txt", fresh().encode()).status,
        needs=("corpus",),
    ),
    Way("reprocess", "writes", post("/api/documents/{document}/reprocess/", lambda _: None), needs=("document",)),
    Way("streams", "streams", stream),
    *(Way("chat", name, stream, each=None) for name in ("tokens_day", "tokens_month", "dollars_day", "dollars_month")),
    Way(
        "uploads", "documents",
        lambda asked: upload(asked.caller, asked.corpus, f"{fresh()}.txt", fresh().encode()).status,
        needs=("corpus",),
    ),
    Way(
        "uploads", "megabytes", lambda asked: upload(asked.caller, asked.corpus, f"{fresh()}.txt", SMALL).status,
        each=len(SMALL) / 1024**2, needs=("corpus",),
    ),
    Way(
        "boxes", "pages", lambda asked: asked.caller.call("GET", f"/api/documents/{asked.document}/pages/1/").status,
        needs=("printed",), let_in=frozenset((200, 503)),  # let in, two draw at once, and who waits for long is told so
    ),
    Way("corpora", "corpora", post("/api/corpora/", lambda _: {"name": "New"})),
    Way("projects", "projects", post("/api/projects/", lambda _: {"name": "New"})),
    Way("keys", "keys", page("/account/keys/", name="New"), by_session=True),
    Way(
        "evaluation", "evaluations", page("{admin}", configurations="default", measure="mrr"), needs=("runs",),
        by_session=True, by_admins=True,
    ),
)  # fmt: skip


def let_in(house: House, way: Way, per: Per, model: ModelServer) -> tuple[int, int, list[int]]:
    """How many of AT_ONCE requests were let in, how many were refused as beyond the limit, and all statuses."""
    people = [ADMIN] if per is Per.USER or way.by_admins else [ADMIN, MEMBER]
    asked = [one for email in people for one in prepared(house, way, email)]
    model.reset()
    model.script(path="chat", endless=True, pace=0.05) if way.ask is stream else model.script(path="chat", text="Sí.")
    house.execute("DELETE FROM accounts_limituse")
    house.execute("DELETE FROM accounts_spendingreservation")
    before = held(house, way, per)
    set_limit(house, way, per, before + ALLOWED * (way.each or measured(house, way, asked[0])) + slack(way))
    while time.time() % 60 > 30:  # not across the end of a minute
        time.sleep(1)
    try:
        statuses = ask_at_once(way, asked)
    finally:
        house.execute("DELETE FROM accounts_limitsetting")
        model.reset()
    return outcome(house, way, statuses)


def slack(way: Way) -> float:
    return SLACK if way.limit == "megabytes" else 0


def outcome(house: House, way: Way, statuses: list[int]) -> tuple[int, int, list[int]]:
    if way.name == "evaluation":  # a refusal on an admin's page is a redirection with a message, too
        ((made,),) = house.execute("SELECT count(*) FROM evaluation_evaluationrun")
        house.execute("DELETE FROM evaluation_evaluationrun")
        return made, AT_ONCE - made, statuses
    refused = 302 if way.name == "keys" else 429
    return sum(one in way.let_in for one in statuses), statuses.count(refused), statuses


def ask_at_once(way: Way, asked: Sequence[Asked]) -> list[int]:
    gate = threading.Barrier(AT_ONCE)
    with ExitStack() as open_streams, ThreadPoolExecutor(AT_ONCE) as pool:

        def ask(one: Asked) -> int:
            gate.wait(60)
            until = time.monotonic() + BUSY_FOR
            while (status := once(one)) == BUSY and BUSY not in way.let_in and time.monotonic() < until:
                time.sleep(2 + random.random())
            return status

        def once(one: Asked) -> int:
            answer = way.ask(one)
            if isinstance(answer, Stream):
                open_streams.callback(answer.close)
                return answer.status
            return answer

        return list(pool.map(ask, itertools.islice(itertools.cycle(asked), AT_ONCE)))


def prepared(house: House, way: Way, email: str) -> list[Asked]:
    """For each process that serves, with what the way needs of this person's."""
    plain = house.callers(email)[0]
    things: dict[str, str] = {}
    if {"corpus", "document"} & set(way.needs):
        things["corpus"] = created(plain, "/api/corpora/", {"name": f"Corpus {fresh()}"})
    if "document" in way.needs:
        answer = upload(plain, things["corpus"], "one.txt", fresh().encode())
        things["document"] = str(answer.body["id"])
    if "printed" in way.needs:
        things["document"] = printed_document(house)
    if "playground" in way.needs:
        agent = plain.call("GET", f"/api/agents/{AGENT}/").body["id"]
        things["admin"] = f"/admin/chat/trace/playground/?agent={agent}&q=bucle"
    if "runs" in way.needs:
        things["admin"] = f"/admin/evaluation/questionset/{question_set(house)}/runs/"
    callers = house.callers(email, by_session=way.by_session)
    return [Asked(caller, **things) for caller in callers]


def created(caller: Caller, path: str, body: Any) -> str:
    made = caller.call("POST", path, body)
    assert made.status == 201, made.body
    return str(made.body["id"])


def organization_of(house: House) -> Any:
    ((organization,),) = house.execute("SELECT id FROM accounts_organization ORDER BY created_at LIMIT 1")
    return organization


def question_set(house: House) -> str:
    id = str(uuid4())
    house.execute(
        "INSERT INTO evaluation_questionset (id, created_at, organization_id, name) VALUES (%s, %s, %s, %s)",
        house.kept(id), "2026-01-01 00:00:00+00:00", organization_of(house), f"Set {fresh()}",
    )  # fmt: skip
    return id


def printed_document(house: House) -> str:
    """A PDF of the sample organization's, which its members read."""
    ((document,), *_) = house.execute(
        "SELECT d.id FROM corpora_document d JOIN corpora_corpus c ON c.id = d.corpus_id "
        "WHERE d.media_type = 'application/pdf' AND d.status = 'indexed' AND c.owner_id IS NULL"
    )
    return str(UUID(str(document)))


def set_limit(house: House, way: Way, per: Per, amount: float) -> None:
    """As an operator gives it to the organization."""
    house.execute("DELETE FROM accounts_limitsetting")
    house.execute(
        "INSERT INTO accounts_limitsetting (organization_id, name, per, by_operator, amount) "
        "VALUES (%s, %s, %s, %s, %s)",
        organization_of(house), way.limit, per.value, True, amount,
    )  # fmt: skip


def measured(house: House, way: Way, one: Asked) -> float:
    """What one request reserves, in the limit's unit."""
    with stream(one) as answer:
        assert answer.status == 200, answer.problem()
        ((tokens, microdollars),) = house.execute("SELECT tokens, microdollars FROM accounts_spendingreservation")
    settled_by = time.monotonic() + 20
    while house.execute("SELECT 1 FROM accounts_spendingreservation"):
        assert time.monotonic() < settled_by, "an answer that was hung up on is not settled"
        time.sleep(0.05)
    house.execute("DELETE FROM accounts_limituse")
    return float(tokens) if way.limit.startswith("tokens") else microdollars / LIMITS[way.limit].factor


HELD = {
    "documents": ("count(*)", "corpora_document d JOIN corpora_corpus c ON c.id = d.corpus_id", "d.uploaded_by_id",
                  "d.deleted_at IS NULL"),
    "megabytes": ("coalesce(sum(d.size), 0)", "corpora_document d JOIN corpora_corpus c ON c.id = d.corpus_id",
                  "d.uploaded_by_id", "d.deleted_at IS NULL"),
    "corpora": ("count(*)", "corpora_corpus c", "c.owner_id", "c.deleted_at IS NULL"),
    "projects": ("count(*)", "chat_project p", "p.owner_id", "1 = 1"),
    "keys": ("count(*)", "accounts_apikey k JOIN accounts_membership m ON m.id = k.membership_id", "m.user_id",
             "k.revoked_at IS NULL"),
}  # fmt: skip


def held(house: House, way: Way, per: Per) -> float:
    """What there is before, counted by SQL of the test's own."""
    if way.limit not in HELD:
        return 0
    what, table, owner, alive = HELD[way.limit]
    where = (
        f"{alive} AND {owner} = (SELECT id FROM accounts_user WHERE email = '{ADMIN}')" if per is Per.USER else alive
    )
    ((count,),) = house.execute(f"SELECT {what} FROM {table} WHERE {where}")
    return float(count) / LIMITS[way.limit].factor


def session_of(run: Callable[..., str], email: str) -> str:
    """A new session's key, made by a program of the installation."""
    code = (
        "from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY;"
        "from django.conf import settings;"
        "from django.contrib.sessions.backends.db import SessionStore;"
        "from accounts.models import User;"
        f"user = User.objects.get(email='{email}'); session = SessionStore();"
        "session[SESSION_KEY] = str(user.pk);"
        "session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0];"
        "session[HASH_SESSION_KEY] = user.get_session_auth_hash(); session.create(); print(session.session_key)"
    )
    return run("shell", "--no-imports", "--command", code).strip().splitlines()[-1]


def browser(port: int, session: str) -> Caller:
    token = "a" * 32
    return Caller(port, {"Cookie": f"sessionid={session}; csrftoken={token}", "X-CSRFToken": token})


def hexadecimal(id: str) -> str:
    """As SQLite keeps it."""
    return UUID(id).hex
