"""No pages of django-oauth-toolkit's: they scope nothing to an organization, and would show what nobody is to see."""

from django.contrib import admin
from oauth2_provider.models import IDToken

from accounts.identity.oauth.rows import OAuthAccessToken, OAuthClient, OAuthCode, OAuthRefreshToken

admin.site.unregister([OAuthClient, OAuthCode, OAuthAccessToken, OAuthRefreshToken, IDToken])
