"""The front door: every room's URLs."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from accounts.pages.api_docs import api_docs, api_schema
from accounts.site import shortcut_icon
from chat.api.mcp.view import mcp
from chat.stream import openai
from config import health

handler400 = "accounts.pages.errors.bad_request"
handler404 = "accounts.pages.errors.page_not_found"
handler500 = "accounts.pages.errors.server_error"

api: list[URLPattern | URLResolver] = [
    path("schema/", api_schema, name="schema"),
    path("docs/", api_docs, name="api-docs"),
    path("", include("agents.api.urls")),
    path("", include("chat.api.urls")),
    path("", include("corpora.api.urls")),
    path("", include("tools.api.urls")),
    path("", include("webhooks.api.urls")),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("favicon.ico", shortcut_icon),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("api/", include(api)),
    path("v1/models", openai.models),
    path("v1/chat/completions", openai.completions),
    path("mcp", mcp, name="mcp"),
    path("", include("accounts.identity.oauth.urls")),
    path("scim/v2/", include("provisioning.api.urls")),
    path("admin/", admin.site.urls),
    path("accounts/", include("sign_on.pages.urls")),
    path("accounts/", include("accounts.pages.sign_in.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("accounts.pages.urls")),
    path("", include("corpora.pages.urls")),
    path("", include("agents.pages.urls")),
    path("", include("chat.pages.urls")),
]
