"""Pages of conversations: the list, one conversation, its messages as fragments, renaming, deleting."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from accounts.problems import NotFound
from agents.granting import sources_read_by
from agents.models import Agent
from chat.answering.records import narrowed
from chat.leaving.transcripts import as_json, as_markdown
from chat.models import Conversation, Message
from chat.pages.context_forms import ContextForm, documents_found
from chat.pages.forms import ConversationForm
from chat.pages.transcript import Transcript, later_messages, shown_message, transcript_of
from chat.versions import show
from corpora.metadata.names import DOCUMENT
from corpora.scope import Scope


@require_GET
@member_page
def conversations(request: HttpRequest, membership: Membership) -> HttpResponse:
    mine = Conversation.objects.owned_by(membership).select_related("agent", "project")
    if wanted := request.GET.get("q", "").strip():
        mine = mine.speaking_of(wanted)
    return render(request, "chat/conversations.html", {"conversations": slice_of(mine, request), "q": wanted})


def own_conversation(membership: Membership, pk: UUID) -> Conversation:
    mine = Conversation.objects.owned_by(membership).select_related("agent", "project")
    return get_object_or_404(mine, pk=pk)


def reach_of(membership: Membership, conversation: Conversation) -> Scope:
    """What its agent may read for its owner, within its project."""
    return narrowed(conversation.agent.scope_for(membership), conversation)


@require_GET
@member_page
def conversation(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = own_conversation(membership, pk)
    context = {
        "conversation": found,
        "agent": found.agent,
        "transcript": transcript_of(found),
        "max_chars": settings.MAX_QUESTION_CHARS,
        "context_form": ContextForm(found, reach_of(membership, found)),
        "data_read": sources_read_by(found.agent),
        "form": ConversationForm(instance=found, membership=membership),
    }
    return render(request, "chat/conversation.html", context)


@require_GET
@member_page
def earlier_messages(request: HttpRequest, membership: Membership, pk: UUID, before: UUID) -> HttpResponse:
    """The messages before one of the page, as a fragment that takes the button's place."""
    found = own_conversation(membership, pk)
    context = {"conversation": found, "transcript": transcript_of(found, before)}
    return render(request, "chat/_messages.html", context)


@require_GET
@member_page
def newer_messages(request: HttpRequest, membership: Membership, pk: UUID, after: UUID) -> HttpResponse:
    """The messages after the last one of the page, as a fragment: another tab or device has asked meanwhile. 205 where
    it has asked that one anew: then the page is to be loaded again."""
    found = own_conversation(membership, pk)
    if found.messages.filter(pk=after, is_aside=True).exists():
        return HttpResponse(status=205)
    context = {"conversation": found, "transcript": Transcript(later_messages(found, after), earlier=None)}
    return render(request, "chat/_messages.html", context)


@require_GET
@member_page
def message(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """One message as a fragment: what was kept of an answer that broke off while a page followed it."""
    mine = Message.objects.owned_by(membership).dated().select_related("conversation")
    found = get_object_or_404(mine, pk=pk)
    shown = shown_message(found, found.citations.select_related("document__corpus"))
    return render(request, "chat/_message.html", {"message": shown, "conversation": found.conversation})


@require_POST
@member_page
def conversation_rename(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Its name, and the project that it is filed in; a project narrows what the next questions read."""
    form = ConversationForm(request.POST, instance=own_conversation(membership, pk), membership=membership)
    if form.is_valid():
        form.save()
        messages.success(request, _("The conversation is saved."))
    else:
        messages.error(request, " ".join(str(one) for several in form.errors.values() for one in several))
    return redirect("conversation", pk)


@require_GET
@member_page
def conversation_download(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """As Markdown, each answer with its sources."""
    found = own_conversation(membership, pk)
    name = slugify(found.title, allow_unicode=True)[:80] or "acervo"
    disposition = content_disposition_header(True, f"{name}.md")
    headers = {"Content-Disposition": disposition or "attachment"}
    return HttpResponse(as_markdown(as_json(found)), content_type="text/markdown; charset=utf-8", headers=headers)


@require_POST
@member_page
def conversation_context(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """What the conversation looks at, from the next question on."""
    found = own_conversation(membership, pk)
    form = ContextForm(found, reach_of(membership, found), request.POST)
    if form.is_valid():
        form.save()
        messages.success(request, _("From the next question on."))
    else:
        too_many = form.has_error(DOCUMENT, "most")
        advice = form.errors[DOCUMENT][0] if too_many else _("Choose among the values that are offered.")
        messages.error(request, str(advice))
    return redirect("conversation", pk)


@require_GET
@member_page
def conversation_documents(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """As a fragment, documents that the conversation may look at: those that are ticked, then those that `q` names."""
    found = own_conversation(membership, pk)
    words = request.GET.get("q", "").strip()
    documents = documents_found(reach_of(membership, found), words, request.GET.getlist(DOCUMENT))
    return render(request, "chat/_pickable.html", {"documents": documents, "searched": True})


@require_GET
@member_page
def agent_documents(request: HttpRequest, membership: Membership, slug: str) -> HttpResponse:
    """The same of a conversation that has not begun: documents that it can begin with."""
    found = get_object_or_404(Agent.objects.usable_by(membership), slug=slug)
    words = request.GET.get("q", "").strip()
    documents = documents_found(found.scope_for(membership), words, request.GET.getlist(DOCUMENT))
    return render(request, "chat/_pickable.html", {"documents": documents, "searched": True, "of_form": "composer"})


@require_POST
@member_page
def conversation_pin(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """To the top of the list, or (`off`) back to its day."""
    found = own_conversation(membership, pk)
    found.pinned_at = None if request.POST.get("off") else timezone.now()
    found.save(update_fields=["pinned_at"])
    return redirect("conversation", pk)


@require_POST
@member_page
def version_show(request: HttpRequest, membership: Membership, pk: UUID, question: UUID) -> HttpResponse:
    """Another of the questions that were asked in one place, with its answer."""
    try:
        show(own_conversation(membership, pk), question)
    except NotFound:
        raise Http404 from None
    return redirect(f"{reverse('conversation', args=[pk])}#m-{question}")


@require_POST
@member_page
def conversation_delete(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    own_conversation(membership, pk).delete()
    messages.success(request, _("The conversation is deleted."))
    return redirect("conversations")
