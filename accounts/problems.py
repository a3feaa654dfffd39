"""Errors as RFC 9457 problems: one shape and stable codes for every endpoint (API.md, docs/errors.md)."""

import logging
import secrets
from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.settings import api_settings

from config.faults import describe_error
from config.observability.correlation import current_correlation
from config.observability.disk import database_disk

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
AsyncView = Callable[..., Coroutine[Any, Any, HttpResponseBase]]


class Problem(exceptions.APIException):
    """An expected failure with a stable code. Subclasses fix status, code and sentence."""

    status_code: int = status.HTTP_400_BAD_REQUEST
    code = "invalid_input"
    default_detail = gettext_lazy("The request is not valid.")

    def __init__(self, detail: str | None = None, headers: dict[str, str] | None = None, **extra: Any) -> None:
        super().__init__(detail or str(self.default_detail), self.code)
        self.headers = headers or {}
        self.extra = extra


class Malformed(Problem):
    code = exceptions.ParseError.default_code
    default_detail = gettext_lazy("Malformed request.")  # as DRF says it, and translates it


class UnsupportedMediaType(Problem):
    status_code = status.HTTP_415_UNSUPPORTED_MEDIA_TYPE
    code = exceptions.UnsupportedMediaType.default_code
    default_detail = gettext_lazy("The body must be JSON: send it with 'Content-Type: application/json'.")


class BodyTooLarge(Problem):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"
    default_detail = gettext_lazy("The request is larger than the 1 MB that this server takes. Send less at a time.")


class FileTooLarge(Problem):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    code = "file_too_large"
    default_detail = gettext_lazy(
        "The request is larger than this server takes. Split the file, or ask for a higher limit."
    )


class HeadTooLarge(Problem):
    status_code = status.HTTP_431_REQUEST_HEADER_FIELDS_TOO_LARGE
    code = "headers_too_large"
    default_detail = gettext_lazy("The request's headers are larger than 32 KB. Delete this site's cookies.")


class AddressTooLong(Problem):
    status_code = status.HTTP_414_REQUEST_URI_TOO_LONG
    code = "address_too_long"
    default_detail = gettext_lazy("The address has more than 8 KB. Send what is so long in the body.")


class TooSlow(Problem):
    status_code = status.HTTP_408_REQUEST_TIMEOUT
    code = "request_timeout"
    default_detail = gettext_lazy("The request did not arrive within 30 seconds. Try again on a better connection.")


class NotFound(Problem):
    status_code = status.HTTP_404_NOT_FOUND
    code = "not_found"
    default_detail = gettext_lazy("There is nothing here that you can see.")


class AdminRequired(Problem):
    status_code = status.HTTP_403_FORBIDDEN
    code = "admin_required"
    default_detail = gettext_lazy("Only an admin of the organization may do this.")


class Unauthenticated(Problem):
    status_code = status.HTTP_401_UNAUTHORIZED
    code = "not_authenticated"
    default_detail = gettext_lazy("Sign in, or send an API key as 'Authorization: Bearer …'.")


class MethodNotAllowed(Problem):
    status_code = status.HTTP_405_METHOD_NOT_ALLOWED
    code = "method_not_allowed"
    default_detail = gettext_lazy("This address does not take that method.")


class QuotaExceeded(Problem):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    code = "quota_exceeded"
    default_detail = gettext_lazy("The quota is used up. Try again later.")


class HttpsRequired(Problem):
    status_code = status.HTTP_403_FORBIDDEN
    code = "https_required"
    default_detail = gettext_lazy("Use https: a key or a session must not travel in the open.")


class InternalError(Problem):
    status_code = status.HTTP_500_INTERNAL_SERVER_ERROR
    code = "internal_error"
    default_detail = gettext_lazy("Something went wrong on our side. It has been logged; try again.")


class DatabaseUnavailable(Problem):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    code = "database_unavailable"
    default_detail = gettext_lazy("The database does not answer. Try again in a moment.")


class DatabaseFull(Problem):
    status_code = status.HTTP_507_INSUFFICIENT_STORAGE
    code = "storage_full"
    default_detail = gettext_lazy("The disk of the database is full. Nothing was kept; tell your administrator.")


class DatabaseNotWritten(DatabaseUnavailable):
    default_detail = gettext_lazy(
        "The disk of the database fails or takes no writes. Nothing was kept; tell your administrator."
    )


class Busy(Problem):
    """Every connection to a database that answers is lent out: ours is too much at once, and it passes by itself."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    code = "busy"

    def __init__(self) -> None:
        seconds = 2 + secrets.randbelow(5)  # whoever is refused at once does not come back at once
        detail = _("Too much is going on at once. Try again in %(seconds)d seconds.") % {"seconds": seconds}
        super().__init__(detail, headers={"Retry-After": str(seconds)})


def answering_problems(view: AsyncView) -> AsyncView:
    """For asynchronous views, which DRF does not serve: expected failures become problem responses."""

    @wraps(view)
    async def answered(*args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return await view(*args, **kwargs)
        except Exception as error:
            if (problem := problem_for(error)) is None:
                raise
            return problem_response(problem)

    return answered


def body_of(status_code: int, code: str, detail: str, **extra: Any) -> dict[str, Any]:
    request_id = current_correlation().request_id
    return {
        "type": f"urn:acervo:problem:{code}",
        "title": pgettext("title of a problem", code.replace("_", " ").capitalize()),
        "status": status_code,
        "detail": detail,
        "code": code,
        **({"request_id": request_id} if request_id else {}),
        **extra,
    }


def problem_response(problem: Problem) -> JsonResponse:
    """The same answer for views that are not DRF's: the async ones."""
    body = body_of(problem.status_code, problem.code, str(problem.detail), **problem.extra)
    response = JsonResponse(body, status=problem.status_code, headers=problem.headers, content_type=CONTENT_TYPE)
    if problem.status_code == status.HTTP_401_UNAUTHORIZED:
        response.headers.setdefault("WWW-Authenticate", "Bearer")
    return response


def problem_for(error: Exception) -> Problem | None:
    """What a caller is told of an error, whichever kind of view raised it; None for what nobody expected.

    A database that is away (503, worth another try) is told from a statement that it refuses (500, our mistake). Both
    are logged by type and place.
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, DatabaseError | InterfaceError):
        return database_problem(error)
    if isinstance(error, exceptions.ValidationError):
        return Problem(_("Some fields are not valid."), errors=error.detail)
    if isinstance(error, Http404 | exceptions.NotFound):
        return NotFound()
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return Unauthenticated()
    if isinstance(error, PermissionDenied | exceptions.PermissionDenied):
        return forbidden_problem(str(error)) if str(error) else AdminRequired()
    if isinstance(error, SuspiciousOperation):  # more bytes or more fields than Django parses
        return BodyTooLarge() if isinstance(error, RequestDataTooBig) else Problem()
    return None


def faults_in(detail: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The path of each invalid field, as in `messages.0.content`, and what is wrong with it."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            is_own = name == api_settings.NON_FIELD_ERRORS_KEY
            yield from faults_in(inner, path if is_own else f"{path}.{name}".removeprefix("."))
    else:
        yield from ((path, str(sentence)) for sentence in detail)


def told_faults(problem: Problem) -> list[str]:
    """The same of a problem, for a model to read: "top_k: …"."""
    faults = faults_in(problem.extra.get("errors") or {})
    return [f"{path}: {said}" if path else said for path, said in faults]


def is_outage(error: BaseException | None) -> bool:
    """Whether the database did not answer, in contrast to answering with a refusal."""
    return isinstance(error, OperationalError | InterfaceError)


def outage_problem(error: BaseException | None) -> Problem:
    """A database that is away, one whose disk is full or takes no writes, or one to which this process has no
    connection free (`accounts.tenancy.postgresql`)."""
    cause = error.__cause__ if error else None
    if getattr(cause, "is_exhausted", False):
        return Busy()
    disk = database_disk(cause)
    return {"": DatabaseUnavailable, "full": DatabaseFull}.get(disk, DatabaseNotWritten)()


def database_problem(error: DatabaseError | InterfaceError) -> Problem:
    if is_outage(error):
        problem = outage_problem(error)
        logger.error("%s: %s", problem.code, describe_error(error))
        return problem
    logger.error("the database refuses a statement: %s", describe_error(error))
    return InternalError()


def forbidden_problem(detail: str) -> Problem:
    problem = Problem(detail)
    problem.status_code, problem.code = status.HTTP_403_FORBIDDEN, "forbidden"
    return problem


def exception_handler(error: Exception, context: dict[str, Any]) -> HttpResponseBase | None:
    """DRF's EXCEPTION_HANDLER."""
    from rest_framework.views import exception_handler as drf_exception_handler  # imports this module's settings

    error = problem_for(error) or error
    response = drf_exception_handler(error, context)
    if response is None:
        return None
    headers = {name: value for name, value in response.items() if name != "Content-Type"}
    if isinstance(error, Problem):
        headers |= error.headers
    if response.status_code == status.HTTP_401_UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    # JSON whatever was asked for: the schema would be refused in YAML otherwise.
    body = problem_body(error, response)
    return JsonResponse(body, status=response.status_code, headers=headers, content_type=CONTENT_TYPE)


def problem_body(error: Exception, response: Response) -> dict[str, Any]:
    if isinstance(error, Problem):
        return body_of(response.status_code, error.code, str(error.detail), **error.extra)
    code = getattr(error, "default_code", "error")
    return body_of(response.status_code, code, str(getattr(error, "detail", "")))
