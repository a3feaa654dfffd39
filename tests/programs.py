"""A program that wants in by OAuth, and the person at the browser who lets it: over HTTP, step by step."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

from django.test import Client
from django.utils import timezone
from oauth2_provider.models import set_token_value

from accounts.identity.oauth import grants, registration
from accounts.identity.oauth.rows import OAuthAccessToken, OAuthGrant, OAuthRefreshToken
from accounts.models import Membership
from tests.people import signed_in

HERE = "http://testserver"
RESOURCE = f"{HERE}/mcp"
CALLBACK = "http://127.0.0.1:7777/callback"


def challenge_of(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


@dataclass
class Program:
    """One that has registered; its browser is opened for it by the person."""

    id: str
    callback: str = CALLBACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    state: str = "of-the-program"
    http: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))

    @classmethod
    def registered(cls, **said: Any) -> "Program":
        answer = register(redirect_uris=[CALLBACK], client_name="Editor", **said)
        assert answer.status_code == 201, answer.content
        return cls(answer.json()["client_id"])

    def asked(self, **changes: str | None) -> str:
        """The address that it opens in the browser."""
        said = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.callback,
            "state": self.state,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "scope": "mcp",
            "resource": RESOURCE,
            **changes,
        }
        return "/oauth/authorize?" + urlencode({name: value for name, value in said.items() if value is not None})

    def answered(self, by: Membership, answer: str = "allow", **changes: str | None) -> dict[str, str]:
        """What the person's answer brings to the callback."""
        form = {"answer": answer, "organization": str(by.pk)}
        response = signed_in(by).post(self.asked(**changes), form)
        assert response.status_code == 302, response.content
        assert response["Location"].startswith(self.callback + "?")
        return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}

    def exchanged(self, code: str, **changes: str) -> Any:
        said = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.callback,
            "client_id": self.id,
            "code_verifier": self.verifier,
            "resource": RESOURCE,
            **changes,
        }
        return self.http.post("/oauth/token", said)

    def refreshed(self, token: str, **changes: str) -> Any:
        said = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.id, **changes}
        return self.http.post("/oauth/token", said)

    def let_in(self, by: Membership) -> dict[str, Any]:
        """The tokens, after everything went well."""
        answer = self.exchanged(self.answered(by)["code"])
        assert answer.status_code == 200, answer.content
        return dict(answer.json())


def let_in(by: Membership, name: str) -> OAuthGrant:
    """A member's program as a row, with a token that can still be exchanged."""
    client = registration.register_program({"redirect_uris": [CALLBACK], "client_name": name})
    grant = grants.let_in(by, client)
    common = {"grant": grant, "user": by.user, "application": client, "resource": [RESOURCE]}
    access = OAuthAccessToken(expires=timezone.now() + timedelta(hours=1), scope="mcp", **common)
    refresh = OAuthRefreshToken(access_token=access, token_family=uuid4(), **common)
    for token in (access, refresh):
        set_token_value(token, secrets.token_urlsafe(32))
        token.save()
    return grant


def register(**said: Any) -> Any:
    body = json.dumps(said)
    return Client(enforce_csrf_checks=True).post("/oauth/register", body, content_type="application/json")


def list_tools(secret: str) -> Any:
    """`/mcp` asked with an access token."""
    said = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    return Client(enforce_csrf_checks=True).post(
        "/mcp", json.dumps(said), content_type="application/json", headers={"Authorization": f"Bearer {secret}"}
    )
