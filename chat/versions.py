"""An exchange asked anew: question and answer that stood in its place are kept, and can be shown again.

The exchanges of one place share `Message.place`, the id of the first one's question; one of them is shown, in the
conversation, to models and to whoever reads along.
"""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy
from rest_framework import status

from accounts.problems import NotFound, Problem
from chat.models import Conversation, Message

Exchange = tuple[Message, Message]  # a question and its answer


class NotTheLastAnswer(Problem):
    status_code = status.HTTP_409_CONFLICT
    code = "not_the_last_answer"
    default_detail = gettext_lazy("Only the last answer of a conversation can be asked for anew, when it has ended.")


def exchange_to_replace(conversation: Conversation, answer: UUID) -> Exchange:
    """The conversation's last exchange, which must be the one of `answer`. Raises NotTheLastAnswer."""
    last = list(conversation.messages.shown().dated().order_by("-created_at", "-pk")[:2])
    if [one.role for one in last] != [Message.Role.ASSISTANT, Message.Role.USER] or last[0].pk != answer:
        raise NotTheLastAnswer
    if last[0].present_status == Message.Status.STREAMING:
        raise NotTheLastAnswer
    return last[1], last[0]


def put_aside(exchange: Exchange) -> UUID:
    """No longer shown; returns the place that the next one takes. In the transaction that stores it."""
    question, answer = exchange
    place: UUID = question.place or question.pk
    pair = question.conversation.messages.shown().filter(pk__in=(question.pk, answer.pk))
    if pair.update(place=place, is_aside=True) != len(exchange):
        raise NotTheLastAnswer  # somebody else has asked anew meanwhile
    return place


def show(conversation: Conversation, question: UUID) -> None:
    """This question and its answer instead of those that are shown in their place. Raises NotFound."""
    with transaction.atomic():
        wanted = conversation.messages.filter(pk=question, role=Message.Role.USER).exclude(place=None).first()
        if wanted is None:
            raise NotFound
        there = conversation.messages.filter(place=wanted.place)
        ordered = list(there.select_for_update().order_by("created_at", "pk").values_list("pk", flat=True))
        at = ordered.index(wanted.pk)
        there.update(is_aside=True)
        there.filter(pk__in=ordered[at : at + 2]).update(is_aside=False)


def versions_at(conversation: Conversation, places: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """The questions of each place, oldest first; no query without a place."""
    found: dict[UUID, list[UUID]] = {}
    if places:
        questions = conversation.messages.filter(place__in=places, role=Message.Role.USER).order_by("created_at", "pk")
        for place, question in questions.values_list("place", "pk"):
            if place:
                found.setdefault(place, []).append(question)
    return found
