"""The admin site: platform operators see everything, an organization's admins their organization."""

from django.http import HttpRequest
from unfold.sites import UnfoldAdminSite

from accounts.http import membership_of_session


class AcervoAdminSite(UnfoldAdminSite):  # type: ignore[misc]  # unfold ships no type information
    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        if not (user.is_authenticated and user.is_active):
            return False
        membership = membership_of_session(request)
        return user.is_superuser or bool(membership and membership.is_admin)
