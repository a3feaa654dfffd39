"""Pages of accounts, members and invitations; included at the root."""

from django.urls import path

from accounts.pages import account, invitations, members

urlpatterns = [
    path("account/", account.account, name="account"),
    path("account/name/", account.rename, name="account-name"),
    path("account/keys/", account.create_key, name="key-create"),
    path("account/keys/<uuid:pk>/revoke/", account.revoke_key, name="key-revoke"),
    path("account/organization/", account.switch_organization, name="organization-switch"),
    path("members/", members.members, name="members"),
    path("members/<uuid:pk>/role/", members.change_role, name="member-role"),
    path("members/<uuid:pk>/remove/", members.remove_member, name="member-remove"),
    path("members/invite/", members.invite, name="member-invite"),
    path("members/invitations/<uuid:pk>/resend/", members.resend_invitation, name="invitation-resend"),
    path("members/invitations/<uuid:pk>/revoke/", members.revoke_invitation, name="invitation-revoke"),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
]
