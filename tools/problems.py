"""What a data source and a query are refused with (docs/errors.md)."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.problems import FileTooLarge, Problem
from config.faults import Refusal


def told_refusal(refusal: Refusal) -> str:
    """In the language of whoever asked."""
    values = {name: told_refusal(one) if isinstance(one, Refusal) else one for name, one in refusal.values.items()}
    told = gettext(refusal.said)
    return told % values if values else told


class SqlNotAllowed(Problem):
    """`reason` says what is not allowed, in the language of whoever asked; a model corrects itself by it."""

    status_code = 400
    code = "sql_refused"
    default_detail = _("This statement is not allowed. Write one SELECT over the tables that may be read.")


class StatementFailed(Problem):
    status_code = 400
    code = "query_failed"
    default_detail = _("The data source refuses this statement.")


class QueryTooSlow(Problem):
    status_code = 400
    code = "query_timeout"
    default_detail = _("The statement takes too long. Ask for less: fewer rows, a narrower time.")


class QueryTooBig(Problem):
    status_code = 400
    code = "query_too_large"
    default_detail = _("The statement needs too much memory. Ask for less at a time.")


class RecordsRefused(Problem):
    """`reason` says what cannot be asked for, and what can; a model corrects itself by it."""

    status_code = 400
    code = "records_refused"
    default_detail = _("Records cannot be asked for in this way.")


class UnknownName(Problem):
    """`reason` says which names there are, of what the caller may ask for: a model corrects itself by it."""

    status_code = 400
    code = "unknown_name"
    default_detail = _("There is no metric or dimension of this name.")


class MetricUnusable(Problem):
    status_code = 400
    code = "not_measurable"
    default_detail = _("The metric cannot be asked for in this way.")


class HistoryTooShort(Problem):
    """`reason` says how much there is and how much is needed."""

    status_code = 400
    code = "history_too_short"
    default_detail = _("The metric's history does not bear this.")


class AnalysisFailed(Problem):
    status_code = 400
    code = "analysis_failed"
    default_detail = _("The series cannot be computed in the time and memory that there are. Ask for longer periods.")


class SourceUnavailable(Problem):
    """It does not answer now. `reason` is a word: unreachable, denied, certificate, refused, no_answer,
    limited, resting, busy."""

    status_code = 503
    code = "source_unavailable"
    default_detail = _("The data source cannot be asked now. An admin sees why by checking it.")


class SourceUnusable(Problem):
    """It cannot be asked as it is set up. `reason` is one of SET_UP."""

    status_code = 409
    code = "source_unusable"
    default_detail = _("The data source cannot be asked as it is set up. An admin sees why by checking it.")


SET_UP = frozenset({
    "not_allowed", "private", "unknown", "too_powerful", "no_credentials", "no_file", "not_a_database",
    "unreadable_file", "no_database", "no_bucket",
})  # fmt: skip


def problem_of_source(reason: str) -> SourceUnavailable | SourceUnusable:
    return SourceUnusable(reason=reason) if reason in SET_UP else SourceUnavailable(reason=reason or "unreachable")


def outcome_of(problem: Problem) -> str:
    """As it is noted at the source that was checked."""
    return str(problem.extra.get("reason") or problem.code)[:40]


class SourceNameTaken(Problem):
    status_code = 409
    code = "source_name_taken"
    default_detail = _("Another data source of the organization has this name.")


class SourcesFull(Problem):
    status_code = 409
    code = "sources_full"
    default_detail = _("There is no room for another one. Delete a data source, a file or a table first.")


class FileUnusable(Problem):
    status_code = 422
    code = "source_file_unusable"
    default_detail = _(
        "This file does not fit this data source: CSV, TSV, Parquet or XLSX for tables, one SQLite file for SQLite."
    )


class FileUnreadable(FileUnusable):
    default_detail = _("This file cannot be read: it is damaged, or it is not what it begins like.")


class FilesOfBucket(FileUnusable):
    default_detail = _("The files of this data source lie in its bucket: add and remove them there.")


class WorkbookTooLarge(FileTooLarge):
    default_detail = _("The workbook has more in it than is read here. Save its sheets as CSV or Parquet files.")
