"""Documents that have waited or been worked on for longer than they should."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from corpora.models import Document

LONG = timedelta(minutes=10)


def waiting_long(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Since they came, and not read yet."""
    busy = (Document.Status.PENDING, Document.Status.PROCESSING)
    return documents.filter(status__in=busy, created_at__lt=timezone.now() - LONG)


class SlowDocuments(admin.SimpleListFilter):
    title = _("waiting")
    parameter_name = "slow"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("1", _("for more than 10 minutes"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> QuerySet[Document]:
        return waiting_long(queryset) if self.value() == "1" else queryset
