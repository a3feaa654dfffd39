"""SCIM 2.0 below /scim/v2/: addresses as RFC 7644 has them, without a slash at their end (docs/provisioning.md)."""

from django.urls import path

from provisioning.api.views import scim

urlpatterns = [
    path("Users", scim, {"kind": "Users"}, name="scim-users"),
    path("Users/<str:pk>", scim, {"kind": "Users"}, name="scim-user"),
    path("Groups", scim, {"kind": "Groups"}, name="scim-groups"),
    path("Groups/<str:pk>", scim, {"kind": "Groups"}, name="scim-group"),
    path("ServiceProviderConfig", scim, {"kind": "ServiceProviderConfig"}),
    path("ResourceTypes", scim, {"kind": "ResourceTypes"}),
    path("ResourceTypes/<str:pk>", scim, {"kind": "ResourceTypes"}),
    path("Schemas", scim, {"kind": "Schemas"}),
    path("Schemas/<str:pk>", scim, {"kind": "Schemas"}),
    path("<path:pk>", scim, {"kind": ""}),
]
