"""The matrix: which agent reads which global corpus, with a box in each cell. A plain form; with htmx, at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext

from accounts.admin.scope import OrganizationAdmin, acting_membership, admin_membership, is_operator
from accounts.models import Membership, Organization
from accounts.problems import NotFound
from agents import assignments
from agents.assignments import AlreadyAssigned
from agents.models import Agent, Assignment
from corpora.models import Corpus

ROWS, COLUMNS = 25, 12
Pair = tuple[UUID, UUID]  # of an agent and a corpus


@dataclass(frozen=True, slots=True)
class Cell:
    agent: Agent
    corpus: Corpus
    is_on: bool

    @property
    def value(self) -> str:
        return f"{self.agent.pk}:{self.corpus.pk}"


@dataclass(frozen=True, slots=True)
class Matrix:
    """A page of corpora by a page of agents; `words` and `names` are what each was searched for."""

    organization: Organization
    agents: Page[Agent]
    corpora: Page[Corpus]
    given: frozenset[Pair]
    words: str
    names: str

    def rows(self) -> Iterator[tuple[Corpus, list[Cell]]]:
        for corpus in self.corpora:
            yield corpus, [Cell(agent, corpus, (agent.pk, corpus.pk) in self.given) for agent in self.agents]


def agents_within(organization: Organization) -> QuerySet[Agent]:
    return Agent.objects.filter(organization=organization)


def corpora_within(organization: Organization) -> QuerySet[Corpus]:
    return Corpus.objects.shared().filter(organization=organization, deleted_at=None)


def matrix_of(organization: Organization, request: HttpRequest) -> Matrix:
    """What the address asks for. Five queries, however many there are."""
    words, names = (request.GET.get(name, "").replace("\0", "")[:100].strip() for name in ("corpora", "agents"))
    corpora, agents = corpora_within(organization), agents_within(organization)
    if words:
        corpora = corpora.filter(name__matches=words)
    if names:
        agents = agents.filter(name__matches=names)
    shown_corpora = Paginator(corpora.order_by("name", "pk"), ROWS).get_page(request.GET.get("page"))
    shown_agents = Paginator(agents.order_by("name", "pk"), COLUMNS).get_page(request.GET.get("across"))
    found = Assignment.objects.filter(agent__in=list(shown_agents), corpus__in=list(shown_corpora))
    given = frozenset(found.values_list("agent", "corpus"))
    return Matrix(organization, shown_agents, shown_corpora, given, words, names)


def pair_of(value: str) -> Pair:
    """Raises Http404 for what is no pair of ids."""
    agent, _colon, corpus = value.partition(":")
    try:
        return UUID(agent), UUID(corpus)
    except ValueError:
        raise Http404 from None


def turn(pair: Pair, by: Membership, *, on: bool) -> Cell:
    """Give or take one corpus. What is so already stays so; what is foreign or personal is not found."""
    agent = agents_within(by.organization).filter(pk=pair[0]).first()
    corpus = corpora_within(by.organization).filter(pk=pair[1]).first()
    if agent is None or corpus is None:
        raise Http404
    try:
        if on:
            assignments.assign_corpus(agent, corpus.pk, by)
        else:
            assignments.unassign_corpus(agent, corpus.pk, by)
    except (AlreadyAssigned, NotFound):
        pass  # somebody else was faster
    return Cell(agent, corpus, Assignment.objects.filter(agent=agent, corpus=corpus).exists())


def turn_all(request: HttpRequest, by: Membership) -> int:
    """Carry out a whole page: only what its sender changed, so that what others did meanwhile stays. How many."""
    before, after = (set(request.POST.getlist(name)) for name in ("was", "on"))
    changed = sorted(before ^ after)
    if len(changed) > ROWS * COLUMNS:
        raise Http404
    for value in changed:
        turn(pair_of(value), by, on=value in after)
    return len(changed)


def matrix_page(page: OrganizationAdmin, request: HttpRequest) -> HttpResponse:
    """For an organization's admins their own; operators name one."""
    organization = organization_asked(request)
    by = acting_membership(request, organization)
    place = f"{reverse('admin:agents_matrix')}?{urlencode({'organization': organization.slug})}"
    if request.method == "POST" and (value := request.POST.get("cell")):
        return cell_answer(request, value, by, place)
    if request.method == "POST":
        done = turn_all(request, by)
        page.message_user(request, gettext("Changes that were made: %(count)d.") % {"count": done}, messages.SUCCESS)
        return redirect(request.get_full_path())
    matrix = matrix_of(organization, request)
    searches = (
        ("corpora", gettext("Corpora"), matrix.words),
        ("agents", gettext("Agents"), matrix.names),
        *((("organization", gettext("Organization"), organization.slug),) if is_operator(request) else ()),
    )
    context = {
        **page.admin_site.each_context(request),
        "title": gettext("Agents and corpora"),
        "matrix": matrix,
        "rows": list(matrix.rows()),
        "searches": searches,
        "place": place,
    }
    return TemplateResponse(request, "admin/agents/matrix.html", context)


def organization_asked(request: HttpRequest) -> Organization:
    membership = admin_membership(request)
    if membership and not is_operator(request):
        return membership.organization
    if not is_operator(request):
        raise Http404
    slug = request.GET.get("organization", "").replace("\0", "")
    found = Organization.objects.filter(slug=slug) if slug else Organization.objects.order_by("name")
    organization = (None if slug or not membership else membership.organization) or found.first()
    if organization is None:
        raise Http404
    return organization


def cell_answer(request: HttpRequest, value: str, by: Membership, place: str) -> HttpResponse:
    """The box as it is now."""
    cell = turn(pair_of(value), by, on=value in request.POST.getlist("on"))
    return render(request, "admin/agents/_matrix_cell.html", {"cell": cell, "place": place})
