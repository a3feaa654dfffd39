"""How a check of a source went, in words; docs/tools.md has what each code means."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.problems import FileTooLarge, Problem
from tools.files.buckets import NOT_YET, NameTaken
from tools.models import DataSource
from tools.problems import FileUnusable, SourcesFull

OUTCOMES: dict[str, Promise] = {
    "ok": _("connected"),
    "not_allowed": _("its host is not among those that the installation allows; whoever runs it can allow it"),
    "private": _("its host leads into a network that the installation does not allow"),
    "unknown": _("its host has no address"),
    "too_powerful": _("its role may do too much: give it one that can only read"),
    "no_credentials": _("its user name and password must be written again"),
    "no_database": _("there is no database of this name, or its role sees nothing of it"),
    "no_bucket": _("there is no bucket of this name"),
    "no_file": _("it has no file yet"),
    "files_left_out": _("connected, but some of its files are left out"),
    "not_a_database": _("its file is no SQLite database"),
    "unreadable_file": _("one of its files cannot be read"),
    "unreachable": _("nobody answers there"),
    "denied": _("it answers, but does not let this user name and password in"),
    "certificate": _("its certificate does not prove the host"),
    "resting": _("it failed three times in a row and is not asked for a few seconds; try again"),
    "busy": _("this machine is busy; try again in a few seconds"),
    "refused": _("the server ended the connection"),
    "no_answer": _("it answers something else than such a service does"),
    "limited": _("it has been asked too often and wants to be left alone for a while"),
}


LEFT_OUT: dict[str, Promise] = {
    FileTooLarge.code: _("it is larger than an upload may be"),
    FileUnusable.code: _("it is no CSV, TSV, Parquet or XLSX file with tables, or cannot be read"),
    SourcesFull.code: _("there is no room for it among the files of your data sources"),
    NameTaken.code: _("another file is a table of this name"),
    NOT_YET: _("it is read the next time"),
}


def left_out_in_words(reason: str) -> str:
    """Why a file of a bucket is not read."""
    return str(LEFT_OUT[reason]) if reason in LEFT_OUT else outcome_in_words(reason)


def outcome_in_words(code: str) -> str:
    return str(OUTCOMES.get(code, _("it could not be asked; try again later"))) if code else "–"


def told_problem(problem: Problem, source: DataSource | None = None) -> str:
    """Why a source cannot be asked; of another problem its own sentence."""
    reason = str(problem.extra.get("reason", ""))
    if reason == "no_file" and source and source.kind == DataSource.Kind.BUCKET:
        return str(_("None of its files was read yet: that takes a minute after it was saved. Come back then."))
    if reason in OUTCOMES:
        return str(_("The data source cannot be asked: %(why)s.") % {"why": OUTCOMES[reason]})
    return str(problem.detail)
