"""How django-allauth signs people in: settings that no installation changes."""

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
