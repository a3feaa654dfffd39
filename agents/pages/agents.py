"""Pages of agents: the list, where a conversation begins, and which agents read a corpus."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, Count, Q, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_http_methods

from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from accounts.problems import Problem
from agents.assignments import assign_corpus, assignable_agents, unassign_corpus
from agents.granting import sources_read_by
from agents.models import Agent, Assignment
from agents.pages.suggestions import suggestions
from corpora.models import Corpus, Document

EXAMPLE_DOCUMENTS = 6
LONGEST_CARRIED = 800  # characters of a question in an address, which may have 8 KiB: of nine for the dearest letter


@require_GET
@member_page
def agents(request: HttpRequest, membership: Membership) -> HttpResponse:
    usable = Agent.objects.usable_by(membership)
    if wanted := request.GET.get("q", "").strip():
        usable = usable.filter(Q(name__matches=wanted) | Q(description__matches=wanted))
    return render(request, "agents/agents.html", {"agents": slice_of(usable, request), "q": wanted})


@require_GET
@member_page
def agent(request: HttpRequest, membership: Membership, slug: str) -> HttpResponse:
    """Where a conversation begins. `?q=` fills the question in, `?project=` files the conversation there, `?document=`
    makes it about that one."""
    found = get_object_or_404(Agent.objects.usable_by(membership), slug=slug)
    scope = found.scope_for(membership)
    in_scope = Document.objects.in_scope(scope).filter(status=Document.Status.INDEXED)
    readable = Corpus.objects.readable_by(membership).filter(pk__in=scope.corpus_ids)
    own = Corpus.objects.readable_by(membership).personal()
    context = {
        "agent": found,
        "corpora": readable.with_counts().order_by("corpus_type", "name"),
        "examples": suggestions(found, scope, in_scope.order_by(*worth_asking_about())[:EXAMPLE_DOCUMENTS]),
        "data_read": sources_read_by(found),
        "unassigned": found.allows_personal_corpus and own.exclude(pk__in=scope.corpus_ids).exists(),
        "question": request.GET.get("q", "")[: settings.MAX_QUESTION_CHARS],
        "project": id_in(request.GET.get("project", "")),
        "document": in_scope.filter(pk__in=filter(None, [id_in(request.GET.get("document", ""))])).first(),
        "max_chars": settings.MAX_QUESTION_CHARS,
    }
    return render(request, "chat/new.html", context)


def worth_asking_about() -> tuple[Any, ...]:
    """An order of documents: one's own first, then those in one's language, the latest before older ones."""
    in_language = Case(When(language=(get_language() or "")[:2], then=0), default=1)
    return ("-corpus__corpus_type", in_language, "-indexed_at")


def id_in(value: str) -> UUID | None:
    """As the API will check it: of projects this floor knows nothing."""
    try:
        return UUID(value)
    except ValueError:
        return None


@require_GET
@member_page
def assign_panel(request: HttpRequest, membership: Membership, corpus_id: UUID) -> HttpResponse:
    return panel(request, panel_context(membership, corpus_id))


def panel(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Beside the documents of a corpus, by htmx, a fragment; else a page of its own, which needs no script."""
    is_fragment = "HX-Request" in request.headers
    template = "agents/_assign_panel.html" if is_fragment else "agents/assign_panel.html"
    return render(request, template, {**context, "is_plain": not is_fragment})


def panel_context(membership: Membership, corpus_id: UUID) -> dict[str, Any]:
    """The agents that the corpus may be assigned to, each with whether it is; and how many are not offered."""
    corpus = get_object_or_404(Corpus.objects.readable_by(membership), pk=corpus_id)
    offered = assignable_agents(corpus, membership)
    assignments = Assignment.objects.visible_to(membership).filter(corpus=corpus)
    assigned = set(assignments.values_list("agent_id", flat=True))
    usable = Agent.objects.usable_by(membership).aggregate(total=Count("pk"))["total"]
    return {
        "corpus": corpus,
        "rows": [(one, one.pk in assigned) for one in offered],
        "withheld": usable - len(offered),
        "changeable": corpus.is_personal or membership.is_admin,
    }


@require_http_methods(["POST", "DELETE"])
@member_page
def assignment(request: HttpRequest, membership: Membership, corpus_id: UUID, agent_id: UUID) -> HttpResponse:
    """POST assigns, DELETE takes back, as POST with `off` does for a form; answers with the panel as it is afterwards,
    and why if it was refused."""
    found = get_object_or_404(Agent.objects.usable_by(membership), pk=agent_id)
    refusal = ""
    try:
        if request.method == "POST" and not request.POST.get("off"):
            assign_corpus(found, corpus_id, membership)
        else:
            unassign_corpus(found, corpus_id, membership)
    except Problem as problem:
        refusal = str(problem.detail)
    context = panel_context(membership, corpus_id)
    return panel(request, {**context, "refusal": refusal, "changed": found.pk})


def agents_reading(corpus: Corpus, membership: Membership) -> list[Agent]:
    """Whose scope the corpus is in for this member (`Agent.scope_for`), found at once and not agent by agent."""
    if not corpus.is_active:
        return []
    usable = Agent.objects.usable_by(membership).filter(assignments__corpus=corpus)
    return list((usable.filter(allows_personal_corpus=True) if corpus.is_personal else usable).distinct())


@require_GET
@member_page
def ask_about(request: HttpRequest, membership: Membership, document_id: UUID) -> HttpResponse:
    """The agents that can read this document now, for the reader's floating chat."""
    rows = Document.objects.readable_by(membership).select_related("corpus")
    document = get_object_or_404(rows, pk=document_id)
    able = agents_reading(document.corpus, membership)
    context = {"document": document, "agents": able, "max_chars": LONGEST_CARRIED}
    return render(request, "agents/_ask_about.html", context)
