"""Addresses that programs know by the protocol's names; included at the root."""

from django.urls import path

from accounts.identity.oauth import endpoints

urlpatterns = [
    path(".well-known/oauth-protected-resource", endpoints.protected_resource),
    path(".well-known/oauth-protected-resource/mcp", endpoints.protected_resource, name="oauth-resource"),
    path(".well-known/oauth-authorization-server", endpoints.authorization_server, name="oauth-server"),
    path("oauth/register", endpoints.registration, name="oauth-register"),
    path("oauth/token", endpoints.token, name="oauth-token"),
    path("oauth/revoke", endpoints.revocation, name="oauth-revoke"),
]
