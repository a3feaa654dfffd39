"""Admin of directories' tokens: made, shown once, revoked."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import OrganizationForm
from accounts.admin.scope import OrganizationAdmin
from provisioning.models import DirectoryToken
from provisioning.tokens import issue_token, revoke_token

name_for_audit(
    "directorytoken",
    lambda ids, homes: DirectoryToken.objects.filter(pk__in=ids, organization__in=homes).values_list("pk", "name"),
)


class TokenForm(OrganizationForm):
    class Meta:
        model = DirectoryToken
        fields = ("name",)


@admin.register(DirectoryToken)
class DirectoryTokenAdmin(OrganizationAdmin):
    form = TokenForm
    writes = frozenset({"add"})
    list_display = ("name", "prefix", "created_at", "last_used_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    list_select_related = ("organization",)
    search_fields = ("name__matches", "prefix")
    actions = ("revoke",)
    list_before_template = "admin/provisioning/_directory.html"
    shown_fields = ("name", "prefix", "created_at", "last_used_at", "last_used_from", "revoked_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.shown_fields if obj else ("name",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*self.shown_fields, "organization") if obj else ()

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.admits(request)

    @admin.action(description=_("Revoke the selected tokens"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[DirectoryToken]) -> None:
        usable = list(queryset.filter(revoked_at=None).select_related("organization"))
        for token in usable:
            revoke_token(self.by(request, token), token)
        self.message_user(request, _("Revoked tokens: %(count)d.") % {"count": len(usable)}, messages.SUCCESS)

    def save_model(self, request: HttpRequest, obj: DirectoryToken, form: Any, change: bool) -> None:
        obj.made_secret = issue_token(self.by(request, obj), obj)  # type: ignore[attr-defined]  # for `response_add`

    def response_add(
        self, request: HttpRequest, obj: DirectoryToken, post_url_continue: str | None = None
    ) -> HttpResponse:
        """The page itself instead of a redirect: the token is shown now and never again."""
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Token of a directory"),
            "token": obj,
            "secret": obj.made_secret,  # type: ignore[attr-defined]  # of `save_model`
            "base": request.build_absolute_uri(reverse("scim-users").removesuffix("/Users")),
        }
        return TemplateResponse(request, "admin/provisioning/secret.html", context)
