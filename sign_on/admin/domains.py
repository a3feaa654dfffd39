"""Admin of mail domains: named, proven by a record, deleted."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import label_display
from accounts.admin.scope import OrganizationAdmin
from accounts.limits import reserving
from accounts.problems import Problem
from sign_on import domains
from sign_on.admin.forms import DomainForm
from sign_on.models import MailDomain

OUTCOMES = {
    "proved": (_("The record is there: the domain is yours."), messages.SUCCESS),
    "missing": (_("There is no such record yet. It can take an hour until everybody sees a new one."), messages.ERROR),
    "unknown": (_("Nobody could be asked for the record. Try again in a minute."), messages.ERROR),
}


def _domain_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    found = MailDomain.objects.filter(pk__in=ids, organization__in=homes)
    return [(one.pk, one.name) for one in found]


name_for_audit("maildomain", _domain_names)


@admin.register(MailDomain)
class DomainAdmin(OrganizationAdmin):
    form = DomainForm
    writes = frozenset({"add", "delete"})
    list_display = ("name", "state", "proved_at", "checked_at")
    list_select_related = ("organization",)
    search_fields = ("name__matches",)
    change_form_outer_before_template = "admin/sign_on/_domain.html"
    fields = ("name",)

    def get_urls(self) -> list[URLPattern]:
        check = self.admin_site.admin_view(self.check_view)
        return [path("<uuid:pk>/check/", check, name="sign_on_prove"), *super().get_urls()]

    @label_display(_("state"), {"proved": "success", "going": "warning", "open": "info"}, ordering="proved_at")
    def state(self, obj: MailDomain) -> tuple[str, str]:
        if obj.proved_at is None:
            return "open", str(_("not proven"))
        return ("going", str(_("record missing"))) if obj.missing_since else ("proved", str(_("proven")))

    def check_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """POST alone: ask for the record now."""
        domain = self.get_queryset(request).filter(pk=pk).first()
        if domain is None or request.method != "POST" or not self.admits(request, domain):
            raise Http404
        try:
            by = self.by(request, domain)
            reserving.reserve(by, searches=1)
            told, level = OUTCOMES[domains.check_domain(by, domain)]
            said = str(told)
        except Problem as problem:
            said, level = str(problem.detail), messages.ERROR
        self.message_user(request, said, level)
        return redirect(reverse("admin:sign_on_maildomain_change", args=[domain.pk]))

    def save_model(self, request: HttpRequest, obj: MailDomain, form: Any, change: bool) -> None:
        domains.add_domain(self.by(request, obj), obj)

    def response_add(self, request: HttpRequest, obj: MailDomain, post_url_continue: str | None = None) -> HttpResponse:
        """To its page, which shows the record."""
        return redirect(reverse("admin:sign_on_maildomain_change", args=[obj.pk]))

    def delete_model(self, request: HttpRequest, obj: MailDomain) -> None:
        domains.remove_domain(self.by(request, obj), obj)
