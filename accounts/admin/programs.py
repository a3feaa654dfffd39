"""Programs that members let in: an admin sees whose they are and shuts them out.

No pages of django-oauth-toolkit's: they scope nothing to an organization, and would show what nobody is to see.
"""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import IDToken

from accounts.admin.scope import OrganizationAdmin
from accounts.identity.oauth.grants import end_grant
from accounts.identity.oauth.rows import OAuthAccessToken, OAuthClient, OAuthCode, OAuthGrant, OAuthRefreshToken

admin.site.unregister([OAuthClient, OAuthCode, OAuthAccessToken, OAuthRefreshToken, IDToken])


@admin.register(OAuthGrant)
class ProgramAdmin(OrganizationAdmin):
    organization_path = "membership__organization"
    list_display = ("called", "owner", "created_at", "last_used_at")
    list_select_related = ("client", "membership__user", "membership__organization")
    search_fields = ("client__name__matches", "membership__user__email")
    fields = ("called", "owner", "created_at", "last_used_at", "last_used_from")
    readonly_fields = fields
    actions = ("shut_out",)

    @admin.display(description=_("what it calls itself"), ordering="client__name")
    def called(self, obj: OAuthGrant) -> str:
        return obj.client.name or str(_("(it gives no name)"))

    @admin.display(description=_("user"), ordering="membership__user__email")
    def owner(self, obj: OAuthGrant) -> str:
        return obj.membership.user.email

    def has_shut_out_permission(self, request: HttpRequest) -> bool:
        return self.admits(request)

    @admin.action(description=_("Shut out the selected programs"), permissions=["shut_out"])
    def shut_out(self, request: HttpRequest, queryset: QuerySet[OAuthGrant]) -> None:
        chosen = list(queryset)
        for grant in chosen:
            end_grant(grant, self.by(request, grant))
        self.message_user(request, _("Programs shut out: %(count)d.") % {"count": len(chosen)}, messages.SUCCESS)
