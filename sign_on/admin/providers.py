"""Admin of an organization's provider: entered, checked, enforced."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.scope import OrganizationAdmin, admin_membership, is_operator
from accounts.limits import reserving
from accounts.problems import Problem
from sign_on import keeping
from sign_on.admin.forms import ProviderForm
from sign_on.models import IdentityProvider, ProvidedIdentity
from sign_on.pages.signing import saml_addresses
from sign_on.reasons import told_admin
from sign_on.saml.certificates import told_certificates

OF_OIDC = ("issuer", "client_id", "secret")
OF_SAML = ("metadata", "metadata_file", "entity_id", "sso_url", "certificates", "subject_attribute", "email_attribute")
OF_BOTH = ("groups_claim", "admin_groups", "is_active")


def _provider_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    found = IdentityProvider.objects.filter(pk__in=ids, organization__in=homes)
    return [(one.pk, one.issuer) for one in found]


name_for_audit("identityprovider", _provider_names)


@admin.register(IdentityProvider)
class ProviderAdmin(OrganizationAdmin):
    form = ProviderForm
    writes = frozenset({"add", "change", "delete"})
    list_display = ("__str__", "protocol", "is_active", "is_enforced", "failed_at")
    list_select_related = ("organization",)
    search_fields = ("issuer__matches",)
    change_form_outer_before_template = "admin/sign_on/_provider.html"
    fields = ("protocol", *OF_OIDC, *OF_SAML, *OF_BOTH, "is_enforced")

    def get_urls(self) -> list[URLPattern]:
        check = self.admin_site.admin_view(self.check_view)
        return [path("<uuid:pk>/check/", check, name="sign_on_check"), *super().get_urls()]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """One for an organization."""
        membership = admin_membership(request)
        if not super().has_add_permission(request) or membership is None or is_operator(request):
            return super().has_add_permission(request)
        return not IdentityProvider.objects.in_organization_of(membership).exists()

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Of a row what its protocol has. Enforced is what somebody has come by: a new one is not."""
        above = super().get_fieldsets(request, obj)[:-1]
        if obj is not None:
            asked = OF_SAML if obj.is_saml else OF_OIDC
            return [*above, (None, {"fields": (*asked, *OF_BOTH, "is_enforced")})]
        return [
            *above,
            (None, {"fields": ("protocol",)}),
            ("OpenID Connect", {"fields": OF_OIDC}),
            ("SAML 2.0", {"fields": OF_SAML}),
            (_("Of both"), {"fields": OF_BOTH}),
        ]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        provider = kwargs.get("obj")
        if provider is not None:
            callback = reverse("sign-on-callback", args=[provider.pk])
            context["callback"] = request.build_absolute_uri(callback)
            context["addresses"] = saml_addresses(request, provider)
            context["certificates"] = told_certificates(provider.certificates)
            context["checked"] = told_admin(provider.check_outcome)
            context["failure"] = told_admin(provider.failure)
        return super().render_change_form(request, context, *args, **kwargs)

    def check_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """POST alone: ask the provider for its metadata, and say how that went."""
        provider = self.get_queryset(request).filter(pk=pk).first()
        if provider is None or request.method != "POST" or not self.has_change_permission(request, provider):
            raise Http404
        if provider.is_saml:  # nothing of it is asked from here
            raise Http404
        try:
            by = self.by(request, provider)
            reserving.reserve(by, searches=1)
            outcome = keeping.check_provider(by, provider)
        except Problem as problem:
            self.message_user(request, str(problem.detail), messages.ERROR)
        else:
            said = _("Checked: %(outcome)s.") % {"outcome": told_admin(outcome)}
            self.message_user(request, said, messages.SUCCESS if outcome == "ok" else messages.ERROR)
        return redirect(reverse("admin:sign_on_identityprovider_change", args=[provider.pk]))

    def save_model(self, request: HttpRequest, obj: IdentityProvider, form: Any, change: bool) -> None:
        fields = form.written(change)
        if fields:
            keeping.save_provider(self.by(request, obj), obj, **fields)

    def delete_model(self, request: HttpRequest, obj: IdentityProvider) -> None:
        keeping.delete_provider(self.by(request, obj), obj)

    def goes_with(self, chosen: Sequence[IdentityProvider]) -> dict[str, int]:
        known = ProvidedIdentity.objects.filter(organization__in=[one.organization_id for one in chosen])
        return {str(ProvidedIdentity._meta.verbose_name_plural): known.count()}
