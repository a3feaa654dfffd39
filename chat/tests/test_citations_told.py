"""Citations point to the sentence: streamed, told again, in the conversation's detail, on its page, in the reader."""

from typing import Any

import pytest

from chat.models import Citation
from corpora import removal
from corpora.models import DocumentText
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.live import Caller, LiveServer
from tests.people import signed_in, with_key

pytestmark = pytest.mark.django_db(transaction=True)

SAID = "El préstamo de un libro dura 21 días [1]. Se puede renovar cinco veces [1]."


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


def answered(alicia: Caller, chat_model: ModelServer) -> dict[str, Any]:
    chat_model.script(text=SAID)
    return alicia.answers("writer", ABOUT_LOANS)[-1].data


def told_again(alicia: Caller, message: str) -> Any:
    with alicia.follow(message) as stream:
        return list(stream)[-1].data


def test_each_names_the_sentence_its_page_and_its_place_in_the_document(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    done = answered(alicia, chat_model)
    first, second = done["citations"]
    text = DocumentText.objects.get(document__corpus=library.loans).text
    assert (
        text[first["start"] : first["end"]] == first["text"] == "El préstamo de un libro dura veintiún días naturales."
    )
    assert second == {"n": 1, "text": None, "page": None, "start": None, "end": None}, "it says two, not five"


def test_they_are_told_again_as_they_were_told(alicia: Caller, chat_model: ModelServer, library: Library) -> None:
    done = answered(alicia, chat_model)
    told = told_again(alicia, done["message"])
    assert told["citations"] == done["citations"]
    row = Citation.objects.get(message=done["message"], n=1)
    detail = with_key(library.alicia).get(f"/api/conversations/{row.message.conversation_id}/").json()["messages"][-1]
    assert detail["citations"] == done["citations"]


def test_a_printed_page_number_is_told_with_the_page_where_it_is_another(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    text = DocumentText.objects.get(document__corpus=library.loans)
    text.pages = [[1, 0, len(text.text), "xii"]]
    text.save()
    done = answered(alicia, chat_model)
    assert [(one["page"], one.get("page_label")) for one in done["citations"]] == [(1, "xii"), (None, None)]
    assert "page_label" not in done["citations"][1], "only where there is one"
    assert told_again(alicia, done["message"])["citations"] == done["citations"]
    row = Citation.objects.get(message=done["message"], n=1)
    detail = with_key(library.alicia).get(f"/api/conversations/{row.message.conversation_id}/").json()["messages"][-1]
    assert detail["citations"] == done["citations"]
    client = signed_in(library.alicia)
    page = client.get(f"/conversations/{row.message.conversation_id}/").content.decode()
    assert 'data-place="p. 1 (impresa como xii)"' in page
    assert "data-page>p. 1 (impresa como xii)</span>" in page
    reader = client.get(f"/documents/{row.document_id}/?chunk={row.chunk_id}").content.decode()
    assert "Página 1 · impresa como xii" in reader


def test_a_number_that_is_printed_as_it_is_counted_is_told_once(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    text = DocumentText.objects.get(document__corpus=library.loans)
    text.pages = [[1, 0, len(text.text), "1"]]
    text.save()
    assert "page_label" not in answered(alicia, chat_model)["citations"][0]


def test_the_page_marks_what_nothing_supports_and_leads_to_the_sentence(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    done = answered(alicia, chat_model)
    row = Citation.objects.get(message=done["message"], n=1)
    client = signed_in(library.alicia)
    page = client.get(f"/conversations/{row.message.conversation_id}/").content.decode()
    first = done["citations"][0]
    assert f'data-span="{first["start"]}-{first["end"]}"' in page
    assert page.count('class="citation unsupported"') == 1
    reader = client.get(f"/documents/{row.document_id}/?chunk={row.chunk_id}&mark={first['start']}-{first['end']}")
    shown = reader.content.decode()
    assert f'<mark id="passage" tabindex="-1">{first["text"]}</mark>' in shown
    assert '<mark class="faint">' in shown


def test_a_document_in_the_trash_takes_its_sentences_along(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    done = answered(alicia, chat_model)
    document = library.loans.documents.get()
    removal.remove_document(document, library.admin)
    told = told_again(alicia, done["message"])
    assert [one["text"] for one in told["citations"]] == [None, None]
    assert Citation.objects.get(message=done["message"], n=1).quotes, "it is only hidden"
