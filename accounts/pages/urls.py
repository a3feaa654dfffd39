"""Pages of accounts, members and invitations; included at the root."""

from django.urls import path

from accounts.pages import account, addresses, invitations, members, programs, sessions

urlpatterns = [
    path("account/", account.account, name="account"),
    path("account/name/", account.account_name, name="account-name"),
    path("account/email/", addresses.address_change, name="address-change"),
    path("account/email/<str:token>/", addresses.address_confirm, name="address-confirm"),
    path("account/sessions/<uuid:pk>/end/", sessions.session_end, name="session-end"),
    path("account/sessions/end/", sessions.sessions_end, name="sessions-end"),
    path("account/keys/", account.key_create, name="key-create"),
    path("account/keys/<uuid:pk>/revoke/", account.key_revoke, name="key-revoke"),
    path("account/programs/", programs.programs, name="programs"),
    path("account/programs/<uuid:pk>/revoke/", programs.program_revoke, name="program-revoke"),
    path("oauth/authorize", programs.authorize, name="oauth-authorize"),
    path("account/organization/", account.organization_switch, name="organization-switch"),
    path("members/", members.members, name="members"),
    path("members/<uuid:pk>/role/", members.member_role, name="member-role"),
    path("members/<uuid:pk>/remove/", members.member_remove, name="member-remove"),
    path("members/two-factor/", members.two_factor_require, name="two-factor-require"),
    path("members/invite/", members.member_invite, name="member-invite"),
    path("members/invitations/<uuid:pk>/resend/", members.invitation_resend, name="invitation-resend"),
    path("members/invitations/<uuid:pk>/revoke/", members.invitation_revoke, name="invitation-revoke"),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
]
