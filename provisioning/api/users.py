"""Users as SCIM says them, and what is taken from that: texts that can be shown, and one address."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from scim2_models import Context, PatchOp

from provisioning.api.schemas import POLICY, Email, Name, Resources
from provisioning.entries import DirectoryPerson
from provisioning.models import LONGEST_ID, LONGEST_NAME, DirectoryUser
from provisioning.problems import InvalidValue, TooMany

MOST_OPERATIONS = 50
MOST_PARTS = 600  # values of a body in one another: a user has some dozens
LONGEST_PATH = 150  # of what is changed: the library reads a path several times, at 0.1 ms a letter


def user_resource(entry: DirectoryUser) -> Resources.User:
    names = (entry.formatted_name, entry.family_name, entry.given_name)
    return Resources.User(
        user_name=entry.user_name,
        external_id=entry.external_id or None,
        display_name=entry.display_name or None,
        name=Name(formatted=names[0] or None, family_name=names[1] or None, given_name=names[2] or None)
        if any(names)
        else None,
        emails=[Email(value=entry.email, type="work", primary=True)],
        active=entry.opens,
    )


def person_in(body: dict[str, Any], context: Context, *, is_active: bool = True) -> DirectoryPerson:
    """Of a new user, or in the place of one, who `is_active` where that is not said."""
    check_parts(body)
    names = {name.lower() for name in body}
    given = {**body} if "active" in names else {**body, "active": is_active}
    user_name = next((value for name, value in body.items() if name.lower() == "username"), None)
    if "emails" not in names and isinstance(user_name, str) and "@" in user_name:
        given["emails"] = [{"value": user_name}]
    return person_by(Resources.User.model_validate(given, scim_ctx=context, scim_policy=POLICY))


def person_after(entry: DirectoryUser, body: dict[str, Any]) -> DirectoryPerson:
    """What `entry` says when the operations of the body are done."""
    check_parts(body)
    operations = by_small_name(body).get("operations")
    if isinstance(operations, list) and len(operations) > MOST_OPERATIONS:
        raise TooMany
    patch = PatchOp[Resources.User].model_validate(body, scim_ctx=Context.RESOURCE_PATCH_REQUEST, scim_policy=POLICY)
    resource = user_resource(entry)
    patch.patch(resource, scim_policy=POLICY)
    return person_by(resource)


def by_small_name(body: Any) -> dict[str, Any]:
    """By names in small letters: those of attributes are of any case (RFC 7643 §2.1). Raises InvalidValue for two."""
    found = {name.lower(): value for name, value in body.items()} if isinstance(body, dict) else {}
    if isinstance(body, dict) and len(found) != len(body):
        raise InvalidValue(_("An attribute is named once."))
    return found


def check_parts(body: Any) -> None:
    """Raises TooMany: what is small is patched in no time, whatever it says. Names may be paths as well."""
    waiting, parts = [body], 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict) and not all(len(name) <= LONGEST_PATH for name in (*one, _path_in(one))):
            raise TooMany
        inner = list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []
        parts += len(inner)
        if parts > MOST_PARTS:
            raise TooMany
        waiting += inner


def _path_in(operation: dict[str, Any]) -> str:
    path = by_small_name(operation).get("path")
    return path if isinstance(path, str) else ""


def person_by(user: Resources.User) -> DirectoryPerson:
    name = user.name or Name()
    return DirectoryPerson(
        user_name=exact_text("userName", user.user_name, LONGEST_ID),
        email=address_of(user.emails or []),
        external_id=exact_text("externalId", user.external_id, LONGEST_ID, needed=False),
        display_name=shown_text(user.display_name),
        formatted_name=shown_text(name.formatted),
        given_name=shown_text(name.given_name),
        family_name=shown_text(name.family_name),
        is_active=user.active is not False,
    )


def address_of(emails: list[Email]) -> str:
    """The primary one, else the first. Raises InvalidValue."""
    chosen = next((one for one in emails if one.primary), emails[0] if emails else Email())
    address = (chosen.value or "").strip().lower()
    try:
        validate_email(address)
        address.rpartition("@")[2].encode("idna")  # as who sends the mail does, which Django's check leaves out
    except (ValidationError, UnicodeError):
        raise InvalidValue(_("An email address is needed: among emails, or as userName.")) from None
    if not address.isprintable():
        raise InvalidValue(_("The email address has characters that nobody sees."))
    if len(address) > LONGEST_ID:
        raise InvalidValue(_("The email address is too long."))
    return address


def exact_text(name: str, text: str | None, longest: int, *, needed: bool = True) -> str:
    """What something is recognised by is taken as it is, or not at all."""
    text = text or ""
    if (needed and not text.strip()) or len(text) > longest or not text.isprintable():
        said = {"name": name, "longest": longest}
        raise InvalidValue(_("%(name)s has 1 to %(longest)d characters that can be printed.") % said)
    return text


def shown_text(text: str | None) -> str:
    """A name as it can be shown: without what controls or turns the text around it, and no longer than is kept."""
    return "".join(one for one in (text or "")[: 2 * LONGEST_NAME] if one.isprintable()).strip()[:LONGEST_NAME]
