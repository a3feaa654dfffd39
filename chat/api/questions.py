"""A question as it may be asked over HTTP, checked (API.md, "Chat")."""

from typing import Any

from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from accounts.http.fields import CountedListField
from agents.api.serializers import FiltersField
from agents.llm.base import ModelMessage
from chat.answering.questions import ChatQuestion
from chat.understanding.student import StudentState
from corpora.metadata.conditions import MAX_IDS
from corpora.models import Document

MAX_MESSAGES = 200
TOO_MANY = format_lazy(gettext_lazy("At most {most} messages; the last is the question."), most=MAX_MESSAGES)


class SentMessageSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=("user", "assistant"))
    content = serializers.CharField(max_length=100_000, trim_whitespace=False, allow_blank=True)


class StudentSerializer(serializers.Serializer[Any]):
    """Where who asks is in a course, and in which state: what fits is read first. What is left out is read from the
    conversation (`chat.understanding`)."""

    unit = serializers.CharField(max_length=100, required=False, help_text="this unit and those before it come first")
    difficulty = serializers.ChoiceField(
        Document.Difficulty.choices, required=False, help_text="this level and those below it come first"
    )
    state = serializers.ChoiceField(
        [one.value for one in StudentState], required=False, help_text="chooses the types of content that come first"
    )


class QuestionSerializer(serializers.Serializer[Any]):
    messages = SentMessageSerializer(  # type: ignore[call-arg]  # the list's own, which DRF hands on
        many=True, allow_empty=False, max_length=MAX_MESSAGES, error_messages={"max_length": TOO_MANY}
    )  # counted before any of them is looked at
    conversation = serializers.UUIDField(required=False, allow_null=True)
    project = serializers.UUIDField(required=False, allow_null=True)
    document = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="a new conversation is about this document alone, until it is widened",
    )
    documents = CountedListField(
        child=serializers.UUIDField(),
        required=False,
        max_length=MAX_IDS,
        help_text="a new conversation is about these documents alone, until it is widened",
    )
    replaces = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="the conversation's last answer: this question takes the place of the one before it",
    )
    corpus = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="a new conversation is about this corpus alone, as a course's is",
    )
    filters = FiltersField(required=False)
    preferences = FiltersField(required=False)
    context = StudentSerializer(required=False)  # type: ignore[assignment]  # DRF takes fields out of the class body
    stream = serializers.BooleanField(required=False, default=True)
    background = serializers.BooleanField(required=False, default=False)

    def validate_messages(self, messages: list[dict[str, str]]) -> list[dict[str, str]]:
        question = messages[-1]
        if question["role"] != "user" or not question["content"].strip():
            raise serializers.ValidationError(_("The last message is the question: role user, not empty."))
        if len(question["content"]) > settings.MAX_QUESTION_CHARS:
            said = _("A question has at most %(most)d characters.")
            raise serializers.ValidationError(said % {"most": settings.MAX_QUESTION_CHARS})
        return messages


_FORM = QuestionSerializer()  # made once: a serializer copies its fields for every request, 0.4 ms of each question


def question_from(body: Any) -> ChatQuestion:
    """Raises DRF's ValidationError with errors by field."""
    asked = _FORM.run_validation({} if body is None else body)
    *before, last = [ModelMessage(one["role"], one["content"]) for one in asked["messages"]]
    return ChatQuestion(
        text=last.content.strip(),
        history=tuple(before),
        conversation=asked.get("conversation"),
        project=asked.get("project"),
        document=asked.get("document"),
        documents=tuple(asked.get("documents") or ()),
        corpus=asked.get("corpus"),
        filters=asked.get("filters") or {},
        preferences=asked.get("preferences") or {},
        student=asked.get("context") or {},
        replaces=asked.get("replaces") if asked.get("conversation") else None,
        stream=asked["stream"],
        background=asked["background"],
    )
