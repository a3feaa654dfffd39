"""Admin of tool servers: added, read, and their tools chosen."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import Count, F, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.scope import OrganizationAdmin
from accounts.limits import reserving
from accounts.models import Membership
from accounts.problems import Problem
from foreign import keeping
from foreign.admin.forms import ServerForm
from foreign.admin.outcomes import UNUSABLE, reading_in_words, told_server_problem
from foreign.models import ForeignTool, ToolServer

ServerPage = Callable[["ServerAdmin", HttpRequest, ToolServer, Membership], HttpResponse]


def _server_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return ToolServer.objects.filter(pk__in=ids, organization__in=homes).values_list("pk", "name")


name_for_audit("toolserver", _server_names)


@admin.register(ToolServer)
class ServerAdmin(OrganizationAdmin):
    form = ServerForm
    writes = frozenset({"add", "change", "delete"})
    list_display = ("name", "url", "is_active", "chosen_count", "outcome", "checked_at")
    list_filter = ("is_active",)
    list_select_related = ("organization",)
    search_fields = ("name__matches", "url__matches")
    change_form_outer_before_template = "admin/foreign/_server.html"
    readonly_fields = ("outcome", "checked_at", "protocol_version")
    fieldsets = (
        (None, {"fields": ("name", "url", "is_active", ("checked_at", "outcome", "protocol_version"))}),
        (_("How it lets us in"), {"fields": (("header", "credential"),)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Each with how many of its tools were chosen, and how many of those can be called."""
        is_chosen = ~Q(tools__reviewed_digest="")
        as_chosen = Q(tools__is_there=True, tools__is_read_only=True, tools__unusable="")
        is_callable = is_chosen & as_chosen & Q(tools__reviewed_digest=F("tools__digest"))
        counted: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(tools_chosen=Count("tools", filter=is_chosen), tools_callable=Count("tools", filter=is_callable))
        )
        return counted

    def get_urls(self) -> list[URLPattern]:
        pages: dict[str, ServerPage] = {"read": read_tools_page, "tools": tools_page}
        own = [
            path(
                f"<uuid:pk>/{name}/",
                self.admin_site.admin_view(partial(self.page, show)),
                name=f"foreign_server_{name}",
            )
            for name, show in pages.items()
        ]
        return [*own, *super().get_urls()]

    def page(self, show: ServerPage, request: HttpRequest, pk: UUID) -> HttpResponse:
        """A page of one server of the admin's organization; for everybody else it does not exist. Outside of a
        transaction, unlike `shown`: it waits for the server, and nobody else's writing waits with it."""
        server = self.get_queryset(request).filter(pk=pk).first()
        if server is None or not self.has_change_permission(request, server):
            raise Http404
        return show(self, request, server, self.by(request, server))

    @admin.display(description=_("chosen tools"), ordering="tools_callable")
    def chosen_count(self, obj: Any) -> str:
        """Those that are as they were chosen, and how many are not."""
        waiting = obj.tools_chosen - obj.tools_callable
        if not waiting:
            return str(obj.tools_callable)
        return str(_("%(count)d (changed or gone: %(waiting)d)") % {"count": obj.tools_callable, "waiting": waiting})

    @admin.display(description=_("outcome of the last reading"), ordering="check_outcome")
    def outcome(self, obj: ToolServer) -> str:
        return reading_in_words(obj.check_outcome)

    def save_model(self, request: HttpRequest, obj: ToolServer, form: Any, change: bool) -> None:
        if form.said or not change:
            keeping.save_server(self.by(request, obj), obj, **form.said)

    def delete_model(self, request: HttpRequest, obj: ToolServer) -> None:
        keeping.delete_server(self.by(request, obj), obj)

    def goes_with(self, chosen: Sequence[ToolServer]) -> dict[str, int]:
        tools = ForeignTool.objects.filter(server__in=[one.pk for one in chosen]).count()
        return {str(ForeignTool._meta.verbose_name_plural): tools}


def read_tools_page(page: ServerAdmin, request: HttpRequest, server: ToolServer, by: Membership) -> HttpResponse:
    """POST alone: ask the server for its tools, and show them. How it went is noted also when it failed."""
    if request.method != "POST":
        raise Http404
    try:
        reserving.reserve(by, searches=1)
        read = keeping.read_tools(by, server)
    except Problem as problem:
        page.message_user(request, told_server_problem(problem, server), messages.ERROR)
        return redirect(reverse("admin:foreign_toolserver_change", args=[server.pk]))
    said = _("Tools that were read: %(count)d.") % {"count": read.tools}
    page.message_user(request, said, messages.SUCCESS)
    if read.is_cut:
        page.message_user(
            request, _("The server has more tools than are read, or some without a name."), messages.WARNING
        )
    return redirect(reverse("admin:foreign_server_tools", args=[server.pk]))


def tools_page(page: ServerAdmin, request: HttpRequest, server: ToolServer, by: Membership) -> HttpResponse:
    """GET: what the server says of its tools. POST: those that are ticked may be given to agents, as they are shown."""
    if request.method == "POST":
        ticked = {tuple(one.split(":", 1)) for one in request.POST.getlist("tool") if ":" in one}
        count = keeping.choose_tools(by, server, {(pk, digest) for pk, digest in ticked})
        page.message_user(
            request, _("Tools that may be given to agents: %(count)d.") % {"count": count}, messages.SUCCESS
        )
        return redirect(request.path)
    shown = [
        {
            "tool": one,
            "value": f"{one.pk}:{one.digest}",
            "schema": json.dumps(one.input_schema, indent=2, ensure_ascii=False),
            "unusable": UNUSABLE.get(one.unusable, ""),
        }
        for one in server.tools.all()
    ]
    context = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "title": _("Tools of %(name)s") % {"name": server},
        "original": server,
        "server": server,
        "tools": shown,
    }
    return TemplateResponse(request, "admin/foreign/tools.html", context)
