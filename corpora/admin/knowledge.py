"""Admin of knowledge: global corpora and their documents. Personal corpora are their owners' (SPEC §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import label_display, related_text
from accounts.admin.scope import OrganizationAdmin, admin_membership, is_operator
from accounts.limits import stock
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope
from corpora import removal
from corpora.admin.forms import CorpusAdminForm, DocumentForm
from corpora.admin.slow import SlowDocuments
from corpora.advice import failure_advice
from corpora.descriptions import INDEXED_FIELDS, mark_metadata_changed
from corpora.models import Corpus, Document
from corpora.uploads import intake

STATUS_COLOURS: dict[str, str] = {
    Document.Status.PENDING: "info",
    Document.Status.PROCESSING: "warning",
    Document.Status.INDEXED: "success",
    Document.Status.FAILED: "danger",
}


def _corpus_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return Corpus.objects.shared().filter(pk__in=ids, organization__in=homes).values_list("pk", "name")


def _document_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    found = Document.objects.filter(pk__in=ids, corpus__corpus_type=Corpus.Type.GLOBAL, corpus__organization__in=homes)
    return [(one.pk, str(one)) for one in found.only("title", "filename")]


name_for_audit("corpus", _corpus_names)
name_for_audit("document", _document_names)


@admin.register(Corpus)
class CorpusAdmin(OrganizationAdmin):
    form = CorpusAdminForm
    writes = frozenset({"add", "change", "delete"})
    audited_flags = ("is_active",)
    list_display = ("name", "is_active", "document_count", "failed_count", "chunk_count", "created_at")
    list_filter = ("is_active",)
    list_select_related = ("organization",)
    list_before_template = "admin/corpora/_personal_corpora.html"
    search_fields = ("name__matches", "description__matches")
    fieldsets = ((None, {"fields": ("name", "description", "is_active", "is_course", "new_documents")}),)
    change_form_outer_before_template = "admin/corpora/_corpus_documents.html"
    actions = ("activate", "deactivate")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).filter(corpus_type=Corpus.Type.GLOBAL, deleted_at=None)
        counted: QuerySet[Any] = rows.annotate(
            documents_alive=Coalesce(F("counts__documents"), 0),
            chunks_alive=Coalesce(F("counts__chunks"), 0),
            documents_failed=Coalesce(F("counts__failed"), 0),
        )
        return counted

    def save_model(self, request: HttpRequest, obj: Corpus, form: Any, change: bool) -> None:
        if not change:
            obj.corpus_type = Corpus.Type.GLOBAL
            stock.make_room(self.by(request, obj), corpora=1)
        super().save_model(request, obj, form, change)
        files: list[UploadedFile[Any]] = form.cleaned_data.get("new_documents") or []
        if files:  # after the commit: a slow store must not hold the database's write lock
            transaction.on_commit(partial(self.accept_all, request, obj, files))

    def accept_all(self, request: HttpRequest, corpus: Corpus, files: Sequence[UploadedFile[Any]]) -> None:
        """Take each file in by itself: one that is refused does not spoil the others."""
        by, taken = self.by(request, corpus), 0
        for file in files:
            try:
                intake.accept_upload(corpus, file, by)
                taken += 1
            except Problem as problem:
                self.message_user(request, f"{file.name}: {problem.detail}", messages.ERROR)
        if taken:
            message = _("Documents taken in: %(count)d. They can be used as soon as they are indexed.")
            self.message_user(request, message % {"count": taken}, messages.SUCCESS)

    def delete_model(self, request: HttpRequest, obj: Corpus) -> None:
        removal.remove_corpus(obj, self.by(request, obj))

    def goes_with(self, chosen: Sequence[Corpus]) -> dict[str, int]:
        documents = Document.objects.alive().filter(corpus__in=[corpus.pk for corpus in chosen]).count()
        return {str(Document._meta.verbose_name_plural): documents}

    @admin.action(description=_("Activate the selected corpora"), permissions=["change"])
    def activate(self, request: HttpRequest, queryset: QuerySet[Corpus]) -> None:
        self.switch(request, queryset, True)

    @admin.action(description=_("Deactivate the selected corpora"), permissions=["change"])
    def deactivate(self, request: HttpRequest, queryset: QuerySet[Corpus]) -> None:
        self.switch(request, queryset, False)

    def switch(self, request: HttpRequest, corpora: Iterable[Corpus], is_active: bool) -> None:
        """Takes effect at the next retrieval (SPEC §2.2)."""
        for corpus in corpora:
            if corpus.is_active != is_active:
                corpus.is_active = is_active
                corpus.save(update_fields=["is_active", "updated_at"])
                self.audit(request, corpus, "changed", ["is_active"])

    @admin.display(description=_("documents"), ordering="documents_alive")
    def document_count(self, obj: Any) -> SafeString:
        return documents_link(obj.pk, obj.documents_alive)

    @admin.display(description=_("failed"), ordering="documents_failed")
    def failed_count(self, obj: Any) -> SafeString | str:
        return documents_link(obj.pk, obj.documents_failed, "&status__exact=failed") if obj.documents_failed else "–"

    @admin.display(description=_("chunks"), ordering="chunks_alive")
    def chunk_count(self, obj: Any) -> int:
        return int(obj.chunks_alive)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        with system_scope():  # a count
            count = personal_corpora(request).count()
        return super().changelist_view(request, {**(extra_context or {}), "personal_corpora": count})


def personal_corpora(request: HttpRequest) -> QuerySet[Corpus]:
    """Members' own corpora, to be counted only."""
    personal = Corpus.objects.personal().filter(deleted_at=None)
    membership = admin_membership(request)
    if is_operator(request):
        return personal
    return personal.filter(organization_id=membership.organization_id) if membership else personal.none()


def documents_link(corpus_id: UUID, count: int, more: str = "") -> SafeString:
    url = f"{reverse('admin:corpora_document_changelist')}?corpus__id__exact={corpus_id}{more}"
    return format_html('<a class="underline" href="{}">{}</a>', url, count)


@admin.register(Document)
class DocumentAdmin(OrganizationAdmin):
    """Documents of global corpora. They come in through a corpus; here they are described or removed."""

    organization_path = "corpus__organization"
    form = DocumentForm
    writes = frozenset({"change", "delete"})
    audited_flags = ("content_type", "difficulty")
    list_display = (
        "title_shown", "corpus", "status_shown", "progress_shown", "reason", "page_count",
        "chunk_count", "size_shown", "created_at",
    )  # fmt: skip
    list_filter = ("status", SlowDocuments, ("corpus", admin.RelatedOnlyFieldListFilter), "content_type", "language")
    list_select_related = ("corpus__organization", "uploaded_by")
    search_fields = ("title__matches", "filename__matches", "topic__matches", "unit__matches")
    change_form_outer_before_template = "admin/corpora/_document_actions.html"
    actions = ("reprocess",)
    readonly_fields = (
        "corpus", "filename", "media_type", "size_shown", "uploader", "created_at", "indexed_at", "status",
        "stage", "progress_shown", "error_code", "reason", "page_count", "chunk_count", "version",
    )  # fmt: skip
    fieldsets = (
        (_("Description"), {"fields": ("title", "summary", ("source_reference", "source_date"))}),
        (
            _("Metadata"),
            {"fields": (("content_type", "difficulty"), ("unit", "topic"), ("course", "language"), "tags", "meta")},
        ),
        (
            _("Processing"),
            {
                "fields": (
                    ("status", "stage", "progress_shown"),
                    ("error_code", "reason"),
                    ("page_count", "chunk_count"),
                    ("version", "indexed_at"),
                )
            },
        ),
        (
            _("File"),
            {"fields": (("corpus", "filename"), ("media_type", "size_shown"), ("uploader", "created_at"))},
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        shared = {"corpus__corpus_type": Corpus.Type.GLOBAL, "corpus__deleted_at": None, "deleted_at": None}
        return super().get_queryset(request).filter(**shared)

    uploader = related_text("uploaded_by", _("uploaded by"))

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if INDEXED_FIELDS.intersection(form.changed_data):
            mark_metadata_changed(obj)

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        removal.remove_document(obj, self.by(request, obj))

    @admin.action(description=_("Process the selected documents again"), permissions=["change"])
    def reprocess(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        documents = list(queryset)
        for document in documents:
            intake.reprocess(document, self.by(request, document))
            self.audit(request, document, "reprocessed")
        message = _("Documents that will be processed again: %(count)d.") % {"count": len(documents)}
        self.message_user(request, message, messages.SUCCESS)

    @admin.display(description=_("title"), ordering="title")
    def title_shown(self, obj: Document) -> str:
        return str(obj)

    @label_display(_("status"), STATUS_COLOURS, ordering="status")
    def status_shown(self, obj: Document) -> tuple[str, str]:
        return obj.status, obj.get_status_display()

    @admin.display(description=_("progress"))
    def progress_shown(self, obj: Document) -> str:
        percent = f"{round(obj.progress * 100)} %"
        return f"{percent} · {obj.get_stage_display()}" if obj.is_busy and obj.stage else percent

    @admin.display(description=_("reason"), ordering="error_code")
    def reason(self, obj: Document) -> str:
        """What to do about it, as its owner reads it."""
        return failure_advice(obj.error_code) if obj.error_code else ""

    @admin.display(description=_("size"), ordering="size")
    def size_shown(self, obj: Document) -> str:
        return filesizeformat(obj.size)
