"""The front page: one's corpora, agents and latest conversations, and the next step for somebody new."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from accounts.models import Membership
from accounts.pages.access import member_page
from agents.models import Agent
from agents.pages.agents import LONGEST_CARRIED
from chat.models import Conversation
from corpora.models import Corpus, Document
from corpora.rows.courses import course_cards

SHOWN_CORPORA = 8
SHOWN_AGENTS = 6
SHOWN_COURSES = 6
SHOWN_CONVERSATIONS = 6


@require_GET
@member_page
def dashboard(request: HttpRequest, membership: Membership) -> HttpResponse:
    """`?agent=&q=` is the form of the page: a question, and who shall answer it; who is gone is chosen anew."""
    if slug := request.GET.get("agent", ""):
        agent = Agent.objects.usable_by(membership).filter(slug=slug).first()
        question = urlencode({"q": request.GET.get("q", "")[:LONGEST_CARRIED]})
        return redirect(f"{reverse('agent', args=(agent.slug,))}?{question}" if agent else "agents")
    shown = Corpus.objects.readable_by(membership).with_counts()
    own = list(shown.personal().order_by("-updated_at")[: SHOWN_CORPORA + 1])
    latest = Conversation.objects.owned_by(membership).select_related("agent", "project")
    conversations = list(latest[:SHOWN_CONVERSATIONS])
    has_documents = Document.objects.readable_by(membership).filter(corpus__owner=membership.user).exists()
    context = {
        "own": own[:SHOWN_CORPORA],
        "more_own": len(own) > SHOWN_CORPORA,
        "shared": shown.shared().order_by("name")[:SHOWN_CORPORA],
        "agents": Agent.objects.usable_by(membership)[:SHOWN_AGENTS],
        "asked_last": conversations[0].agent_id if conversations else None,
        "max_chars": LONGEST_CARRIED,
        "conversations": conversations,
        "courses": course_cards(membership, SHOWN_COURSES),
        "first_steps": not (own and has_documents and conversations),
        "has_documents": has_documents,
    }
    return render(request, "chat/dashboard.html", context)
