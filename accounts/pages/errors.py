"""What is answered to a request that no view answers: a page, or a problem where programs ask (docs/errors.md).

503 where the database does not answer, 507 where its disk is full, 500 where we made a mistake, 404 and 400 where the
address is at fault, 405 where the address of a form is opened as a page.
"""

import sys
from collections.abc import Awaitable, Callable

from asgiref.sync import markcoroutinefunction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import translation
from django.views import defaults

from accounts.problems import (
    Busy,
    DatabaseFull,
    DatabaseNotWritten,
    DatabaseUnavailable,
    InternalError,
    NotFound,
    Problem,
    is_outage,
    outage_problem,
    problem_response,
)

FOR_PROGRAMS = ("/api/", "/v1/")
SAID_BY: dict[type[Problem], str] = {
    DatabaseUnavailable: "503.html",
    DatabaseFull: "507.html",
    DatabaseNotWritten: "503_no_writes.html",
    Busy: "503_busy.html",
}
# Of what passes by itself; a busy process says its own, a disk waits for somebody.
SECONDS: dict[type[Problem], str] = {DatabaseUnavailable: "5"}


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Django's `handler500`, called while the exception is being handled.

    Rendered without the request: what pages know of their reader would be asked of the database that is away.
    """
    problem = outage_problem(sys.exception()) if is_outage(sys.exception()) else InternalError()
    if request.path.startswith(FOR_PROGRAMS):
        return problem_response(problem)
    if template := SAID_BY.get(type(problem)):
        waits = {"Retry-After": SECONDS[type(problem)]} if type(problem) in SECONDS else problem.headers
        return HttpResponse(render_to_string(template), status=problem.status_code, headers=waits)
    return defaults.server_error(request)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Django's `handler404`."""
    if request.path.startswith(FOR_PROGRAMS):
        return problem_response(NotFound())
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Django's `handler400`."""
    if request.path.startswith(FOR_PROGRAMS):
        return problem_response(Problem())
    return defaults.bad_request(request, exception)


class WrongMethodsInWords:
    """Django answers 405 without a word, and browsers show a page of their own, as if nobody were there."""

    sync_capable = False
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]) -> None:
        self.get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = await self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not request.path.startswith(FOR_PROGRAMS):
            with translation.override(getattr(request, "LANGUAGE_CODE", None)):
                response.content = render_to_string("405.html")
            response.headers["Content-Length"] = str(len(response.content))
        return response
