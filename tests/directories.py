"""An organization's directory: what it sends, with a token that an admin made."""

from typing import Any

import orjson
from django.test import Client

from accounts.models import Membership, Organization
from provisioning.models import DirectoryGroup, DirectoryToken, DirectoryUser
from provisioning.tokens import issue_token

SCIM = "application/scim+json"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


def token_for(admin: Membership, name: str = "Entra ID") -> str:
    return issue_token(admin, DirectoryToken(organization=admin.organization, name=name))


def directory_user_of(member: Membership, **fields: Any) -> DirectoryUser:
    """The member as a directory has it: once."""
    values = {"user_name": member.user.email, "email": member.user.email, "display_name": member.user.name, **fields}
    whose = {"organization": member.organization, "membership": member}
    return DirectoryUser.objects.update_or_create(**whose, defaults=values)[0]


def directory_group_of(organization: Organization, name: str = "Librarians", *users: DirectoryUser) -> DirectoryGroup:
    group = DirectoryGroup.objects.create(organization=organization, display_name=name)
    group.users.add(*users)
    return group


class Directory:
    """Sends SCIM, as a directory's program does."""

    def __init__(self, token: str) -> None:
        self.client = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {token}"})

    def send(self, method: str, path: str, body: Any = None, kind: str = SCIM) -> Any:
        content = b"" if body is None else body if isinstance(body, bytes) else orjson.dumps(body)
        return self.client.generic(method, f"/scim/v2/{path}", content, content_type=kind)

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/scim/v2/{path}", query)

    def found(self, path: str, said: str) -> list[Any]:
        """What a filter finds."""
        answer = self.get(path, filter=said)
        assert answer.status_code == 200, answer.content
        resources: list[Any] = answer.json()["Resources"]
        return resources

    def patch(self, path: str, *operations: dict[str, Any]) -> Any:
        return self.send("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})

    def make_user(self, address: str, **fields: Any) -> Any:
        return self.send("POST", "Users", {"schemas": [USER], "userName": address, **fields})

    def make_group(self, name: str, *ids: str) -> Any:
        members = [{"value": one} for one in ids]
        return self.send("POST", "Groups", {"schemas": [GROUP], "displayName": name, "members": members})


def id_of(directory: Directory, member: Membership) -> str:
    (found,) = directory.found("Users", f'userName eq "{member.user.email}"')
    return str(found["id"])


def switch_off(directory: Directory, pk: str, way: str) -> Any:
    """Switched off as directories do it."""
    if way == "delete":
        return directory.send("DELETE", f"Users/{pk}")
    if way == "put":
        told = directory.get(f"Users/{pk}").json()
        return directory.send("PUT", f"Users/{pk}", {**told, "active": False})
    operation: dict[str, dict[str, Any]] = {
        "entra": {"op": "Replace", "path": "active", "value": "False"},
        "entra without a path": {"op": "Replace", "value": {"active": "False"}},
        "okta": {"op": "replace", "value": {"active": False}},
    }
    return directory.patch(f"Users/{pk}", operation[way])
