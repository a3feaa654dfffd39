"""From a question to what a model is asked and what is kept, without HTTP; and what never leaves (R18, R24)."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from accounts.problems import NotFound
from agents.models import Assignment
from chat.answering import answers, inquiry
from chat.answering.admission import Asking
from chat.answering.calling import hearing
from chat.answering.questions import ChatQuestion
from chat.api.questions import question_from
from chat.models import Conversation, Message, Trace
from chat.stream.events import Done, Error, Event, Sources, Token
from chat.stream.log import Cursor
from corpora import removal
from corpora.models import Document
from corpora.uploads import intake
from retrieval.confidence.gate import Confidence, Gate
from tests import library as sample
from tests.asking import Found, search_for
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOTHING, ABOUT_NOVEL, Library
from tests.live import LiveServer, asked

pytestmark = pytest.mark.django_db(transaction=True)


def events_of(
    library: Library, question: str = ABOUT_LOANS, agent: str = "writer", *, html: bool = False, **fields: Any
) -> list[Event]:
    """Of an answer that is given and read in the test's own process."""
    asking = Asking(library.alicia, agent, ChatQuestion(question, **fields))

    async def collected() -> list[Event]:
        _, reader = await answers.ask(asking, goes_on=False)
        return [event async for batch in reader.batches(Cursor(html=html)) for _, event in batch]

    return async_to_sync(collected)()


def text_of(events: list[Event]) -> str:
    return "".join(event.token for event in events if isinstance(event, Token))


def begun(library: Library, question: str = ABOUT_LOANS, agent: str = "writer", **fields: Any) -> Found:
    return search_for(library.alicia, agent, ChatQuestion(question, **fields))


def titles(answer: Found) -> set[str]:
    return {one.title for one in answer.retrieval.chunks}


def test_an_agent_is_asked_by_slug_or_by_id(library: Library) -> None:
    assert titles(begun(library)) == titles(begun(library, agent=str(library.writer.pk)))
    with pytest.raises(NotFound):
        begun(library, agent="nobody")


def test_the_prompt_has_the_passages_of_both_tiers_and_the_question_stays_a_user_message(library: Library) -> None:
    request = begun(library, f"{ABOUT_LOANS} {ABOUT_NOVEL}").request
    assert request.system.startswith("Eres de la casa.")
    assert request.system.index("[CORPUS GLOBAL]") < request.system.index("[CORPUS PERSONAL]")
    assert "veintiún días" in request.system
    assert ABOUT_NOVEL not in request.system
    assert [(one.role, one.content) for one in request.messages] == [("user", f"{ABOUT_LOANS} {ABOUT_NOVEL}")]


def test_the_question_decides_the_language(library: Library) -> None:
    assert begun(library, "How long does a loan last?").request.language == "en"
    assert begun(library, ABOUT_LOANS).request.language == "es"


def test_an_agent_without_rag_searches_nothing(library: Library, settings: Any) -> None:
    library.writer.uses_rag, library.writer.model = False, "openai:fake"
    library.writer.save()
    answer = begun(library)
    assert (answer.retrieval.chunks, answer.refusal) == ((), "")
    assert "CORPUS" not in answer.request.system


def test_rag_can_be_switched_off_for_all_at_run_time(library: Library, settings: Any) -> None:
    settings.RAG_ENABLED = False
    assert begun(library).retrieval.chunks == ()
    settings.RAG_ENABLED = True
    assert begun(library).retrieval.chunks != ()


def test_a_refusal_names_the_nearest_passages_and_is_cited(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    search = inquiry.aretrieve
    low = {"confidence": Confidence.LOW, "gate": Gate.LOW_CONFIDENCE}

    async def unsure(*args: Any) -> Any:
        return replace(await search(*args), **low)

    monkeypatch.setattr(inquiry, "aretrieve", unsure)
    events = events_of(library, agent="researcher")
    assert "Préstamos" in text_of(events)
    done = events[-1]
    assert isinstance(done, Done)
    assert (done.cited, done.state) == ((1,), "not_in_documents")
    kept = Message.objects.get(pk=done.message)
    assert (kept.content, kept.sufficient, kept.state) == (text_of(events), False, "not_in_documents")


def test_a_refusal_speaks_the_questions_language(library: Library) -> None:
    spanish, english = (
        text_of(events_of(library, question, "researcher"))
        for question in (ABOUT_NOTHING, "What is the density of molten tungsten?")
    )
    assert "enough information" in english
    assert "enough information" not in spanish


# The rule of the two tiers holds at the very next question (SPEC §2.2)


def switch_off_the_agents_permission(library: Library) -> None:
    library.writer.allows_personal_corpus = False
    library.writer.save()


def deactivate_the_corpus(library: Library) -> None:
    library.notes.is_active = False
    library.notes.save()


def remove_the_document(library: Library) -> None:
    removal.remove_document(library.notes.documents.get(), library.alicia)


CHANGES: list[Callable[[Library], object]] = [
    switch_off_the_agents_permission,
    deactivate_the_corpus,
    remove_the_document,
    lambda library: removal.remove_corpus(library.notes, library.alicia),
    lambda library: Assignment.objects.filter(corpus=library.notes).delete(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_taken_away_is_gone_at_the_next_question(library: Library, change: Callable[[Library], object]) -> None:
    assert "Personajes" in titles(begun(library, ABOUT_NOVEL))
    change(library)
    assert "Personajes" not in titles(begun(library, ABOUT_NOVEL))


def test_a_colleague_does_not_read_personal_corpora(library: Library) -> None:
    answer = search_for(library.bob, "writer", ChatQuestion(ABOUT_NOVEL))
    assert "Personajes" not in titles(answer)
    assert "Ofelia" not in answer.request.system


# Ends


def test_an_unexpected_error_of_a_client_ends_in_an_error_and_its_words_stay_out_of_the_log(
    library: Library, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        async def stream(self, request: Any) -> Any:
            raise ZeroDivisionError(request.system)
            yield

    monkeypatch.setattr(hearing, "client_for", lambda model: Broken())
    last = events_of(library)[-1]
    assert isinstance(last, Error)
    assert last.code == "model_interrupted"
    assert "ZeroDivisionError at test_answering.py" in caplog.text
    assert "Eres de la casa" not in caplog.text


def test_blocks_are_rendered_only_for_pages(library: Library) -> None:
    assert "html" not in {event.event for event in events_of(library)}
    assert "html" in {event.event for event in events_of(library, html=True)}


def test_messages_stay_in_order(library: Library) -> None:
    first = events_of(library)[0]
    assert isinstance(first, Sources)
    events_of(library, "¿Y después?", conversation=first.conversation)
    kept = Message.objects.filter(conversation=first.conversation)
    assert [one.role for one in kept] == ["user", "assistant", "user", "assistant"]


def test_a_question_is_trimmed_but_history_is_not(library: Library) -> None:
    body = {"messages": [{"role": "user", "content": " a "}, {"role": "user", "content": "  b\n"}]}
    question = question_from(body)
    assert (question.text, question.history[0].content) == ("b", " a ")


# Canaries: words that must stay where they are (R18, R24)


CANARIES = {
    "prompt": "CANARIO-PROMPT-7d1f",
    "document": "CANARIO-DOCUMENTO-93ab",
    "filename": "CANARIO-FICHERO-51ce",
    "question": "CANARIO-PREGUNTA-0e44",
    "provider": "CANARIO-PROVEEDOR-ee02",
    "key": "sk-CANARIO-CLAVE-a8c3",
}


@pytest.fixture
def every_log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG)
    for name in ("django", "celery", "kombu", "httpx", "openai", "anthropic", "uvicorn", "aiohttp", "workers", "chat"):
        caplog.set_level(logging.DEBUG, name)
    return caplog


def test_no_canary_reaches_a_log_a_trace_or_a_task(
    library: Library,
    server: LiveServer,
    all_models: ModelServer,
    worker: Callable[[], int],
    hints: list[str],
    every_log: pytest.LogCaptureFixture,
    settings: Any,
) -> None:
    settings.OPENAI_API_KEY = CANARIES["key"]
    settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = CANARIES["key"], all_models.anthropic_url
    library.writer.system_prompt = CANARIES["prompt"]
    library.writer.save()
    text = f"# {CANARIES['document']}\n\nEl canario {CANARIES['document']} canta en la mina a las cinco.\n"
    kept = sample.upload(library.notes, library.alicia, f"{CANARIES['filename']}.md", text)
    broken = sample.upload(library.notes, library.alicia, f"{CANARIES['filename']}.pdf", f"%PDF-1.7\n{text}")
    worker()
    assert Document.objects.get(pk=kept.pk).status == "indexed"
    assert Document.objects.get(pk=broken.pk).status == "failed"
    caller = server.by_key(library.alicia)
    question = f"¿A qué hora canta el {CANARIES['document']}? {CANARIES['question']}"
    sources = caller.answers("writer", question)[0].data["sources"]
    assert CANARIES["document"] in str(sources)
    for fault in ({"status": 500}, {"error_after": 2}, {"status": 400}):
        all_models.script(path="chat", complaint=CANARIES["provider"], **fault)
        caller.answers("writer", question)
        all_models.reset()
    for path in ("embeddings", "chat"):
        all_models.script(path=path, status=400, complaint=f"{CANARIES['provider']} {question}")
    caller.answers("writer", question + "?")
    intake.reprocess(
        sample.upload(library.notes, library.alicia, f"{CANARIES['filename']}2.md", text * 2), library.alicia
    )
    worker()
    library.writer.model = "anthropic:fake"
    library.writer.save()
    all_models.reset()
    assert caller.answers("writer", question)[-1].name == "done"
    all_models.script(path="messages", status=500, complaint=CANARIES["provider"])
    caller.answers("writer", question)
    traces = str([{**one, "query": ""} for one in Trace.objects.values()])  # the question's own words are its record
    stored_errors = str(list(Document.objects.values_list("error_code")))
    for name, canary in CANARIES.items():
        assert canary not in every_log.text, f"{name} in a log"
        assert canary not in traces, f"{name} in a trace"
        assert canary not in str(hints), f"{name} in a task"
        assert canary not in stored_errors, f"{name} in a document's error"


def test_the_system_prompt_is_told_to_the_model_and_to_nobody_else(
    library: Library, server: LiveServer, chat_model: ModelServer
) -> None:
    library.writer.system_prompt = CANARIES["prompt"]
    library.writer.save()
    caller = server.by_key(library.alicia)
    events = caller.answers("writer", ABOUT_LOANS)
    assert CANARIES["prompt"] in chat_model.requests()[-1]["body"]["messages"][0]["content"]
    assert asked(chat_model) == 1
    assert CANARIES["prompt"] not in str(events)
    conversation = Conversation.objects.get().pk
    shown = [
        caller.call("GET", path).body
        for path in (f"/api/conversations/{conversation}/", "/api/agents/", "/api/agents/writer/", "/v1/models")
    ]
    assert CANARIES["prompt"] not in str(shown)


def test_the_sources_of_the_events_are_those_that_are_kept(library: Library) -> None:
    first = events_of(library)[0]
    assert isinstance(first, Sources)
    kept = Message.objects.get(pk=first.message).citations.all()
    assert [(one.n, one.chunk, one.snippet) for one in first.sources] == [
        (one.n, one.chunk_id, one.snippet) for one in kept
    ]
