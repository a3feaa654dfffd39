"""The page of a request that failed: 503 where the database does not answer, 500 where we made a mistake."""

import sys

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.views.defaults import server_error

from accounts.problems import is_outage


def failed(request: HttpRequest) -> HttpResponseBase:
    """Django's `handler500`, called while the exception is being handled.

    Rendered without the request: what pages know of their reader would be asked of the database that is away.
    """
    if is_outage(sys.exception()):
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "5"})
    return server_error(request)
