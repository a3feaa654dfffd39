"""What OAuth keeps: programs, who let which of them in, and the codes and tokens that follow from it.

django-oauth-toolkit's own tables know a user alone. Here every code and token belongs to a grant, and a grant to a
membership: whatever ends one of these ends all that was given out. Of tokens the SHA-256 is kept and nothing else.
"""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import AbstractAccessToken, AbstractApplication, AbstractGrant, AbstractRefreshToken


class OAuthClient(AbstractApplication):  # type: ignore[misc]  # the toolkit ships no type information
    """A program that registered itself (RFC 7591). What it calls itself is nobody's word but its own."""

    objects: ClassVar[models.Manager["OAuthClient"]] = models.Manager()

    class Meta:
        verbose_name = _("program")
        verbose_name_plural = _("programs")
        indexes = (models.Index(fields=("created",), name="oauth_client_created"),)


class OAuthGrant(models.Model):  # type: ignore[django-manager-missing]  # mypy sees no models in the toolkit
    """A member let a program in, for one organization."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    membership = models.ForeignKey("accounts.Membership", models.CASCADE, related_name="oauth_grants")
    client = models.ForeignKey(OAuthClient, models.CASCADE, related_name="grants")
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    last_used_from = models.GenericIPAddressField(_("last used from"), null=True, editable=False)

    class Meta:
        verbose_name = _("connected program")
        verbose_name_plural = _("connected programs")
        ordering = ("-created_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("membership", "client"), name="oauth_grant_once"),)

    def __str__(self) -> str:
        return str(self.client)


class OAuthCode(AbstractGrant):  # type: ignore[misc]  # the toolkit ships no type information
    """An authorization code, for a minute and for one use."""

    grant = models.ForeignKey(OAuthGrant, models.CASCADE, related_name="codes")
    objects: ClassVar[models.Manager["OAuthCode"]] = models.Manager()

    class Meta:
        verbose_name = _("authorization code")
        verbose_name_plural = _("authorization codes")
        indexes = (models.Index(fields=("expires",), name="oauth_code_expires"),)


class OAuthAccessToken(AbstractAccessToken):  # type: ignore[misc]  # the toolkit ships no type information
    id_token = None  # of OpenID Connect, which is not spoken here
    grant = models.ForeignKey(OAuthGrant, models.CASCADE, related_name="access_tokens")
    objects: ClassVar[models.Manager["OAuthAccessToken"]] = models.Manager()

    class Meta:
        verbose_name = _("access token")
        verbose_name_plural = _("access tokens")
        indexes = (models.Index(fields=("expires",), name="oauth_access_token_expires"),)


class OAuthRefreshToken(AbstractRefreshToken):  # type: ignore[misc]  # the toolkit ships no type information
    """One that was exchanged stays until it would have expired, so that a second use of it is noticed."""

    grant = models.ForeignKey(OAuthGrant, models.CASCADE, related_name="refresh_tokens")
    objects: ClassVar[models.Manager["OAuthRefreshToken"]] = models.Manager()

    class Meta:
        verbose_name = _("refresh token")
        verbose_name_plural = _("refresh tokens")
        constraints = (models.UniqueConstraint(fields=("token_checksum",), name="oauth_refresh_token_once"),)
        indexes = (
            models.Index(fields=("token_family",), name="oauth_refresh_token_family"),
            models.Index(fields=("revoked",), name="oauth_refresh_token_revoked"),
        )
