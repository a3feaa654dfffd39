"""SCIM's resources, of which a part is kept: what is not declared here is accepted and forgotten.

`scim2_models` validates, patches and describes them (RFC 7643, RFC 7644). Attributes are the RFC's.
"""

from typing import Annotated, Any

from pydantic import Field
from scim2_models import (
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    ComplexAttribute,
    ETag,
    Filter,
    Mutability,
    Patch,
    Reference,
    Required,
    Resource,
    ResourceType,
    Schema,
    ScimPolicy,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)
from scim2_models.urn import URN

# As Entra ID departs from the RFC: values that select what is removed, entries that a filter describes.
POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
MOST_LISTED = 100  # resources of one answer


class Name(ComplexAttribute):
    formatted: str | None = None
    family_name: str | None = None
    given_name: str | None = None


class Email(ComplexAttribute):
    value: Annotated[str | None, Required.true] = None
    type: str | None = None
    primary: bool | None = None


class Resources:
    """Of the name that the RFC gives it, which another class has in this house."""

    class User(Resource[Any]):
        __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

        user_name: Annotated[str | None, Required.true, Uniqueness.server] = None
        name: Name | None = None
        display_name: str | None = None
        emails: Annotated[list[Email] | None, Required.true] = None
        active: Annotated[bool | None, Required.true] = None


class Member(ComplexAttribute):
    """Users alone: groups in groups are not kept."""

    value: Annotated[str | None, Mutability.immutable, Required.true] = None
    ref: Annotated[Reference[Resources.User] | None, Mutability.immutable] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=["User"])
    display: Annotated[str | None, Mutability.read_only] = None


class Group(Resource[Any]):
    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true] = None
    members: list[Member] | None = None


MODELS: dict[str, type[Resource[Any]]] = {"Users": Resources.User, "Groups": Group}


def service_provider_config() -> ServiceProviderConfig:
    return ServiceProviderConfig(
        patch=Patch(supported=True),
        bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
        filter=Filter(supported=True, max_results=MOST_LISTED),
        change_password=ChangePassword(supported=False),
        sort=Sort(supported=False),
        etag=ETag(supported=False),
        authentication_schemes=[
            AuthenticationScheme(
                type=AuthenticationScheme.Type.oauthbearertoken,
                name="Token of a directory",
                description="Made by an organization's admins, sent as a bearer token.",
                primary=True,
            )
        ],
    )


def resource_types() -> dict[str, ResourceType]:
    return {model.__name__: ResourceType.from_resource(model) for model in MODELS.values()}


def schemas() -> dict[str, Schema]:
    return {str(model.__schema__): model.to_schema() for model in MODELS.values()}
