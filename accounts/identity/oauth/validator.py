"""What django-oauth-toolkit asks and keeps, with each code and token bound to a member's grant.

oauthlib checks the protocol; its `request` carries what was found from one question to the next.
"""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.settings import oauth2_settings

from accounts.identity.oauth.grants import has_exchanged_enough
from accounts.identity.oauth.rows import OAuthAccessToken, OAuthCode, OAuthGrant, OAuthRefreshToken
from accounts.keys import digest


class Validator(OAuth2Validator):  # type: ignore[misc]  # the toolkit ships no type information
    def client_authentication_required(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Programs on people's machines keep no secret, so none has one: PKCE proves who asked for the code."""
        return False

    def validate_grant_type(
        self, client_id: str, grant_type: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """oauthlib lets `openid` come this far, which the toolkit asserts that nobody sends."""
        return grant_type in ("authorization_code", "refresh_token")

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """The code's row stays locked until the request ends: of two exchanges at once the second finds none."""
        found = OAuthCode.objects.select_for_update(of=("self",)).filter(code=code, application=client)
        held = found.select_related("grant__membership__user").first()
        if held is None or not held.grant.membership.is_usable:
            return False
        request.grant = held.grant
        return bool(super().validate_code(client_id, code, client, request, *args, **kwargs))

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """One that was used before ends every token that came of the same code (the toolkit's reuse protection). Its
        row stays locked, so that of two at once the second was used before."""
        checksum = digest(refresh_token)
        OAuthRefreshToken.objects.select_for_update(of=("self",)).filter(token_checksum=checksum).first()
        if not super().validate_refresh_token(refresh_token, client, request, *args, **kwargs):
            return False
        request.grant = request.refresh_token_instance.grant
        return bool(request.grant.membership.is_usable and not has_exchanged_enough(request.grant))

    def _create_authorization_code(self, request: Any, code: dict[str, str], expires: Any = None) -> OAuthCode:
        lifetime = timedelta(seconds=oauth2_settings.AUTHORIZATION_CODE_EXPIRE_SECONDS)
        return OAuthCode.objects.create(
            application=request.client,
            user=request.user,
            grant=request.grant,
            code=code["code"],
            expires=timezone.now() + lifetime,
            redirect_uri=request.redirect_uri,
            scope=" ".join(request.scopes),
            code_challenge=request.code_challenge,
            code_challenge_method=request.code_challenge_method,
            resource=request.resource,
        )

    def _create_access_token(
        self, expires: Any, request: Any, token: dict[str, str], source_refresh_token: Any = None
    ) -> OAuthAccessToken:
        grant: OAuthGrant = request.grant
        made = OAuthAccessToken(
            user=request.user,
            grant=grant,
            scope=token["scope"],
            expires=expires,
            application=request.client,
            source_refresh_token=source_refresh_token,
            resource=request.resource,
        )
        self._set_token_value(made, token["access_token"])
        made.save()
        return made

    def _create_refresh_token(
        self, request: Any, refresh_token_code: str, access_token: Any, previous_refresh_token: Any
    ) -> OAuthRefreshToken:
        made = OAuthRefreshToken(
            user=request.user,
            grant=request.grant,
            application=request.client,
            access_token=access_token,
            token_family=previous_refresh_token.token_family if previous_refresh_token else uuid4(),
            resource=request.resource,
        )
        self._set_token_value(made, refresh_token_code)
        made.save()
        return made
