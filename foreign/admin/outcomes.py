"""How the reading of a server's tools went, in words; docs/tools.md has what each code means."""

from urllib.parse import urljoin

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.problems import Problem
from foreign.definitions import clipped_line
from foreign.models import ToolServer
from foreign.problems import ServerUnusable

LONGEST_SHOWN = 200  # of an address that a server leads to
OUTCOMES: dict[str, Promise] = {
    "ok": _("its tools were read"),
    "not_allowed": _("its host is not among those that the installation allows; whoever runs it can allow it"),
    "private": _("its host leads into a network that the installation does not allow"),
    "unknown": _("its host has no address"),
    "no_url": _("its address is none that can be asked"),
    "not_encrypted": _("its address must begin with https://"),
    "port": _("its port is not allowed"),
    "no_credential": _("its credential must be written again"),
    "certificate": _("its certificate cannot be proved"),
    "redirect": _("it leads to another address: enter the one where its tools are"),
    "unauthorized": _("it does not let us in: its credential is missing, or is not the right one"),
    "protocol": _("it speaks no revision of the protocol that is spoken here"),
    "unreachable": _("nobody answers there"),
    "timeout": _("it took too long"),
    "status": _("it answered with an error"),
    "too_much": _("it answered more than is read"),
    "no_http": _("what answers there is no web server"),
    "no_mcp": _("what it answers is not the Model Context Protocol"),
    "refused": _("it has refused to tell its tools"),
    "resting": _("it failed three times just now; try again in a few seconds"),
}
UNUSABLE: dict[str, Promise] = {"schema": _("its arguments cannot be checked here")}


def reading_in_words(code: str) -> str:
    return str(OUTCOMES.get(code, _("it could not be asked; try again later"))) if code else "–"


def told_server_problem(problem: Problem, server: ToolServer) -> str:
    """Why a server cannot be asked, to whoever keeps it; of another problem its own sentence."""
    reason = str(problem.extra.get("reason", ""))
    if reason not in OUTCOMES:
        return str(problem.detail)
    said = str(_("The tool server cannot be asked: %(why)s.") % {"why": OUTCOMES[reason]})
    elsewhere = isinstance(problem, ServerUnusable) and _address_shown(server.url, problem.elsewhere)
    return f"{said} {_('It leads to:')} {elsewhere}" if elsewhere else said


def _address_shown(url: str, elsewhere: str) -> str:
    """Where a redirect leads; empty for what is no address, or more than is shown."""
    try:
        address = urljoin(url, elsewhere) if elsewhere else ""
    except ValueError:
        return ""
    is_plain = address.isprintable() and not {" ", "@"}.intersection(address)
    is_shown = (
        is_plain and len(address) <= LONGEST_SHOWN and address.isascii() and address.startswith(("https://", "http://"))
    )
    return clipped_line(address, LONGEST_SHOWN) if is_shown else ""
