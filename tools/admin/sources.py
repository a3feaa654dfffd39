"""Admin of data sources: connected, checked, given files, and their tables chosen."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.scope import OrganizationAdmin, OrganizationInline
from accounts.limits import reserving
from accounts.models import Membership
from accounts.problems import Problem
from tools import sources
from tools.admin.choosing import tables_page
from tools.admin.forms import SourceForm
from tools.admin.metrics import metrics_page
from tools.admin.outcomes import left_out_in_words, outcome_in_words, told_problem
from tools.files import keeping
from tools.models import DataSource, SourceFile, SourceTable

SourcePage = Callable[["SourceAdmin", HttpRequest, DataSource, Membership], HttpResponse]


def _source_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return DataSource.objects.filter(pk__in=ids, organization__in=homes).values_list("pk", "name")


name_for_audit("datasource", _source_names)


SERVER = _("Server (PostgreSQL, MySQL, MariaDB, HubSpot, Salesforce, REST, bucket)")
SERVICE = _("REST service (OpenAPI)")
FILES = _("Files (SQLite, CSV, TSV, Parquet, XLSX)")
OF_FILES = (DataSource.Kind.SQLITE, DataSource.Kind.DUCKDB)


def _is_bucket(source: DataSource | None) -> bool:
    return source is not None and source.kind == DataSource.Kind.BUCKET


class SourceFileInline(OrganizationInline):
    """The files of a source; new ones come by the form's own field."""

    model = SourceFile
    writes = frozenset({"delete"})
    fields = ("table", "format", "size_shown", "key", "created_at")
    readonly_fields = fields
    hide_title = True
    verbose_name_plural = _("files")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [one for one in self.fields if one != "key" or _is_bucket(obj)]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and not _is_bucket(obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("content")

    @admin.display(description=_("size"))
    def size_shown(self, obj: SourceFile) -> str:
        return filesizeformat(obj.size)


@admin.register(DataSource)
class SourceAdmin(OrganizationAdmin):
    form = SourceForm
    writes = frozenset({"add", "change", "delete"})
    inlines = (SourceFileInline,)
    list_display = ("name", "kind", "is_active", "host", "table_count", "outcome", "checked_at")
    list_filter = ("kind", "is_active")
    list_select_related = ("organization",)
    search_fields = ("name__matches",)
    change_form_outer_before_template = "admin/tools/_source.html"
    readonly_fields = ("outcome", "checked_at", "files_left_out")
    fieldsets = (
        (None, {"fields": ("name", "kind", "is_active", ("checked_at", "outcome"))}),
        (
            SERVER,
            {
                "fields": (("host", "port"), ("database", "encryption"), ("username", "password")),
                "description": _(
                    "Give the role that connects the right to read what is needed, and nothing else. HubSpot: the "
                    "token of a private app as password. Salesforce: the host of your organization, the consumer key "
                    "as user name and the consumer secret as password. REST: the token as password. Bucket: the host "
                    "that speaks S3, the bucket's name as database (bucket/reports/ for a part of it), the access key "
                    "as user name and the secret key as password."
                ),
            },
        ),
        (SERVICE, {"fields": ("openapi", "mapping")}),
        (FILES, {"fields": ("new_files",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        counted: QuerySet[Any] = super().get_queryset(request).annotate(tables_chosen=Count("tables"))
        return counted

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Of one that is there, what its kind has."""
        (title, told), *parts = super().get_fieldsets(request, obj)
        if obj is None:
            return [(title, told), *parts]
        if obj.left_out:
            told = {**told, "fields": (*told["fields"], "files_left_out")}
        has_part = {
            SERVER: obj.kind not in OF_FILES, SERVICE: obj.kind == DataSource.Kind.REST, FILES: obj.kind in OF_FILES
        }  # fmt: skip
        return [(title, told), *(one for one in parts if has_part.get(one[0], True))]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "kind") if obj else fields

    def get_urls(self) -> list[URLPattern]:
        pages: dict[str, SourcePage] = {"check": check, "tables": tables_page, "metrics": metrics_page}
        own = [
            path(
                f"<uuid:pk>/{name}/", self.admin_site.admin_view(partial(self.page, show)), name=f"tools_source_{name}"
            )
            for name, show in pages.items()
        ]
        return [*own, *super().get_urls()]

    def page(self, show: SourcePage, request: HttpRequest, pk: UUID) -> HttpResponse:
        """A page of one source of the admin's organization; for everybody else it does not exist. Outside of a
        transaction, unlike `shown`: it waits for the source, and nobody else's writing waits with it."""
        source = self.get_queryset(request).filter(pk=pk).first()
        if source is None or not self.has_change_permission(request, source):
            raise Http404
        return show(self, request, source, self.by(request, source))

    @admin.display(description=_("tables"), ordering="tables_chosen")
    def table_count(self, obj: Any) -> int:
        return int(obj.tables_chosen)

    @admin.display(description=_("left out"))
    def files_left_out(self, obj: DataSource) -> str:
        return "\n".join(f"{one['key']}: {left_out_in_words(one['reason'])}" for one in obj.left_out)

    @admin.display(description=_("outcome of the last check"), ordering="check_outcome")
    def outcome(self, obj: DataSource) -> str:
        return outcome_in_words(obj.check_outcome)

    def save_model(self, request: HttpRequest, obj: DataSource, form: Any, change: bool) -> None:
        if form.said or not change:
            sources.save_source(self.by(request, obj), obj, **form.said)
        if files := form.cleaned_data.get("new_files"):
            transaction.on_commit(partial(self.add_all, request, obj, files))

    def add_all(self, request: HttpRequest, source: DataSource, files: Sequence[UploadedFile[Any]]) -> None:
        """Each by itself: one that is refused does not spoil the others."""
        by = self.by(request, source)
        for file in files:
            try:
                keeping.add_file(by, source, keeping.table_named(file.name or ""), file)
            except Problem as problem:
                self.message_user(request, f"{file.name}: {problem.detail}", messages.ERROR)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        formset.save(commit=False)
        for gone in formset.deleted_objects:
            keeping.remove_file(self.by(request, form.instance), form.instance, gone.pk)

    def delete_model(self, request: HttpRequest, obj: DataSource) -> None:
        sources.delete_source(self.by(request, obj), obj)

    def goes_with(self, chosen: Sequence[DataSource]) -> dict[str, int]:
        files = SourceFile.objects.filter(source__in=[one.pk for one in chosen]).count()
        tables = SourceTable.objects.filter(source__in=[one.pk for one in chosen]).count()
        return {str(SourceFile._meta.verbose_name_plural): files, str(SourceTable._meta.verbose_name_plural): tables}


def check(page: SourceAdmin, request: HttpRequest, source: DataSource, by: Membership) -> HttpResponse:
    """POST alone: connect, and say how that went. It is noted also when it failed."""
    if request.method != "POST":
        raise Http404
    try:
        reserving.reserve(by, searches=1)
        count = sources.check_source(by, source)
    except Problem as problem:
        page.message_user(request, told_problem(problem, source), messages.ERROR)
    else:
        said = _("Connected. Tables that there are: %(count)d.")
        if _is_bucket(source):
            said = _("Connected. Files that can be tables: %(count)d. What is new is read within minutes.")
            if not count:
                said = _(
                    "Connected, but no CSV, TSV, Parquet or XLSX file lies there. Look at what the names begin with."
                )
        page.message_user(request, said % {"count": count}, messages.SUCCESS if count else messages.WARNING)
    return redirect(reverse("admin:tools_datasource_change", args=[source.pk]))
