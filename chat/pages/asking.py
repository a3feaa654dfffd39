"""Asking without a script: a conversation's form stores the question and leads to its answer."""

import asyncio
from contextlib import suppress
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.http.bodies import is_kept
from accounts.models import Membership
from accounts.pages.access import member_page
from accounts.problems import Problem
from chat.answering.admission import Admission
from chat.answering.questions import ChatQuestion
from chat.stream.collected import collect
from chat.stream.view import admit_question
from corpora.metadata.conditions import MAX_IDS
from corpora.metadata.names import DOCUMENT

IDS = ("conversation", "project", "corpus")
PATIENCE = 2.0  # seconds that a thread is kept; then the answer goes on, and its page is loaded again by itself


@require_POST
@member_page
def ask_by_form(request: HttpRequest, membership: Membership, slug: str) -> HttpResponse:
    admission = async_to_sync(begin_answer)(request, membership, slug, question_of_form(request))
    assert admission.answer is not None  # no key repeats a form
    page = reverse("conversation", args=[admission.answer.conversation])
    return redirect(f"{page}#m-{admission.message}")


async def begin_answer(request: HttpRequest, membership: Membership, slug: str, question: ChatQuestion) -> Admission:
    """On the server's own loop, where it is written to its end. Raises Problems."""
    admission, batches = await admit_question(request, membership, slug, question)
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await collect(batches)
    return admission


def question_of_form(request: HttpRequest) -> ChatQuestion:
    """Raises Problem: nothing asked, too much or what no database keeps, or what is no id."""
    text = request.POST.get("question", "").strip()
    if not text or len(text) > settings.MAX_QUESTION_CHARS or not is_kept(text):
        raise Problem
    conversation, project, corpus = (_id_of(request.POST.get(name, "")) for name in IDS)
    chosen = request.POST.getlist(DOCUMENT)
    if len(chosen) > MAX_IDS:
        raise Problem
    documents = tuple(filter(None, map(_id_of, chosen)))
    return ChatQuestion(text, conversation=conversation, project=project, documents=documents, corpus=corpus)


def _id_of(value: str) -> UUID | None:
    """Raises Problem."""
    try:
        return UUID(value) if value else None
    except ValueError:
        raise Problem from None
