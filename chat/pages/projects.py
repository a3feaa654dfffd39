"""Pages of projects: a user's folders of conversations with their choice of personal corpora."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from agents.models import Agent
from chat.models import Project
from chat.pages.forms import ProjectForm


@require_http_methods(["GET", "POST"])
@member_page
def projects(request: HttpRequest, membership: Membership) -> HttpResponse:
    """The list; a POST creates one."""
    form = ProjectForm(request.POST or None, membership=membership)
    if request.method == "POST" and form.is_valid():
        return redirect("project", form.save().pk)
    mine = Project.objects.owned_by(membership).annotate(conversation_count=Count("conversations"))
    return render(request, "chat/projects.html", {"projects": slice_of(mine, request), "form": form})


@require_GET
@member_page
def project(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Project.objects.owned_by(membership), pk=pk)
    context = {
        "project": found,
        "corpora": found.corpora.readable_by(membership),
        "conversations": slice_of(found.conversations.select_related("agent"), request),
        "agents": Agent.objects.usable_by(membership)[:50],
    }
    return render(request, "chat/project.html", context)


@require_http_methods(["GET", "POST"])
@member_page
def project_edit(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Project.objects.owned_by(membership), pk=pk)
    form = ProjectForm(request.POST or None, instance=found, membership=membership)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("The project is saved."))
        return redirect("project", pk)
    return render(request, "chat/project_form.html", {"form": form, "project": found})


@require_POST
@member_page
def project_delete(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """The project goes; its conversations stay, without a project."""
    found = get_object_or_404(Project.objects.owned_by(membership), pk=pk)
    found.delete()
    messages.success(request, _("“%(name)s” is deleted. Its conversations are kept.") % {"name": found.name})
    return redirect("projects")
