"""Fragments that lead somewhere: the conversations beside a chat, and what the palette finds."""

from collections.abc import Iterable
from datetime import date
from itertools import groupby
from typing import NamedTuple

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from agents.models import Agent
from chat.models import Conversation
from corpora.models import Corpus, Document

LISTED = 60  # conversations
PINNED = 40
FOUND = 6  # of each kind
WEEK = 7  # days
LONGEST_WANTED = 200  # characters
LOOKED_THROUGH = 300  # latest conversations, at each letter that is typed; the page of all looks through all


class Found(NamedTuple):
    """A row of the palette; `beside` tells more of it."""

    address: str
    name: str
    beside: str


@require_GET
@member_page
def conversation_list(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Those that are pinned, then the latest ones by when they were used last; `?current=` is the one that is open."""
    mine = Conversation.objects.owned_by(membership)
    latest = slice_of(mine.filter(pinned_at=None), request, LISTED)
    pinned = list(mine.exclude(pinned_at=None).order_by("-pinned_at")[:PINNED]) if latest.number == 1 else []
    context = {
        "groups": [*([(_("Pinned"), pinned)] if pinned else []), *by_age(latest.items, timezone.localdate())],
        "more": latest.next_page,
        "current": request.GET.get("current", ""),
    }
    return render(request, "chat/_list.html", context)


def by_age(conversations: Iterable[Conversation], today: date) -> list[tuple[str, list[Conversation]]]:
    """Those of today, of the last seven days and before, latest first as they come."""
    names = (_("Today"), _("Last seven days"), _("Earlier"))

    def age(one: Conversation) -> int:
        days = (today - timezone.localdate(one.updated_at)).days
        return 0 if days <= 0 else 1 if days < WEEK else 2

    return [(names[number], list(group)) for number, group in groupby(conversations, key=age)]


@require_GET
@member_page
def find(request: HttpRequest, membership: Membership) -> HttpResponse:
    """A few of each kind that have `?q=` in their name, of the latest conversations in what was said; without
    it the latest."""
    wanted = request.GET.get("q", "").strip()[:LONGEST_WANTED]
    conversations = Conversation.objects.owned_by(membership).select_related("agent")
    agents = Agent.objects.usable_by(membership)
    documents = Document.objects.none()
    corpora = Corpus.objects.none()
    if wanted:
        latest = Conversation.objects.owned_by(membership).values("pk")[:LOOKED_THROUGH]
        conversations = conversations.filter(pk__in=latest).speaking_of(wanted)
        agents = agents.filter(Q(name__matches=wanted) | Q(description__matches=wanted))
        named = Q(title__matches=wanted) | Q(filename__matches=wanted)
        documents = Document.objects.readable_by(membership).filter(named).select_related("corpus").order_by("title")
        corpora = Corpus.objects.readable_by(membership).filter(name__matches=wanted).order_by("name")
    groups = [
        (
            _("Conversations"),
            [_found("conversation", one.pk, one.title, one.agent.name) for one in conversations[:FOUND]],
        ),
        (_("Documents"), [_found("document", one.pk, one.title, one.corpus.name) for one in documents[:FOUND]]),
        (_("Corpora"), [_found_corpus(one) for one in corpora[:FOUND]]),
        (_("Agents"), [_found("agent", one.slug, one.name, "") for one in agents[:FOUND]]),
    ]
    return render(request, "_found.html", {"groups": [one for one in groups if one[1]], "q": wanted})


def _found_corpus(corpus: Corpus) -> Found:
    """A course opens as one."""
    return (
        _found("course", corpus.pk, corpus.name, _("course"))
        if corpus.is_course
        else _found("corpus", corpus.pk, corpus.name, "")
    )


def _found(page: str, key: object, name: str, beside: str) -> Found:
    return Found(reverse(page, args=(key,)), name or _("Without a name"), beside)
