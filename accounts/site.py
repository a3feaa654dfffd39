"""The admin site: platform operators see everything, an organization's admins their organization."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from unfold.sites import UnfoldAdminSite

from accounts.http.principal import membership_of_session

View = Callable[..., HttpResponse]


class AcervoAdminSite(UnfoldAdminSite):  # type: ignore[misc]  # unfold ships no type information
    site_url = "/"
    index_title = ""

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        if not (user.is_authenticated and user.is_active):
            return False
        membership = membership_of_session(request)
        return user.is_superuser or bool(membership and membership.is_admin)

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Anonymous: sign in on the site's own page. Signed in without admin rights: there is nothing here."""
        inner: View = super().admin_view(view, cacheable)

        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path(), reverse("account_login"))
            if not self.has_permission(request):
                raise Http404
            return inner(request, *args, **kwargs)

        return update_wrapper(guarded, inner)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Nobody signs in here: the site's own page has the rate limits. POSTs are sent there as well."""
        if not request.user.is_authenticated:
            wanted = request.GET.get("next") or reverse("admin:index", current_app=self.name)
            return redirect_to_login(wanted, reverse("account_login"))
        if not self.has_permission(request):
            raise Http404
        return redirect("admin:index")

    def get_urls(self) -> list[Any]:
        """Without `r/<type>/<id>/`: it redirects to any row's page and so tells which ids exist."""
        return [url for url in super().get_urls() if getattr(url, "name", None) != "view_on_site"]
