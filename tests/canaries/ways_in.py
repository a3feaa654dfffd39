"""What callers do on the stage: ask in every way that there is, rate, take back, measure, and meet faults."""

import json
from itertools import product
from typing import Any
from unittest import mock
from urllib.parse import urlencode

from chat.models import Message
from corpora.models import Document
from evaluation import runs
from evaluation.configurations import Configuration
from evaluation.models import QuestionSet
from tests.canaries.secrets import ADMINS_ELSEWHERE, ADMINS_HERE, Seen
from tests.canaries.stage import Stage
from tests.factories import table_of_answer
from tests.live import Answer, Caller
from tools.models import DataSource

WANTED = "What is the severance payment from Acme?"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def play(stage: Stage) -> None:
    """The whole of it, in an order in which things may happen."""
    for act in (
        ask_about_everything,
        take_a_corpus_back,
        search,
        query,
        fetch,
        rate,
        follow,
        measure,
        try_it_out,
        fail,
    ):
        act(stage)


def hear(stage: Stage, who: str, caller: Caller, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    answer = caller.call(method, path, body, **headers)
    assert answer.status < 500 or "fail" in headers.get("X-Expect", ""), f"{method} {path}: {answer.status}"
    stage.heard.append(Seen(who, f"{method} {path.partition('?')[0]}", text_of(answer)))
    return answer


def text_of(answer: Answer) -> str:
    body = answer.body.decode() if isinstance(answer.body, bytes) else json.dumps(answer.body, ensure_ascii=False)
    return f"{answer.headers}\n{body}"


def ask(stage: Stage, who: str, agent: str, question: str, **fields: Any) -> dict[str, Any]:
    said = [*fields.pop("history", ()), {"role": "user", "content": question}]
    body = {"messages": said, "stream": False, **fields}
    answer: dict[str, Any] = hear(stage, who, stage.pages[who], "POST", f"/api/agents/{agent}/chat/", body).body
    return answer


def ask_about_everything(stage: Stage) -> None:
    """Everybody asks the same of every agent that they may use, and goes on: streamed, and by both OpenAI calls."""
    for who, agents in (
        ("alice", "writer careful desk"),
        ("bob", "writer desk"),
        ("ada", "writer"),
        ("charlie", "abroad"),
    ):
        admins = ADMINS_ELSEWHERE if who == "charlie" else ADMINS_HERE
        for agent in agents.split():
            is_shared = agent == "desk" or who == "ada"
            tier, readers = ("here", (who, *admins)) if is_shared else (who, (who,))
            first = ask(stage, who, agent, f"{WANTED} {stage.vault.question(tier, *readers)}")
            assert first["sources"], f"{who} found nothing with {agent}"
            stage.shared |= {first["conversation"]} if is_shared else set()
            again = {
                "messages": [{"role": "user", "content": "And is it taxed?"}],
                "conversation": first["conversation"],
            }
            path = f"/api/agents/{agent}/chat/"
            hear(stage, who, stage.pages[who], "POST", path, again, **{"Idempotency-Key": f"{who} {agent}"})
            hear(stage, who, stage.pages[who], "POST", path, again, **{"Idempotency-Key": f"{who} {agent}"})
            if not is_shared and agent == "writer":
                history = [{"role": "assistant", "content": first["content"]}]
                ask_as_openai_does(stage, who, agent, history)
                asked = {"agent": agent, "question": WANTED}
                message_as_mcp_does(stage, who, "tools/call", name="ask", arguments=asked)
                # What a client sends along may be anybody's: here it is of a personal corpus, to an agent without any.
                ask(stage, who, "desk", "And of this?", history=[{"role": "user", "content": "Hi"}, *history])
    for who in ("charlie", "zoe"):
        hear(stage, who, stage.pages[who], "POST", "/api/agents/writer/chat/", {"messages": []})
        hear(
            stage,
            who,
            stage.pages[who],
            "POST",
            f"/api/agents/{stage.agents['writer'].pk}/retrieve/",
            {"query": WANTED},
        )


def ask_as_openai_does(stage: Stage, who: str, agent: str, history: list[dict[str, str]]) -> None:
    said = [{"role": "user", "content": "Hello"}, *history, {"role": "user", "content": WANTED}]
    for stream in (False, True):
        body = {"model": agent, "messages": said, "stream": stream}
        hear(stage, who, stage.programs[who], "POST", "/v1/chat/completions", body)


def take_a_corpus_back(stage: Stage) -> None:
    """Finding 4: what an answer said of it is still in the conversation, and from there in the condensed question."""
    alice, old = stage.pages["alice"], stage.corpora["alice old"]
    first = ask(stage, "alice", "writer", f"{WANTED} {stage.vault.question('alice', 'alice')}")
    hear(
        stage, "alice", alice, "DELETE", f"/api/agents/{stage.agents['writer'].pk}/corpora/{stage.corpora['alice'].pk}/"
    )
    hear(stage, "alice", alice, "DELETE", f"/api/corpora/{old.pk}/")
    last = f"And is it taxed? {stage.vault.question('alice', 'alice')}"
    ask(stage, "alice", "writer", last, conversation=first["conversation"])


def search(stage: Stage) -> None:
    for who in ("alice", "bob", "ada", "charlie", "zoe"):
        agent = "abroad" if who in ("charlie", "zoe") else "writer"
        hear(stage, who, stage.programs[who], "POST", f"/api/agents/{agent}/retrieve/", {"query": WANTED, "top_k": 20})
        body = {"agent": agent, "query": WANTED, "top_k": 20}
        hear(stage, who, stage.programs[who], "POST", "/api/tools/retrieve/", body)
        hear(stage, who, stage.programs[who], "POST", "/api/agents/careful/retrieve/", {"query": WANTED})
        message_as_mcp_does(stage, who, "tools/call", name="retrieve", arguments=body)
        message_as_mcp_does(stage, who, "resources/list")
        for document in Document.objects.values_list("pk", flat=True):
            message_as_mcp_does(stage, who, "resources/read", uri=f"acervo://documents/{document}")


def message_as_mcp_does(stage: Stage, who: str, method: str, **params: Any) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    hear(stage, who, stage.programs[who], "POST", "/mcp", message)


def query(stage: Stage) -> None:
    """Rows, and the sentences with which an engine refuses, which quote them; everybody tries everybody's source."""
    asked = (
        "SELECT * FROM customers",
        "SELECT max(email) FROM customers",
        "SELECT cast(region AS integer) FROM customers",
    )
    for who in ("alice", "bob", "ada", "charlie", "zoe"):
        for slug, source in product(("writer", "desk", "abroad"), stage.sources.values()):
            for sql in asked:
                body = {"agent": slug, "source": source.name, "sql": sql}
                hear(stage, who, stage.programs[who], "POST", "/api/tools/query/", body)
            counted = {"agent": slug, "source": source.name, "metric": "clientes", "dimensions": ["zona"]}
            hear(stage, who, stage.programs[who], "POST", "/api/tools/query_analytics/", counted)
    server = DataSource.objects.get(name="Server here")
    for who in ("bob", "ada", "zoe"):
        hear(stage, who, stage.programs[who], "POST", f"/api/data-sources/{server.pk}/check/", **{"X-Expect": "fail"})


def answers_of(who: str, stage: Stage) -> list[Message]:
    mine = Message.objects.owned_by(stage.members[who])
    return list(mine.filter(role=Message.Role.ASSISTANT))


def fetch(stage: Stage) -> None:
    """Rows that a model fetched for an answer stay with it: for whoever asked, and for nobody else."""
    for who in ("alice", "charlie"):
        table_of_answer(answers_of(who, stage)[0], stage.vault.plant(who, "fetched row", who))


def rate(stage: Stage) -> None:
    """A comment on each answer: for the admins where no personal corpus was in reach, and only there."""
    for who in ("alice", "bob", "charlie"):
        admins = ADMINS_ELSEWHERE if who == "charlie" else ADMINS_HERE
        for n, answer in enumerate(answers_of(who, stage)):
            is_shared = str(answer.conversation_id) in stage.shared
            tier, readers = ("here", (who, *admins)) if is_shared else (who, (who,))
            body = {"rating": (-1, 1)[n % 2], "comment": stage.vault.plant(tier, "comment", *readers)}
            hear(stage, who, stage.pages[who], "POST", f"/api/messages/{answer.pk}/feedback/", body)


def follow(stage: Stage) -> None:
    """Events again from the first and from the middle, and the progress of documents, as everybody."""
    for answer in Message.objects.filter(role=Message.Role.ASSISTANT):
        for who, caller in stage.pages.items():
            if who != "anonymous":
                hear(stage, who, caller, "GET", f"/api/messages/{answer.pk}/events/", **{"Last-Event-ID": "10"})
    for corpus in stage.corpora.values():
        busy = urlencode([("busy", str(pk)) for pk in corpus.documents.values_list("pk", flat=True)]).encode()
        for who, caller in stage.pages.items():
            hear(stage, who, caller, "POST", f"/corpora/{corpus.pk}/progress/", busy, **FORM)


def measure(stage: Stage) -> None:
    """Admins take whatever feedback they can get, ids of other answers among it, and have it judged."""
    chosen = urlencode([("answer", str(pk)) for pk in Message.objects.values_list("pk", flat=True)]).encode()
    for who in ("ada", "zoe"):
        questions = QuestionSet.objects.get(organization=stage.members[who].organization)
        path = f"/admin/evaluation/questionset/{questions.pk}/feedback/"
        hear(stage, who, stage.pages[who], "GET", path)
        hear(stage, who, stage.pages[who], "POST", path, chosen, **FORM)
        runs.start_runs(questions, [Configuration("default")], {}, stage.members[who], judge="fake?copying=1")
    while runs.run_next_evaluation():
        pass


def try_it_out(stage: Stage) -> None:
    """The playground, with settings that let everything through; and the audit log as a table."""
    for who in ("ada", "zoe", "operator"):
        for agent in stage.agents.values():
            asked = urlencode({"agent": str(agent.pk), "q": WANTED, "a-top_k": 20, "b-legs": "bm25"})
            hear(stage, who, stage.pages[who], "GET", f"/admin/chat/trace/playground/?{asked}")
        form = urlencode({"action": "export_csv", "select_across": "1", "index": "0", "_selected_action": "x"}).encode()
        hear(stage, who, stage.pages[who], "POST", "/admin/accounts/auditevent/", form, **FORM)


def fail(stage: Stage) -> None:
    """Errors quote what they choke on. Nobody but their log and their page gets to see them, and those do not."""
    text = " ".join(one.value for one in stage.vault.secrets)
    alice, ada, expected = stage.pages["alice"], stage.pages["ada"], {"X-Expect": "fail"}
    with mock.patch("agents.searching.aretrieve", side_effect=RuntimeError(text)):
        hear(stage, "anonymous", alice, "POST", "/api/agents/writer/retrieve/", {"query": WANTED}, **expected)
    with mock.patch("chat.admin.operations.usage", side_effect=ValueError(text)):
        hear(stage, "anonymous", ada, "GET", "/admin/chat/trace/usage/", **expected)
    with mock.patch("chat.answering.inquiry.aretrieve", side_effect=KeyError(text)):
        body = {"messages": [{"role": "user", "content": WANTED}], "stream": True}
        hear(stage, "anonymous", alice, "POST", "/api/agents/writer/chat/", body)
    with mock.patch("workers.ingestion.pipeline.read_and_index", side_effect=OSError(text)):
        document = stage.corpora["alice"].documents.first()
        assert document is not None
        hear(stage, "alice", alice, "POST", f"/api/documents/{document.pk}/reprocess/")
        stage.work()
