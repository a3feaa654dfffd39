"""The admin site: platform operators see everything, an organization's admins their organization."""

from collections.abc import Callable
from functools import cache, update_wrapper
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe
from unfold.sites import UnfoldAdminSite

from accounts.http.principal import membership_of_session
from accounts.identity.second_factor import lacks_second_factor, operator_lacks_second_factor
from accounts.models import User
from accounts.tenancy.scope import become_system

View = Callable[..., HttpResponse]
LEFT_OUT = ("view_on_site", "autocomplete")


def colours(request: HttpRequest) -> str:
    """Unfold's setting STYLES calls this."""
    return static("acervo/admin/colours.css")


def fonts(request: HttpRequest) -> str:
    """Unfold's setting STYLES calls this."""
    return static("acervo/fonts.css")


def favicon(request: HttpRequest) -> str:
    """Unfold's setting SITE_FAVICONS calls this."""
    return static("acervo/favicon.svg")


@require_safe
def shortcut_icon(request: HttpRequest) -> HttpResponse:
    """/favicon.ico, which browsers ask for on pages that name no icon."""
    return HttpResponse(_icon(), content_type="image/svg+xml")


@cache
def _icon() -> bytes:
    return (settings.BASE_DIR / "static/acervo/favicon.svg").read_bytes()


def expressions(request: HttpRequest) -> str:
    """Unfold's setting SCRIPTS calls this."""
    return static("acervo/admin/alpine.js")


def lacks_factor(request: HttpRequest) -> bool:
    """Whether the caller must set up a second factor before the admin opens."""
    membership = membership_of_session(request)
    if membership and lacks_second_factor(membership):
        return True
    return isinstance(request.user, User) and request.user.is_superuser and operator_lacks_second_factor(request.user)


class AcervoAdminSite(UnfoldAdminSite):  # type: ignore[misc]  # unfold ships no type information
    site_url = "/"
    index_title = ""

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        if not (user.is_authenticated and user.is_active):
            return False
        membership = membership_of_session(request)
        return user.is_superuser or bool(membership and membership.is_admin)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Without the colours that unfold writes into a style element: they are a file (`colours`)."""
        return {**super().each_context(request), "colors": {}}

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Anonymous: sign in on the site's own page. Signed in without admin rights: there is nothing here."""
        inner: View = super().admin_view(view, cacheable)

        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path(), reverse("account_login"))
            if not self.has_permission(request):
                raise Http404
            if lacks_factor(request):
                return redirect("mfa_index")
            if request.user.is_superuser:
                become_system()
            return inner(request, *args, **kwargs)

        return update_wrapper(guarded, inner)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The site's own page limits guesses, sends a mail and offers to revoke keys."""
        return redirect("account_change_password")

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Nobody signs in here: the site's own page has the rate limits. POSTs are sent there as well."""
        if not request.user.is_authenticated:
            wanted = request.GET.get("next") or reverse("admin:index", current_app=self.name)
            return redirect_to_login(wanted, reverse("account_login"))
        if not self.has_permission(request):
            raise Http404
        return redirect("admin:index")

    def get_urls(self) -> list[Any]:
        """Without `r/<type>/<id>/`, which redirects to any row's page and so tells which ids exist, and without
        `autocomplete/`, which no page of ours asks and which searches wherever a relation of any model leads."""
        return [url for url in super().get_urls() if getattr(url, "name", None) not in LEFT_OUT]
