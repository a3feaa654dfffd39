"""The body of a request outside DRF."""

from typing import Any

import orjson
from django.http import HttpRequest

from accounts.problems import Problem


def json_body(request: HttpRequest) -> Any:
    """The request's JSON; a 400 problem when it is none."""
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError:
        raise Problem("The body is not JSON.") from None
