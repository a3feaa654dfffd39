"""Admin of what is deleted: the trash of global corpora, erasing people and organizations, and the receipts."""

from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.admin.scope import OrganizationAdmin, acting_membership, admin_membership, is_operator
from accounts.models import Organization, User
from accounts.problems import Problem
from chat.leaving.erasing import request_organization_erasure, request_user_erasure
from corpora.models import Corpus, Document, ErasureReceipt
from corpora.rows import trash
from corpora.rows.deletable import is_in_trash

CHANGELIST = "admin:corpora_erasurereceipt_changelist"


@admin.register(ErasureReceipt)
class ErasureReceiptAdmin(OrganizationAdmin):
    """Proof that what was erased left nothing behind: ids and counts, read-only. Personal ones are their owner's."""

    list_display = ("created_at", "kind", "verified", "finished_at", "counted")
    list_filter = ("kind", "verified")
    search_fields = ("subject_id",)  # the number that whoever left was told
    date_hierarchy = "created_at"
    fieldsets = (
        (None, {"fields": ("kind", "requested_at", "finished_at", "verified", "counted")}),
        (_("Technical details"), {"classes": ("collapse",), "fields": ("subject_id", "requested_by")}),
    )
    readonly_fields = ("counted",)

    @admin.display(description=_("removed"))
    def counted(self, obj: ErasureReceipt) -> str:
        return " · ".join(f"{name}: {count}" for name, count in obj.counts) or "–"

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        """Under what it is: a receipt has no name but the id of what is gone."""
        named = {"title": _("Erasure receipt"), "subtitle": None}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **named})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        parties = (ErasureReceipt.Kind.USER, ErasureReceipt.Kind.ORGANIZATION)
        return rows if is_operator(request) else rows.filter(Q(owner_id=None) | Q(kind__in=parties))

    def get_list_display(self, request: HttpRequest) -> Any:
        return self.list_display  # an organization may be gone

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self.list_filter

    def get_urls(self) -> list[URLPattern]:
        pages: tuple[tuple[str, Callable[..., Any], str], ...] = (
            ("trash/", self.trash_view, "corpora_trash"),
            ("erase/user/<uuid:pk>/", self.user_view, "corpora_erase_user"),
            ("erase/organization/<uuid:pk>/", self.organization_view, "corpora_erase_organization"),
        )
        own = [path(place, self.admin_site.admin_view(view), name=name) for place, view, name in pages]
        return [*own, *super().get_urls()]

    def trash_view(self, request: HttpRequest) -> HttpResponseBase:
        """Deleted global corpora and documents: restore, or erase now."""
        if not self.has_view_permission(request):
            raise Http404
        corpora, documents = shared_trash(request)
        if request.method == "POST":
            return self.shown(request, self.acted_on_trash, corpora, documents)
        found = trash.entries_of(corpora, documents, request.GET.get("after", ""), trash.PAGE + 1)
        entries = found[: trash.PAGE]
        context = {
            **self.admin_site.each_context(request),
            "title": _("Trash"),
            "entries": entries,
            "after": entries[-1].cursor if len(found) > trash.PAGE else "",
        }
        return TemplateResponse(request, "admin/corpora/trash.html", context)

    def acted_on_trash(
        self, request: HttpRequest, corpora: QuerySet[Corpus], documents: QuerySet[Document]
    ) -> HttpResponse:
        thing = chosen_thing(request, corpora, documents)
        corpus = thing if isinstance(thing, Corpus) else thing.corpus
        by = acting_membership(request, corpus.organization)
        if request.POST.get("action") == "restore":
            trash.restore(thing, by)
            self.message_user(request, gettext("“%(name)s” is restored.") % {"name": thing}, messages.SUCCESS)
        else:
            trash.erase_now(thing, by)
            self.message_user(request, gettext("“%(name)s” is being erased.") % {"name": thing}, messages.SUCCESS)
        return redirect("admin:corpora_trash")

    def user_view(self, request: HttpRequest, pk: UUID) -> HttpResponseBase:
        return self.erasing_view(request, User, pk, lambda user, by: request_user_erasure(user, by))

    def organization_view(self, request: HttpRequest, pk: UUID) -> HttpResponseBase:
        return self.erasing_view(request, Organization, pk, request_organization_erasure)

    def erasing_view(
        self, request: HttpRequest, model: Any, pk: UUID, erase: Callable[[Any, User], ErasureReceipt]
    ) -> HttpResponseBase:
        """Asks first, by having the name typed; operators alone."""
        if not is_operator(request):
            raise Http404
        subject = get_object_or_404(model, pk=pk)
        name = subject.email if isinstance(subject, User) else subject.slug
        if request.method == "POST" and request.POST.get("name", "").strip() == name:
            return self.asked_for(request, subject, erase)
        if request.method == "POST":
            self.message_user(request, gettext("That is not its name. Nothing was erased."), messages.ERROR)
        context = {**self.admin_site.each_context(request), "title": _("Erase"), "subject": subject, "name": name}
        return TemplateResponse(request, "admin/corpora/erase.html", context)

    def asked_for(
        self, request: HttpRequest, subject: Any, erase: Callable[[Any, User], ErasureReceipt]
    ) -> HttpResponseBase:
        try:
            erase(subject, cast(User, request.user))
        except Problem as problem:
            self.message_user(request, str(problem.detail), messages.ERROR)
        else:
            self.message_user(request, gettext("It is being erased. The receipt says when it is done."))
        return redirect(CHANGELIST)


def shared_trash(request: HttpRequest) -> tuple[QuerySet[Corpus], QuerySet[Document]]:
    """Of global corpora: of the admin's organization, for operators of all."""
    corpora = Corpus.objects.shared().filter(is_in_trash())
    documents = Document.objects.filter(is_in_trash(), corpus__corpus_type=Corpus.Type.GLOBAL).by_themselves()
    if is_operator(request):
        return corpora, documents
    membership = admin_membership(request)
    if membership is None:
        return corpora.none(), documents.none()
    organization = membership.organization_id
    return corpora.filter(organization=organization), documents.filter(corpus__organization=organization)


def chosen_thing(request: HttpRequest, corpora: QuerySet[Corpus], documents: QuerySet[Document]) -> Corpus | Document:
    try:
        pk = UUID(request.POST.get("id", ""))
    except ValueError:
        raise Http404 from None
    corpus = corpora.filter(pk=pk).first()
    return corpus or get_object_or_404(documents.select_related("corpus"), pk=pk)
