"""The attack on personal documents by an organization's own admin: what a model wrote into a trace (finding 4)."""

from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from accounts.admin.scope import OrganizationAdmin
from chat.models import Trace
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_NOVEL, Library
from tests.live import Caller, LiveServer
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "PERSONALCANARY"
ALONE = f"And is it taxed? (referring to: Your severance payment from Acme is 4711 euros, codeword {CANARY}.)"
FOLLOW_UP = "And is it taxed?"
SCOPED = sorted(
    (model for model, page in admin.site._registry.items() if isinstance(page, OrganizationAdmin)),
    key=lambda model: model.__name__,
)


@pytest.fixture
def alicia(library: Library, server: LiveServer, chat_model: ModelServer) -> Caller:
    return server.by_key(library.alicia)


def ask(caller: Caller, agent: str, question: str, **fields: Any) -> Any:
    body = {"messages": [{"role": "user", "content": question}], "stream": False, **fields}
    answer = caller.call("POST", f"/api/agents/{agent}/chat/", body)
    assert answer.status == 200, answer
    return answer.body


def follow_up(caller: Caller, model: ModelServer, agent: str, **fields: Any) -> None:
    """The model condenses as real ones do: with names and amounts of the answer before."""
    model.script(path="chat", json_answer={"question": ALONE, "phrasings": []}, times=1)
    ask(caller, agent, FOLLOW_UP, **fields)


def everything_of_the_trace(client: Client) -> str:
    """The list of traces, the newest one's page and the places that it links to."""
    trace = Trace.objects.latest("created_at")
    page = client.get(reverse("admin:chat_trace_change", args=[trace.pk]))
    assert page.status_code == 200
    listed = client.get(reverse("admin:chat_trace_changelist"))
    searched = client.get(reverse("admin:chat_trace_changelist"), {"q": CANARY})
    assert searched.context["cl"].result_count == 0, "the search of the list looks into it"
    return page.content.decode() + listed.content.decode()


def way_of_a_corpus_taken_back(caller: Caller, model: ModelServer, library: Library) -> None:
    talk = ask(caller, "writer", ABOUT_NOVEL)["conversation"]
    assert caller.call("DELETE", f"/api/agents/writer/corpora/{library.notes.pk}/").status == 204
    follow_up(caller, model, "writer", conversation=talk)


def way_of_a_filter(caller: Caller, model: ModelServer, library: Library) -> None:
    talk = ask(caller, "writer", ABOUT_NOVEL)["conversation"]
    follow_up(caller, model, "writer", conversation=talk, filters={"tags": ["normas"]})


def way_of_a_history_that_a_client_sends(caller: Caller, model: ModelServer, library: Library) -> None:
    """Nobody knows where its words come from: they count as personal."""
    said = [{"role": "user", "content": "How much?"}, {"role": "assistant", "content": f"4711 euros, {CANARY}."}]
    follow_up(caller, model, "researcher", messages=[*said, {"role": "user", "content": FOLLOW_UP}])


def way_of_an_empty_search(caller: Caller, model: ModelServer, library: Library) -> None:
    talk = ask(caller, "writer", ABOUT_NOVEL)["conversation"]
    follow_up(caller, model, "writer", conversation=talk, filters={"unit": ["none"]})


WAYS = (
    way_of_a_corpus_taken_back,
    way_of_a_filter,
    way_of_a_history_that_a_client_sends,
    way_of_an_empty_search,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_question_condensed_from_personal_sources_reaches_no_admin(
    way: Any, alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    """4a. On 0.1.0 the admin read it outright."""
    way(alicia, chat_model, library)
    assert CANARY not in everything_of_the_trace(signed_in(library.admin))


def test_a_hidden_question_cannot_be_guessed_letter_by_letter(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    """4b. On 0.1.0 fourteen questions to the list's address read a codeword."""
    talk = ask(alicia, "writer", ABOUT_NOVEL)["conversation"]
    follow_up(alicia, chat_model, "writer", conversation=talk)
    client, pk = signed_in(library.admin), Trace.objects.latest("created_at").pk
    lookups = ("condensed_query__contains", "condensed_query__startswith", "condensed_query__regex")
    for lookup in (*lookups, "candidates__0__title__contains", "message__content__contains", "message__id"):
        assert rows_shown(client, Trace, {lookup: "codeword P", "id": str(pk)}) == rows_shown(
            client, Trace, {lookup: "codeword Q", "id": str(pk)}
        ), lookup


def rows_shown(client: Client, model: type[Model], asked: dict[str, str]) -> tuple[int, int]:
    """The status and how many rows the list shows. A lookup that is refused shows nothing."""
    options = model._meta
    answer = client.get(reverse(f"admin:{options.app_label}_{options.model_name}_changelist"), asked)
    return answer.status_code, answer.context["cl"].result_count if answer.status_code == 200 else 0


def offered(model: type[Model]) -> set[str]:
    page = admin.site._registry[model]
    named = {item if isinstance(item, str) else item[0] for item in page.list_filter if isinstance(item, str | tuple)}
    return named | {page.date_hierarchy or ""} | {model._meta.pk.name}


RELATED_SECRETS = ("password", "key_hash", "token_hash", "condensed_query", "system_prompt", "content", "snippet")


@pytest.mark.parametrize("model", SCOPED, ids=lambda model: model.__name__)
def test_no_lookup_of_a_list_leads_to_a_secret(model: type[Model], people: People) -> None:
    """Through what a list does offer: a filter on a relation opens no other column of it."""
    client = signed_in(people.ada)
    for name in offered(model) - {""}:
        for secret in RELATED_SECRETS:
            for inner in (secret, f"organization__{secret}", f"user__{secret}", f"owner__{secret}"):
                status, _rows = rows_shown(client, model, {f"{name}__{inner}__startswith": "a"})
                assert status != 200, f"{name}__{inner}"
