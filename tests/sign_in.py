"""Signing in over HTTP as a browser does, without one."""

from collections.abc import Mapping
from http.cookiejar import CookieJar
from ssl import SSLContext
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPSHandler, Request, build_opener


def sign_in(
    url: str, email: str, password: str, headers: Mapping[str, str] | None = None, tls: SSLContext | None = None
) -> tuple[int, bool]:
    """The status of the sign-in form's last answer, and whether there is a session now. `headers` go with both."""
    jar, sent = CookieJar(), dict(headers or {})
    opener = build_opener(HTTPCookieProcessor(jar), HTTPSHandler(context=tls))
    form = f"{url}/accounts/login/"
    opener.open(Request(form, headers=sent), timeout=20).close()
    token = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
    fields = {"login": email, "password": password, "csrfmiddlewaretoken": token or ""}
    try:
        with opener.open(Request(form, urlencode(fields).encode(), sent), timeout=20) as answer:
            status = int(answer.status)
    except HTTPError as refusal:
        status = refusal.code
    return status, any(cookie.name == "sessionid" for cookie in jar)
