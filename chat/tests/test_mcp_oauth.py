"""`/mcp` by OAuth, as the official client does it all by itself: found, registered, let in, asked and refreshed."""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from django.core.cache import cache
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from accounts.identity.oauth.grants import end_grant
from accounts.identity.oauth.registration import register_program
from accounts.identity.oauth.rows import OAuthAccessToken, OAuthClient, OAuthGrant
from accounts.models import Membership
from accounts.tenancy.scope import system_scope
from config.concurrency.threads import in_thread
from tests.library import ABOUT_LOANS, Library
from tests.live import Caller, LiveServer
from tests.programs import Program

pytestmark = pytest.mark.django_db(transaction=True)
CALLBACK = "http://127.0.0.1:7777/callback"


class Memory(TokenStorage):
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """Who has the program's address opened in the browser, and answers there."""

    def __init__(self, browser: Caller, membership: Membership, answer: str = "allow") -> None:
        self.browser, self.form = browser, {"organization": str(membership.pk), "answer": answer}
        self.opened = 0

    async def open(self, address: str) -> None:
        self.opened += 1
        parts = urlsplit(address)
        asked = f"{parts.path}?{parts.query}"
        page = await in_thread(self.browser.call, "GET", asked)
        assert page.status == 200, page.body
        form = httpx2.QueryParams(self.form)
        kind = "application/x-www-form-urlencoded"
        self.answer = await in_thread(
            lambda: self.browser.call("POST", asked, str(form).encode(), **{"Content-Type": kind})
        )

    async def come_back(self) -> AuthorizationCodeResult:
        address = self.answer.headers["location"]
        assert address.startswith(CALLBACK)
        said = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert "error" not in said, said
        return AuthorizationCodeResult(code=said["code"], state=said["state"], iss=said["iss"])


@system_scope()
def registered(addresses: list[str]) -> OAuthClient:
    return register_program({"redirect_uris": addresses, "client_name": "Editor"})


def provider(server: LiveServer, person: Person, memory: Memory) -> OAuthClientProvider:
    return OAuthClientProvider(
        server_url=f"http://127.0.0.1:{server.port}/mcp",
        client_metadata=OAuthClientMetadata(client_name="The official client", redirect_uris=[CALLBACK]),
        storage=memory,
        redirect_handler=person.open,
        callback_handler=person.come_back,
    )


@pytest.fixture
def ask(server: LiveServer) -> Callable[..., Any]:
    cache.clear()

    async def asked(person: Person, memory: Memory, tool: str, **arguments: Any) -> Any:
        async with (
            httpx2.AsyncClient(auth=provider(server, person, memory), timeout=30) as http,
            Client(streamable_http_client(f"http://127.0.0.1:{server.port}/mcp", http_client=http)) as client,
        ):
            tools = {one.name for one in (await client.list_tools()).tools}
            assert tool in tools
            return await client.call_tool(tool, arguments)

    return asked


async def test_the_official_client_is_let_in_and_asks(
    ask: Callable[..., Any], server: LiveServer, library: Library
) -> None:
    person, memory = Person(await in_thread(server.by_session, library.bob), library.bob), Memory()
    found = await ask(person, memory, "retrieve", query=ABOUT_LOANS, agent="researcher")
    assert not found.is_error, found
    assert found.structured_content["chunks"]
    assert person.opened == 1
    grant = await in_thread(lambda: OAuthGrant.objects.select_related("client", "membership").get())
    assert grant.membership == library.bob
    assert grant.client.name == "The official client"


async def test_it_comes_back_without_the_person_and_refreshes_by_itself(
    ask: Callable[..., Any], server: LiveServer, library: Library
) -> None:
    person, memory = Person(await in_thread(server.by_session, library.bob), library.bob), Memory()
    await ask(person, memory, "retrieve", query=ABOUT_LOANS, agent="researcher")
    first = memory.tokens
    assert first is not None
    async with httpx2.AsyncClient(timeout=30) as http:
        said = {
            "grant_type": "refresh_token",
            "refresh_token": first.refresh_token,
            "client_id": memory.client.client_id,
        }
        renewed = await http.post(f"http://127.0.0.1:{server.port}/oauth/token", data=said)
    memory.tokens = OAuthToken.model_validate_json(renewed.content)
    assert memory.tokens.access_token != first.access_token
    await ask(person, memory, "retrieve", query=ABOUT_LOANS, agent="researcher")
    assert person.opened == 1


async def test_of_two_who_bring_the_same_at_once_one_is_given_something(server: LiveServer, library: Library) -> None:
    """A code, then a refresh token: whoever stole one is as fast as who it was for."""
    here, person = (
        f"http://127.0.0.1:{server.port}",
        Person(await in_thread(server.by_session, library.bob), library.bob),
    )
    cache.clear()
    program = Program(
        (await in_thread(registered, [CALLBACK])).client_id, callback=CALLBACK, verifier="of-the-program-" + "x" * 40
    )
    await person.open(here + program.asked(resource=f"{here}/mcp"))
    said = {
        "grant_type": "authorization_code", "code": (await person.come_back()).code, "redirect_uri": CALLBACK,
        "client_id": program.id, "code_verifier": program.verifier,
    }  # fmt: skip
    async with httpx2.AsyncClient(timeout=30) as http:
        answers = await asyncio.gather(*(http.post(f"{here}/oauth/token", data=said) for _ in range(4)))
        assert sorted(one.status_code for one in answers) == [200, 400, 400, 400]
        (given,) = (one.json() for one in answers if one.status_code == 200)
        said = {"grant_type": "refresh_token", "refresh_token": given["refresh_token"], "client_id": program.id}
        answers = await asyncio.gather(*(http.post(f"{here}/oauth/token", data=said) for _ in range(4)))
    assert sorted(one.status_code for one in answers) == [200, 400, 400, 400]
    assert not await in_thread(OAuthAccessToken.objects.exists), "it was used twice: nothing of it is left"


async def test_each_sees_what_is_theirs(ask: Callable[..., Any], server: LiveServer, library: Library) -> None:
    """A stranger's program finds nothing of this organization, not even the agent."""
    stranger = library.carla
    person = Person(await in_thread(server.by_session, stranger), stranger)
    found = await ask(person, Memory(), "retrieve", query=ABOUT_LOANS, agent="researcher")
    assert found.is_error or not found.structured_content["chunks"]


async def test_who_was_shut_out_has_to_ask_again(ask: Callable[..., Any], server: LiveServer, library: Library) -> None:
    person, memory = Person(await in_thread(server.by_session, library.bob), library.bob), Memory()
    await ask(person, memory, "retrieve", query=ABOUT_LOANS, agent="researcher")
    await in_thread(lambda: end_grant(OAuthGrant.objects.get(), library.bob))
    await ask(person, memory, "retrieve", query=ABOUT_LOANS, agent="researcher")
    assert person.opened == 2
