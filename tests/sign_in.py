"""Signing in over HTTP as a browser does, without one."""

from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener


def sign_in(url: str, email: str, password: str) -> tuple[int, bool]:
    """The status of the sign-in form's last answer, and whether there is a session now."""
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    form = f"{url}/accounts/login/"
    opener.open(form, timeout=20).close()
    token = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
    fields = {"login": email, "password": password, "csrfmiddlewaretoken": token or ""}
    try:
        with opener.open(Request(form, urlencode(fields).encode()), timeout=20) as answer:
            status = int(answer.status)
    except HTTPError as refusal:
        status = refusal.code
    return status, any(cookie.name == "sessionid" for cookie in jar)
