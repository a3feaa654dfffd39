"""Admin of webhooks: made, changed, tested, given a new secret."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import label_display
from accounts.admin.scope import OrganizationAdmin
from accounts.limits import reserving
from accounts.models import Membership
from accounts.problems import Problem
from webhooks import keeping
from webhooks.admin.forms import WebhookForm
from webhooks.models import Delivery, Webhook, event_labels

WebhookPage = Callable[["WebhookAdmin", HttpRequest, Webhook, Membership], HttpResponse]


def _webhook_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    found = Webhook.objects.filter(pk__in=ids, organization__in=homes)
    return [(one.pk, str(one)) for one in found]


name_for_audit("webhook", _webhook_names)


@admin.register(Webhook)
class WebhookAdmin(OrganizationAdmin):
    form = WebhookForm
    writes = frozenset({"add", "change", "delete"})
    list_display = ("url", "description", "chosen", "state", "tried_at")
    list_filter = ("is_active",)
    list_select_related = ("organization",)
    search_fields = ("url__matches", "description__matches")
    change_form_outer_before_template = "admin/webhooks/_webhook.html"
    fieldsets = ((None, {"fields": ("url", "description", "events", "is_active")}),)

    def get_urls(self) -> list[URLPattern]:
        pages: dict[str, WebhookPage] = {"test": send_test_page, "secret": secret_page}
        own = [
            path(f"<uuid:pk>/{name}/", self.admin_site.admin_view(partial(self.page, show)), name=f"webhooks_{name}")
            for name, show in pages.items()
        ]
        return [*own, *super().get_urls()]

    def page(self, show: WebhookPage, request: HttpRequest, pk: UUID) -> HttpResponse:
        """A page of one webhook of the admin's organization; for everybody else it does not exist."""
        webhook = self.get_queryset(request).filter(pk=pk).first()
        if webhook is None or not self.has_change_permission(request, webhook):
            raise Http404
        try:
            return show(self, request, webhook, self.by(request, webhook))
        except Problem as problem:
            self.message_user(request, str(problem.detail), messages.ERROR)
            return redirect(reverse("admin:webhooks_webhook_change", args=[webhook.pk]))

    @admin.display(description=_("events"))
    def chosen(self, obj: Webhook) -> str:
        return ", ".join(event_labels(obj.events))

    @label_display(
        _("state"),
        {"active": "success", "failing": "warning", "disabled": "danger", "off": "info"},
        ordering="is_active",
    )
    def state(self, obj: Webhook) -> tuple[str, str]:
        if obj.is_active:
            return ("failing", str(_("failing"))) if obj.failing_since else ("active", str(_("active")))
        return ("disabled", str(_("switched off because it failed"))) if obj.disabled_at else ("off", str(_("off")))

    def save_model(self, request: HttpRequest, obj: Webhook, form: Any, change: bool) -> None:
        by = self.by(request, obj)
        if not change:
            obj.made_secret = keeping.make_webhook(by, obj)  # type: ignore[attr-defined]  # for `response_add`
        elif form.changed_data:
            keeping.change_webhook(by, obj, **{name: form.cleaned_data[name] for name in form.changed_data})

    def response_add(self, request: HttpRequest, obj: Webhook, post_url_continue: str | None = None) -> HttpResponse:
        """The page itself instead of a redirect: the secret is shown now and never again."""
        return secret_response(self, request, obj, obj.made_secret)  # type: ignore[attr-defined]

    def delete_model(self, request: HttpRequest, obj: Webhook) -> None:
        keeping.delete_webhook(self.by(request, obj), obj)

    def goes_with(self, chosen: Sequence[Webhook]) -> dict[str, int]:
        told = Delivery.objects.filter(webhook__in=[one.pk for one in chosen]).count()
        return {str(Delivery._meta.verbose_name_plural): told}


def send_test_page(page: WebhookAdmin, request: HttpRequest, webhook: Webhook, by: Membership) -> HttpResponse:
    """POST alone: queue a ping, and show the log in which it stands."""
    if request.method != "POST":
        raise Http404
    reserving.reserve(by, writes=1)
    ping = keeping.send_test(by, webhook)
    page.message_user(request, _("The test is on its way. Reload this page in a few seconds."), messages.SUCCESS)
    return redirect(reverse("admin:webhooks_delivery_change", args=[ping.pk]))


def secret_page(page: WebhookAdmin, request: HttpRequest, webhook: Webhook, by: Membership) -> HttpResponse:
    """GET asks first; POST makes a new one and shows it."""
    if request.method == "POST":
        return secret_response(page, request, webhook, keeping.renew_secret(by, webhook))
    return secret_response(page, request, webhook, "")


def secret_response(page: WebhookAdmin, request: HttpRequest, webhook: Webhook, secret: str) -> HttpResponse:
    """With a secret to copy, or with the question whether to make a new one."""
    context = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "title": _("Secret of a webhook"),
        "webhook": webhook,
        "secret": secret,
    }
    return TemplateResponse(request, "admin/webhooks/secret.html", context)
