"""Admin of tool calls: who used which agent, corpus or source through a program, with which key. Never what for."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin.rows import related_text
from accounts.admin.scope import OrganizationAdmin
from accounts.models import ToolCall
from agents.models import Agent
from corpora.models import Corpus
from foreign.models import ForeignTool, ToolServer
from tools.models import DataSource


@admin.register(ToolCall)
class ToolCallAdmin(OrganizationAdmin):
    """Read-only. Of personal corpora not even the name."""

    list_display = (
        "created_at", "who", "kind", "agent", "corpus", "source", "tool", "fingerprint", "by_key", "items", "tokens",
        "milliseconds", "is_personal",
    )  # fmt: skip
    list_filter = ("kind", "is_personal", ("user", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("user", "key", "organization")
    list_per_page = 50
    date_hierarchy = "created_at"
    fields = list_display
    readonly_fields = fields
    who = related_text("user", _("user"))
    by_key = related_text("key", _("API key"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        agent = Agent.objects.filter(pk=OuterRef("agent_id"), organization=OuterRef("organization"))
        corpus = Corpus.objects.shared().filter(pk=OuterRef("corpus_id"), organization=OuterRef("organization"))
        source = DataSource.objects.filter(pk=OuterRef("source_id"), organization=OuterRef("organization"))
        server = ToolServer.objects.filter(pk=OuterRef("source_id"), organization=OuterRef("organization"))
        tool = ForeignTool.objects.filter(pk=OuterRef("tool_id"), server__organization=OuterRef("organization"))
        named: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(
                agent_name=Subquery(agent.values("name")[:1]),
                corpus_name=Subquery(corpus.values("name")[:1]),
                source_name=Coalesce(Subquery(source.values("name")[:1]), Subquery(server.values("name")[:1])),
                tool_name=Subquery(tool.values("name")[:1]),
            )
        )
        return named

    @admin.display(description=_("agent"), ordering="agent_name")
    def agent(self, obj: Any) -> str:
        return obj.agent_name or "–"

    @admin.display(description=_("corpus"), ordering="corpus_name")
    def corpus(self, obj: Any) -> str:
        return obj.corpus_name or "–"

    @admin.display(description=_("data source or tool server"), ordering="source_name")
    def source(self, obj: Any) -> str:
        return obj.source_name or "–"

    @admin.display(description=_("tool"), ordering="tool_name")
    def tool(self, obj: Any) -> str:
        return obj.tool_name or "–"
