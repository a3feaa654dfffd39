"""What is said where no answer can be given, and in which state such an answer ends: an outage is told as one."""

from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from agents.models import Agent
from chat.answering import inquiry
from chat.answering.state import State, state_found
from chat.citing.claims import claims_in
from chat.citing.matching import Read, supporting_span
from chat.prompting.refusals import QUOTE_WIDTHS, refusal_for
from corpora.models import DocumentText
from retrieval.confidence.gate import Gate
from retrieval.places.named import Named
from retrieval.results import Retrieval
from retrieval.tests.exact import chunk_of
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOTHING, Library
from tests.live import LiveServer, asked, text_of

STRICT = Agent(grounding="strict", uses_rag=True, model="openai:fake")
OPEN = Agent(grounding="open", uses_rag=True, model="openai:fake")
QUOTING = Agent(grounding="open", uses_rag=True, model="extractive")
TOO_LITTLE = Retrieval(
    "¿Y la multa?", 800, chunks=(chunk_of(1, "## La *multa* es de 0,20 € al día."),), gate=Gate.LOW_CONFIDENCE
)
INDEX_DOWN = Retrieval("¿Y la multa?", 800, degraded="index_unavailable", gate=Gate.DEGRADED)
WORDS_ALONE = replace(TOO_LITTLE, degraded="embedding_unavailable", gate=Gate.DEGRADED)


def test_it_says_why_quotes_the_nearest_and_offers_ways_on() -> None:
    said = refusal_for(STRICT, TOO_LITTLE, "es")
    assert said.startswith("No tengo información suficiente en tus documentos")
    assert "«La multa es de 0,20 € al día.»" in said
    assert "[1]" in said
    assert "otro agente" in said
    assert "algunos documentos" not in said
    assert "algunos documentos" in refusal_for(STRICT, TOO_LITTLE, "es", is_narrowed=True)


def test_a_question_about_nothing_is_told_so_unless_the_conversation_says_about_what() -> None:
    asked = replace(TOO_LITTLE, query="¿Y cuánto dura?")
    assert refusal_for(STRICT, asked, "es").startswith("Tu pregunta no dice de qué trata")
    assert refusal_for(STRICT, asked, "es", is_narrowed=True).startswith("No tengo información suficiente")


def test_a_nearest_passage_is_quoted_as_it_is_read_and_cited_for_its_words_alone() -> None:
    text = "La [multa](https://a.example/b) es de 0,20 €. Se paga al día."
    linked = replace(TOO_LITTLE, chunks=(chunk_of(1, text),))
    said = refusal_for(STRICT, linked, "es")
    assert "«La multa es de 0,20 €. Se paga al día.» [1] — " in said
    claim = claims_in(said, {1})[0]
    assert supporting_span(claim.text, Read(text)) == (0, len(text))


def test_a_nearest_passage_is_told_with_the_page_of_its_words_as_its_citation_is() -> None:
    passage = replace(TOO_LITTLE, chunks=(chunk_of(1, "La multa es de 2 €.", page=5),))

    def told(quote: Any) -> str:
        return refusal_for(STRICT, passage, "es", sentences=lambda _: {1: [quote]}).split(" — ")[1].splitlines()[0]

    assert told({"page": 6, "page_label": "4"}) == ", p. 6 (impresa como 4)"
    assert told({"page": 6}) == ", p. 6"
    assert told(None) == ", p. 5", "of the passage, where nothing is known of its words"


def test_of_the_nearest_more_is_quoted_than_of_those_behind_it() -> None:
    long = "La multa es de 0,20 € al día de retraso. " * 40
    passages = tuple(chunk_of(number, long) for number in range(1, 6))
    said = refusal_for(STRICT, replace(TOO_LITTLE, chunks=passages), "es")
    quoted = [line.split("»")[0] for line in said.splitlines() if line.startswith("- «")]
    for quote, width in zip(quoted, QUOTE_WIDTHS, strict=True):
        assert width - 60 < len(quote) <= width + len("- «… …")


@pytest.mark.django_db(transaction=True)
def test_a_refusal_tells_the_printed_page(
    server: LiveServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = DocumentText.objects.get(document__corpus=library.loans)
    text.pages = [[1, 0, len(text.text), "xii"]]
    text.save()
    search = inquiry.aretrieve

    async def unsure(*args: Any) -> Any:
        return replace(await search(*args), gate=Gate.LOW_CONFIDENCE)

    monkeypatch.setattr(inquiry, "aretrieve", unsure)
    library.writer.grounding = "strict"
    library.writer.save()
    events = server.by_key(library.alicia).answers("writer", ABOUT_LOANS)
    assert ", p. 1 (impresa como xii)" in text_of(events)
    assert (events[-1].data["citations"][0]["page"], events[-1].data["citations"][0]["page_label"]) == (1, "xii")


def test_a_title_keeps_the_signs_within_its_words() -> None:
    passage = replace(chunk_of(1, "La _multa_ de max_loans es de 2 €."), title="plan_2024 _final_")
    said = refusal_for(STRICT, replace(TOO_LITTLE, chunks=(passage,)), "es")
    assert "«La multa de max_loans es de 2 €.» [1] — plan_2024 final" in said


def test_what_was_named_and_is_not_there_is_named() -> None:
    law = Named(missing_documents=("Ley *3/1900*",), nearest=("Ley 3/1901",))
    said = refusal_for(STRICT, replace(TOO_LITTLE, named=law), "es")
    assert said.startswith("«Ley 3/1900» no está entre tus documentos")
    assert "más parecido que hay: Ley 3/1901." in said
    longer = Named(missing_documents=("AI", "AI Act prohibit"), missing_told=("AI Act",))
    assert refusal_for(STRICT, replace(TOO_LITTLE, named=longer), "en").startswith("“AI Act” is not among")
    assert "Los pasajes más cercanos son:" in said
    article = Named(documents=("Ley 3/1901.",), missing_places=("artículo 99",), nearest=("Ley 3/1901.",))
    said = refusal_for(STRICT, replace(TOO_LITTLE, named=article), "en")
    assert said.startswith("There is no “artículo 99” in Ley 3/1901.\n\n")


@pytest.mark.parametrize(
    ("named", "begins"),
    [
        ({"pages": "i–xii, 1–36"}, "No aparece «página 400» en Manual. Tiene las páginas i–xii, 1–36."),
        ({"pages": ""}, "No aparece «página 400» en Manual. No está dividido en páginas."),
        ({}, "No aparece «página 400» en Manual.\n"),
        ({"pages": "1–500", "blank_places": ("página 400",)}, "«página 400» no tiene texto en Manual.\n"),
    ],
)
def test_of_a_page_that_is_not_there_it_is_told_which_are(named: dict[str, Any], begins: str) -> None:
    missing = Named(documents=("Manual",), missing_places=("página 400",), **named)
    assert refusal_for(STRICT, replace(TOO_LITTLE, named=missing), "es").startswith(begins)


@pytest.mark.parametrize("language", ["es", "en"])
def test_an_outage_is_never_told_as_no_information(language: str) -> None:
    for retrieval in (INDEX_DOWN, WORDS_ALONE):
        said = refusal_for(STRICT, retrieval, language)
        assert ("información suficiente" in said, "enough information" in said) == (False, False)
        assert ("no responde" if language == "es" else "does not answer") in said
        assert state_found(retrieval, has_documents=True) == State.COULD_NOT_SEARCH


def test_an_open_agent_answers_without_and_one_without_a_model_refuses() -> None:
    assert refusal_for(OPEN, TOO_LITTLE, "es") == refusal_for(OPEN, INDEX_DOWN, "es") == ""
    assert "más cercanos" in refusal_for(QUOTING, TOO_LITTLE, "es")
    off = Retrieval("¿Quién es Ada?", 800, gate=Gate.DISABLED)
    assert "ningún modelo de lenguaje" in refusal_for(replace_agent(QUOTING, uses_rag=False), off, "es")
    assert refusal_for(OPEN, off, "es") == ""


@pytest.mark.django_db(transaction=True)
def test_a_greeting_is_not_looked_up(server: LiveServer, library: Library, chat_model: ModelServer) -> None:
    alicia = server.by_key(library.alicia)
    library.writer.grounding = "strict"
    library.writer.save()
    chat_model.script(text="De nada.")
    sources, *_, done = alicia.answers("writer", "¡Muchas gracias!")
    assert (sources.data["sources"], done.data["state"]) == ([], "without_documents")
    library.writer.model = "extractive"
    library.writer.save()
    events = alicia.answers("writer", "¡Muchas gracias!")
    assert text_of(events).startswith("Pregúntame lo que quieras saber")
    assert events[-1].data["state"] == "without_documents"


def replace_agent(agent: Agent, **fields: Any) -> Agent:
    return Agent(**{"grounding": agent.grounding, "model": agent.model, **fields})


def test_who_has_nothing_to_read_says_so() -> None:
    empty = Retrieval("¿Y la multa?", 800)
    assert "Asígname un corpus" in refusal_for(STRICT, empty, "es", has_documents=False)
    assert state_found(empty, has_documents=False) == State.WITHOUT_DOCUMENTS


@pytest.mark.django_db(transaction=True)
def test_what_does_not_suffice_is_shown_but_no_context_of_an_open_agent(
    server: LiveServer, library: Library, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = inquiry.aretrieve

    async def unsure(*args: Any) -> Any:
        return replace(await search(*args), gate=Gate.LOW_CONFIDENCE)

    monkeypatch.setattr(inquiry, "aretrieve", unsure)
    chat_model.script(text="Con conocimiento general: tres semanas.")
    before = counted("without_documents")
    sources, *_, done = server.by_key(library.alicia).answers("writer", ABOUT_LOANS)
    assert sources.data["sources"]
    assert (sources.data["state"], done.data["state"]) == ("not_in_documents", "without_documents")
    assert "veintiún" not in str(chat_model.requests())
    assert counted("without_documents") == before + 1


def counted(state: str) -> float:
    return REGISTRY.get_sample_value("answers_total", {"state": state}) or 0.0


@pytest.mark.django_db(transaction=True)
def test_a_claim_that_nothing_supports_makes_it_partly_supported(
    server: LiveServer, library: Library, chat_model: ModelServer
) -> None:
    chat_model.script(text="El préstamo de un libro dura 21 días [1]. Y se renueva cinco veces [1].")
    assert server.by_key(library.alicia).answers("writer", ABOUT_LOANS)[-1].data["state"] == "partly_supported"


@pytest.mark.django_db(transaction=True)
def test_an_adaptive_strict_agent_gets_its_attempts_before_it_refuses(
    server: LiveServer, adaptive_library: Library, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    adaptive_library.writer.grounding = "strict"
    adaptive_library.writer.save()
    search = inquiry.aretrieve
    sizes = []

    async def only_small(query: str, scope: Any, policy: Any) -> Any:
        sizes.append(policy.granularity)
        found = await search(query, scope, policy)
        return found if policy.granularity == 256 else replace(found, gate=Gate.LOW_CONFIDENCE)

    monkeypatch.setattr(inquiry, "aretrieve", only_small)
    chat_model.script(text="Veintiún días [1].")
    events = server.by_key(adaptive_library.alicia).answers("writer", ABOUT_LOANS)
    assert sizes[:3] == [512, 1024, 256]
    assert events[-1].data["state"] == "supported"
    assert asked(chat_model) >= 1


@pytest.mark.django_db(transaction=True)
def test_a_refusal_is_told_in_the_questions_language(server: LiveServer, library: Library) -> None:
    alicia = server.by_key(library.alicia)
    assert "información suficiente" in text_of(alicia.answers("researcher", ABOUT_NOTHING))
    assert "enough information" in text_of(alicia.answers("researcher", "What is the density of molten tungsten?"))
