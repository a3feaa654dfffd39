"""Pages of accounts, members and invitations; included at the root."""

from django.urls import path

from accounts import invitation_views, member_views, views

urlpatterns = [
    path("account/", views.account, name="account"),
    path("account/name/", views.rename, name="account-name"),
    path("account/keys/", views.create_key, name="key-create"),
    path("account/keys/<uuid:pk>/revoke/", views.revoke_key, name="key-revoke"),
    path("account/organization/", views.switch_organization, name="organization-switch"),
    path("members/", member_views.members, name="members"),
    path("members/<uuid:pk>/role/", member_views.change_role, name="member-role"),
    path("members/<uuid:pk>/remove/", member_views.remove_member, name="member-remove"),
    path("members/invite/", member_views.invite, name="member-invite"),
    path("members/invitations/<uuid:pk>/resend/", member_views.resend_invitation, name="invitation-resend"),
    path("members/invitations/<uuid:pk>/revoke/", member_views.revoke_invitation, name="invitation-revoke"),
    path("invitations/<str:token>/", invitation_views.invitation, name="invitation"),
]
