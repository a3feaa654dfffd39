"""What a conversation may go on with, as a fragment below its last answer."""

import json
from hashlib import sha256
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.models import Membership
from accounts.pages.access import member_page
from agents.pages.suggestions import is_among, questions_about, sections_behind
from chat.answering.records import narrowed
from chat.answering.state import State
from chat.models import Citation, Conversation, Message
from corpora.models import Document
from corpora.scope import Scope
from retrieval.flags import effective_flags

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
    """Looked for once, by searches, and kept with the answer; anew only where what may be found is another since."""
    conversation = answer.conversation
    scope = narrowed(conversation.agent.scope_for(membership), conversation)
    places = places_cited(answer)
    said = conversation.messages.filter(role=Message.Role.USER).order_by("-created_at")
    asked = list(said.values_list("content", flat=True)[:LATEST])
    kept, reach = answer.follow_ups or {}, reach_digest(conversation, scope, places)
    if kept.get("reach") != reach:
        sections = sections_behind(conversation.agent, scope, places, conversation.context, asked)
        kept = {"reach": reach, "sections": sections}
        Message.objects.filter(pk=answer.pk).update(follow_ups=kept)
    return [one for one in questions_about(scope, kept["sections"]) if not is_among(asked, one)]


def places_cited(answer: Message) -> dict[Document, int]:
    """The documents that may go on, each with the character behind what is cited of it."""
    places: dict[Document, int] = {}
    for source in answer.citations.filter(cited=True, document__deleted_at=None).select_related("document"):
        if source.document and (source.document in places or len(places) < DOCUMENTS):
            places[source.document] = max(cited_until(source), places.get(source.document, 0))
    return places


def reach_digest(conversation: Conversation, scope: Scope, places: dict[Document, int]) -> str:
    """The same as long as the same searches would be made in the same documents."""
    agent = conversation.agent
    read = [str(one) for one in (*sorted(scope.corpus_ids), agent.pk, agent.updated_at, effective_flags())]
    cited = [[str(document.pk), document.version, place] for document, place in places.items()]
    return sha256(json.dumps([read, conversation.context, cited], sort_keys=True).encode()).hexdigest()


def cited_until(source: Citation) -> int:
    """The character behind the last sentence that is cited of it; where none is, its first."""
    return max((one["end"] for one in source.quotes or () if one and one.get("end")), default=source.start)
