"""How django-allauth signs people in and django-oauth-toolkit lets programs in: settings that no installation
changes."""

ACCOUNT_ADAPTER = "accounts.identity.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"  # addresses are proven by an invitation, or in accounts.identity.addresses
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Acervo] "
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_RATE_LIMITS = {"login_failed_anywhere": "100/h/key", "sign_on": "300/m/ip"}  # accounts.identity.adapter
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "django.contrib.auth.tokens.PasswordResetTokenGenerator"  # noqa: S105
ACCOUNT_FORMS = {
    "change_password": "accounts.pages.sign_in.forms.PasswordForm",
    "reset_password": "accounts.pages.sign_in.forms.ResetForm",
}

MFA_ADAPTER = "accounts.identity.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Acervo"

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "dashboard"

# Programs at /mcp, by OAuth 2.1. What the toolkit has beside that no route leads to (docs/adr/0025-oauth-for-mcp.md).
OAUTH2_PROVIDER_APPLICATION_MODEL = "accounts.OAuthClient"
OAUTH2_PROVIDER_GRANT_MODEL = "accounts.OAuthCode"
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "accounts.OAuthAccessToken"  # noqa: S105 - a model's name
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "accounts.OAuthRefreshToken"  # noqa: S105 - a model's name

OAUTH2_PROVIDER = {
    "OAUTH2_VALIDATOR_CLASS": "accounts.identity.oauth.validator.Validator",
    "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",  # authorization codes and refreshing, nothing else
    "ACCESS_TOKEN_GENERATOR": "accounts.identity.oauth.credentials.make_access_token",
    "REFRESH_TOKEN_GENERATOR": "accounts.identity.oauth.credentials.make_refresh_token",
    "SCOPES": {"mcp": "/mcp"},
    "DEFAULT_SCOPES": ["mcp"],
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 86_400,  # without use
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "ROTATE_REFRESH_TOKEN": True,
    "PKCE_REQUIRED": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],  # of the toolkit's own pages; ours are in accounts.identity.oauth
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}
