"""How programs are let in at `/mcp` by OAuth 2.1: settings of django-oauth-toolkit that no installation changes.

The toolkit has features that are off here because no route leads to them (docs/adr/0025-oauth-for-mcp.md).
"""

OAUTH2_PROVIDER_APPLICATION_MODEL = "accounts.OAuthClient"
OAUTH2_PROVIDER_GRANT_MODEL = "accounts.OAuthCode"
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "accounts.OAuthAccessToken"  # noqa: S105 - a model's name
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "accounts.OAuthRefreshToken"  # noqa: S105 - a model's name

OAUTH2_PROVIDER = {
    "OAUTH2_VALIDATOR_CLASS": "accounts.oauth.validator.Validator",
    "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",  # authorization codes and refreshing, nothing else
    "ACCESS_TOKEN_GENERATOR": "accounts.oauth.credentials.make_access_token",
    "REFRESH_TOKEN_GENERATOR": "accounts.oauth.credentials.make_refresh_token",
    "SCOPES": {"mcp": "/mcp"},
    "DEFAULT_SCOPES": ["mcp"],
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 86_400,  # without use
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "ROTATE_REFRESH_TOKEN": True,
    "PKCE_REQUIRED": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}
