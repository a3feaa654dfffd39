"""What a directory is refused with; `scim_type` is RFC 7644's keyword (§3.12), where it has one."""

from django.utils.translation import gettext_lazy as _

from accounts.problems import Problem


class InvalidValue(Problem):
    scim_type = "invalidValue"


class InvalidFilter(Problem):
    scim_type = "invalidFilter"
    default_detail = _("Filters take eq and and, on userName, externalId, emails.value, displayName, active and id.")


class TooMany(Problem):
    scim_type = "tooMany"
    default_detail = _("That is more at once than is taken.")


class Taken(Problem):
    """Within the organization: of others nothing is told."""

    status_code = 409
    code = "already_member"
    scim_type = "uniqueness"
    default_detail = _("The directory has somebody of this userName or address already.")


class NotOffered(Problem):
    """Searching by POST, and an address of the caller's own: RFC 7644 leaves both to the server."""

    status_code = 501
    code = "not_offered"
    default_detail = _("This server does not offer that.")


class DirectoryFull(Problem):
    status_code = 409
    code = "directory_full"
    default_detail = _("There is no room for more users, groups or tokens of the directory.")
