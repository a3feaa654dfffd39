"""Admin of identities: who is known by what at the provider; removed where an address has another owner now."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.scope import OrganizationAdmin
from sign_on import keeping
from sign_on.models import ProvidedIdentity


def _identity_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    found = ProvidedIdentity.objects.filter(pk__in=ids, organization__in=homes).select_related("user")
    return [(one.pk, str(one.user)) for one in found]


name_for_audit("providedidentity", _identity_names)


@admin.register(ProvidedIdentity)
class IdentityAdmin(OrganizationAdmin):
    writes = frozenset({"delete"})
    list_display = ("person", "subject", "issuer", "created_at", "last_used_at")
    list_select_related = ("user", "organization")
    search_fields = ("subject", "user__email__matches")
    fields = ("person", "subject", "issuer", "created_at", "last_used_at")
    readonly_fields = fields

    @admin.display(description=_("user"), ordering="user__email")
    def person(self, obj: ProvidedIdentity) -> str:
        return obj.user.email

    def delete_model(self, request: HttpRequest, obj: ProvidedIdentity) -> None:
        keeping.unlink(self.by(request, obj), obj)
