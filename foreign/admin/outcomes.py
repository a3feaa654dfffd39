"""How the reading of a server's tools went, in words; docs/tools.md has what each code means."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.problems import Problem

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
    "redirect": _("it leads to another address: enter that one"),
    "unauthorized": _("it does not let us in by this credential"),
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


def told_server_problem(problem: Problem) -> str:
    """Why a server cannot be asked; of another problem its own sentence."""
    reason = str(problem.extra.get("reason", ""))
    return f"{problem.detail} – {OUTCOMES[reason]}" if reason in OUTCOMES else str(problem.detail)
