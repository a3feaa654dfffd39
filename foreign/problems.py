"""What calls of foreign tools, and admins who keep their servers, are refused with (docs/errors.md)."""

from django.utils.translation import gettext_lazy as _

from accounts.problems import Problem


class ServerUnavailable(Problem):
    """It does not answer now, or nothing that can be read. `reason` is a word: unreachable, timeout, status, too_much,
    no_http, no_mcp, resting."""

    status_code = 503
    code = "tool_server_unavailable"
    default_detail = _("The tool server cannot be asked now. An admin sees why by reading its tools.")


class ServerUnusable(Problem):
    """It cannot be asked as it is set up. `reason` is one of SET_UP. `elsewhere` is where a redirect leads, untrusted:
    for its admins, and not among what is answered."""

    elsewhere = ""

    status_code = 409
    code = "tool_server_unusable"
    default_detail = _("The tool server cannot be asked as it is set up. An admin sees why by reading its tools.")


SET_UP = frozenset({
    "not_allowed", "private", "unknown", "no_url", "not_encrypted", "port", "no_credential", "certificate", "redirect",
    "unauthorized", "protocol",
})  # fmt: skip


def problem_of_server(reason: str, elsewhere: str = "") -> ServerUnavailable | ServerUnusable:
    if reason not in SET_UP:
        return ServerUnavailable(reason=reason)
    problem = ServerUnusable(reason=reason)
    problem.elsewhere = elsewhere if reason == "redirect" else ""
    return problem


class ArgumentsRefused(Problem):
    """`reason` says in English what does not meet the tool's schema: a model corrects itself by it."""

    status_code = 400
    code = "arguments_refused"
    default_detail = _("The arguments do not meet the tool's schema.")


class ToolFailed(Problem):
    """`reason` is what the server says: untrusted text, cleaned and cut."""

    status_code = 400
    code = "tool_failed"
    default_detail = _("The tool says that it failed.")


class ToolChanged(Problem):
    status_code = 409
    code = "tool_changed"
    default_detail = _("The tool is no longer what an admin has chosen. It is not called before an admin looks at it.")


class ServerNameTaken(Problem):
    status_code = 409
    code = "tool_server_name_taken"
    default_detail = _("Another tool server of the organization has this name.")


class ServersFull(Problem):
    status_code = 409
    code = "tool_servers_full"
    default_detail = _("There is no room for another tool server. Delete one first.")
