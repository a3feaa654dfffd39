"""Conversations: after a reload everything is there, and only for their owner."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.translation import override

from agents.llm.base import ModelTimeout
from chat.answering.records import keep_personal
from chat.api.serializers import ConversationSerializer
from chat.models import Conversation, Message
from chat.pages.forms import ConversationForm
from corpora.removal import remove_document
from tests.cast import Cast, browser, make_cast
from tests.factories import ConversationFactory, CorpusFactory, DocumentFactory, MessageFactory, ProjectFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def conversation(cast: Cast) -> Conversation:
    return ConversationFactory(of=cast.alice, title="Loans")


def answered(cast: Cast, conversation: Conversation, **fields: object) -> Message:
    document = DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice), title="Guide")
    MessageFactory(conversation=conversation)
    return MessageFactory(
        conversation=conversation, role="assistant", sources=list(document.chunks.all()[:2]), **fields
    )


def show(cast: Cast, conversation: Conversation) -> str:
    return browser(cast.alice).get(f"/conversations/{conversation.pk}/").content.decode()


def marks_in(page: str) -> list[str]:
    """What stands above its answers, as far as it can be seen."""
    marks = "".join(re.findall(r'<p class="marks row">(.*?)</p>', page, re.DOTALL))
    badges = re.findall(r"<span class=\"badge[^>]*>.*?</span>", marks, re.DOTALL)
    return [re.sub(r"<[^>]*>", "", one) for one in badges if " hidden>" not in one.partition(">")[0] + ">"]


def test_an_answer_is_rendered_with_its_sources_and_marks(cast: Cast, conversation: Conversation) -> None:
    answer = answered(
        cast, conversation, content="**Three weeks** [1].", confidence="high", state="supported", rating=1
    )
    page = show(cast, conversation)
    source = answer.citations.get(n=1)
    assert "<strong>Three weeks</strong>" in page
    assert 'class="citation"' in page
    assert f"/documents/{source.document_id}/?chunk={source.chunk_id}#passage" in page
    assert 'class="source cited" data-source="1"' in page
    source.quotes = [{"text": "Three weeks", "page": None, "start": 10, "end": 21}]
    source.save()
    assert f"?chunk={source.chunk_id}&amp;mark=10-21#passage" in show(cast, conversation)
    assert '<span class="badge good" data-states="supported" data-confidence="high">' in page


def test_an_answer_without_sources_is_marked(cast: Cast, conversation: Conversation) -> None:
    MessageFactory(conversation=conversation, role="assistant", content="Perhaps.", state="without_documents")
    assert '<span class="badge warn" data-states="without_documents">' in show(cast, conversation)


def test_a_refusal_is_marked_as_not_in_the_documents_and_as_nothing_else(
    cast: Cast, conversation: Conversation
) -> None:
    answered(cast, conversation, content="That I cannot say.", confidence="low", state="not_in_documents")
    assert marks_in(show(cast, conversation)) == ["Not in your documents"]


def test_what_was_stopped_before_its_first_word_was_not_answered_without_documents(
    cast: Cast, conversation: Conversation
) -> None:
    MessageFactory(conversation=conversation, role="assistant", content="", status="stopped")
    assert '<span class="badge warn" data-states="without_documents" hidden>' in show(cast, conversation)


def test_a_question_stays_text(cast: Cast, conversation: Conversation) -> None:
    MessageFactory(conversation=conversation, content="<img src=x> **bold**")
    assert "&lt;img src=x&gt; **bold**" in show(cast, conversation)


def test_a_deleted_documents_passage_is_not_shown(cast: Cast, conversation: Conversation) -> None:
    answer = answered(cast, conversation, content="Yes [1].")
    source = answer.citations.get(n=1)
    assert source.document
    remove_document(source.document, cast.alice)
    client = browser(cast.alice)
    for address in (f"/conversations/{conversation.pk}/", f"/messages/{answer.pk}/"):
        page = client.get(address).content.decode()
        assert source.snippet not in page
        assert source.title not in page
        assert "A document that was deleted" in page


@pytest.mark.parametrize("state", ["supported", "partly_supported"])
def test_nothing_supports_an_answer_any_more_when_what_it_cites_is_deleted(
    cast: Cast, conversation: Conversation, state: str
) -> None:
    answer = answered(cast, conversation, content="Yes [1].", confidence="high", state=state)
    other = DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice))
    answer.citations.filter(n=2).update(document=other)
    before = {"supported": ["High confidence"], "partly_supported": ["Partly supported by its sources"]}[state]
    remove_document(other, cast.alice)
    page = show(cast, conversation)
    assert "A document that was deleted" in page, "also of a source that is not cited"
    assert marks_in(page) == before
    cited = answer.citations.get(n=1).document
    assert cited
    remove_document(cited, cast.alice)
    assert marks_in(show(cast, conversation)) == ["A source that it cites was deleted"]


def test_an_answer_under_way_is_followed_from_where_it_stands(cast: Cast, conversation: Conversation) -> None:
    live = MessageFactory(conversation=conversation, role="assistant", content="", status="streaming")
    page = show(cast, conversation)
    assert f'data-message="{live.pk}" data-live="retrieving"' in page
    assert 'aria-busy="true"' in page
    Message.objects.filter(pk=live.pk).update(attempt=1, content="Three", writer_seen_at=timezone.now())
    page = show(cast, conversation)
    assert 'data-live="generating"' in page
    assert "Three" in page


def test_an_answer_whose_writer_died_is_shown_as_broken_off_with_what_had_arrived(
    cast: Cast, conversation: Conversation
) -> None:
    silent = timezone.now() - timedelta(seconds=13)
    answered(cast, conversation, content="Three weeks", status="streaming", writer_seen_at=silent)
    page = show(cast, conversation)
    assert "data-live" not in page
    assert "Three weeks" in page
    assert "<span data-detail>The answer broke off. What had arrived is kept.</span>" in page


def test_a_failed_answer_says_after_a_reload_why(cast: Cast, conversation: Conversation) -> None:
    answered(cast, conversation, content="Three", status="failed", error_code=ModelTimeout.code)
    page = show(cast, conversation)
    with override("en"):  # the page's, whatever language this thread was left in
        assert f"<span data-detail>{ModelTimeout.advice}</span>" in page


def test_a_message_as_a_fragment_is_nothing_else(cast: Cast, conversation: Conversation) -> None:
    answer = answered(cast, conversation, content="Yes.")
    fragment = browser(cast.alice).get(f"/messages/{answer.pk}/").content.decode()
    assert "Yes." in fragment
    assert "<html" not in fragment


def test_a_message_whose_writer_died_while_a_page_followed_it_is_shown_as_broken_off(
    cast: Cast, conversation: Conversation
) -> None:
    silent = timezone.now() - timedelta(seconds=13)
    answer = answered(cast, conversation, content="Three weeks", status="streaming", writer_seen_at=silent)
    fragment = browser(cast.alice).get(f"/messages/{answer.pk}/").content.decode()
    assert "Three weeks" in fragment
    assert "The answer broke off. What had arrived is kept." in fragment


def test_what_was_asked_meanwhile_comes_as_a_fragment(cast: Cast, conversation: Conversation) -> None:
    answer = answered(cast, conversation, content="Yes.")
    address = f"/conversations/{conversation.pk}/after/{answer.pk}/"
    assert browser(cast.alice).get(address).content.decode().strip() == ""
    MessageFactory(conversation=conversation, content="And then?")
    live = MessageFactory(conversation=conversation, role="assistant", content="", status="streaming")
    fragment = browser(cast.alice).get(address).content.decode()
    assert "And then?" in fragment
    assert f'data-message="{live.pk}" data-live' in fragment
    assert "Yes." not in fragment


def test_long_conversations_show_the_latest_fifty_and_then_the_earlier(cast: Cast, conversation: Conversation) -> None:
    start = timezone.now()
    for n in range(60):
        MessageFactory(conversation=conversation, content=f"question {n:02}", created_at=start + timedelta(seconds=n))
    page = show(cast, conversation)
    assert "question 10" in page
    assert "question 09" not in page
    path = page.split('class="button earlier" hx-get="')[1].split('"')[0]
    earlier = browser(cast.alice).get(path).content.decode()
    assert "question 00" in earlier
    assert "question 10" not in earlier
    assert "Earlier messages" not in earlier


@pytest.mark.parametrize("wanted", ["clinica", "CLÍNICA", "veintiún dias"])
def test_it_is_found_by_what_was_said_in_it(wanted: str, cast: Cast, conversation: Conversation) -> None:
    ConversationFactory(of=cast.alice, title="Another")
    other = ConversationFactory(of=cast.bob, title="Of somebody else")
    MessageFactory(conversation=other, content="Historia Clínica de veintiún días")
    MessageFactory(conversation=conversation, content="La Historia Clínica se guarda veintiún días.")
    page = browser(cast.alice).get("/conversations/", {"q": wanted}).content.decode()
    assert str(conversation.pk) in page
    assert "Another" not in page
    assert "Of somebody else" not in page


@pytest.mark.parametrize("wanted", ["clinica", "CLÍNICA", "Clínica"])
def test_it_is_found_by_its_title_whatever_case_and_accents(wanted: str, cast: Cast) -> None:
    ConversationFactory(of=cast.alice, title="Historia Clínica")
    ConversationFactory(of=cast.alice, title="Another")
    page = browser(cast.alice).get("/conversations/", {"q": wanted}).content.decode()
    assert "Historia Clínica" in page
    assert "Another" not in page


def test_it_is_taken_along_as_markdown(cast: Cast, conversation: Conversation) -> None:
    answered(cast, conversation, content="Three weeks [1].")
    taken = browser(cast.alice).get(f"/conversations/{conversation.pk}/download/")
    assert taken.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert taken.headers["Content-Disposition"] == 'attachment; filename="loans.md"'
    text = taken.content.decode()
    assert text.startswith("# Loans\n")
    assert "Three weeks [1]." in text
    assert "Guide" in text
    assert browser(cast.bob).get(f"/conversations/{conversation.pk}/download/").status_code == 404


@pytest.mark.parametrize("way", ["page", "API"])
def test_a_new_name_does_not_undo_what_became_personal_meanwhile(
    way: str, cast: Cast, conversation: Conversation
) -> None:
    """The form has read the row before a question marks it."""
    Conversation.objects.filter(pk=conversation.pk).update(is_personal=False)
    read = Conversation.objects.get(pk=conversation.pk)
    keep_personal(conversation)
    form: ConversationForm | ConversationSerializer
    if way == "page":
        form = ConversationForm({"title": "Renamed"}, instance=read, membership=cast.alice)
    else:
        form = ConversationSerializer(read, {"title": "Renamed"}, partial=True)
    assert form.is_valid()
    form.save()
    conversation.refresh_from_db()
    assert (conversation.title, conversation.is_personal) == ("Renamed", True)


def test_it_is_filed_in_a_project_of_its_owner_and_taken_out(cast: Cast, conversation: Conversation) -> None:
    own, other = ProjectFactory(of=cast.alice), ProjectFactory(of=cast.bob)
    client, path = browser(cast.alice), f"/conversations/{conversation.pk}/rename/"
    for chosen, filed in ((own.pk, own.pk), (other.pk, own.pk), ("", None)):
        client.post(path, {"title": "Loans", "project": chosen})
        conversation.refresh_from_db()
        assert conversation.project_id == filed


def test_it_is_renamed_searched_and_deleted_by_its_owner(cast: Cast, conversation: Conversation) -> None:
    client = browser(cast.alice)
    client.post(f"/conversations/{conversation.pk}/rename/", {"title": "Renewals"})
    assert "Renewals" in client.get("/conversations/?q=renew").content.decode()
    assert "Renewals" not in client.get("/conversations/?q=other").content.decode()
    client.post(f"/conversations/{conversation.pk}/rename/", {"title": ""})
    conversation.refresh_from_db()
    assert conversation.title == "Renewals"
    client.post(f"/conversations/{conversation.pk}/delete/")
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_for_others_it_does_not_exist(cast: Cast, conversation: Conversation, who: str) -> None:
    message = MessageFactory(conversation=conversation)
    client, own = browser(getattr(cast, who)), f"/conversations/{conversation.pk}/"
    for path in (own, f"{own}before/{message.pk}/", f"{own}after/{message.pk}/", f"/messages/{message.pk}/"):
        assert client.get(path).status_code == 404
    for step in ("rename", "delete"):
        assert client.post(f"{own}{step}/", {"title": "x"}).status_code == 404
    assert "Loans" not in client.get("/conversations/").content.decode()
