"""What a conversation may go on with, as a fragment below its last answer."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.models import Membership
from accounts.pages.access import member_page
from agents.pages.suggestions import questions_behind
from chat.answering.records import narrowed
from chat.answering.state import State
from chat.models import Citation, Message
from corpora.models import Document

ANSWERED = (State.SUPPORTED.value, State.PARTLY_SUPPORTED.value)
DOCUMENTS = 2  # that were cited, of which one may go on reading
LATEST = 20  # questions that are not asked once more


@require_GET
@member_page
def follow_ups(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    answers = Message.objects.owned_by(membership).filter(role=Message.Role.ASSISTANT)
    answer = get_object_or_404(answers.select_related("conversation__agent", "conversation__project"), pk=pk)
    questions = questions_after(membership, answer) if answer.state in ANSWERED else []
    return render(request, "chat/_follow_ups.html", {"questions": questions})


def questions_after(membership: Membership, answer: Message) -> list[str]:
    conversation = answer.conversation
    scope = narrowed(conversation.agent.scope_for(membership), conversation)
    cited = answer.citations.filter(cited=True, document__deleted_at=None).select_related("document")
    places: dict[Document, int] = {}
    for source in cited:
        if source.document and (source.document in places or len(places) < DOCUMENTS):
            places[source.document] = max(cited_until(source), places.get(source.document, 0))
    said = conversation.messages.filter(role=Message.Role.USER).order_by("-created_at")
    asked = list(said.values_list("content", flat=True)[:LATEST])
    return questions_behind(conversation.agent, scope, places, conversation.context, asked)


def cited_until(source: Citation) -> int:
    """The character behind the last sentence that is cited of it; where none is, its first."""
    return max((one["end"] for one in source.quotes or () if one and one.get("end")), default=source.start)
