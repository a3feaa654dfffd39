"""Other people's servers: which may be called at all (RELIABILITY R20), and how long one asks us to wait."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class EndpointNotAllowed(ValueError):
    """`detail` says why, in the language of who reads it."""

    def __init__(self, detail: str | Promise) -> None:
        super().__init__("a model endpoint that may not be called")
        self.detail = detail

    def __str__(self) -> str:
        return str(self.detail)


def allowed_endpoint(url: str) -> str:
    """The address without its trailing slash. Raises EndpointNotAllowed: HTTPS unless loopback or a host of
    MODEL_HOSTS, no user information.

    Only settings and an admin's allow-list reach this function, never a request. Redirects are refused where the
    connection is made, because an address can only be judged before it is called.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError as error:
        raise EndpointNotAllowed(_("The model's address is not a URL.")) from error
    if fault := _fault(parts):
        raise EndpointNotAllowed(fault)
    if not port_is_valid or not url.isascii() or not url.isprintable() or " " in url:
        raise EndpointNotAllowed(_("The model's address is not a URL."))
    return parts.geturl().rstrip("/")


def _fault(parts: SplitResult) -> str | Promise | None:
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return _("The model's address must start with https://.")
    if "@" in parts.netloc:
        return _("The model's address must not contain a user name or a password.")
    if parts.query or parts.fragment or "\\" in parts.netloc:
        return _("The model's address must end with its path.")
    if parts.scheme == "http" and not (is_loopback(parts.hostname) or is_model_host(parts.hostname)):
        return _("The model's address must use https:// unless it is on this machine or its host is in MODEL_HOSTS.")
    return None


def is_loopback(host: str) -> bool:
    """Whether a host can only mean this machine: a literal address or `localhost`. No name is looked up, because the
    answer can change; not even `x.localhost`, which resolvers may ask somebody else about."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_model_host(host: str) -> bool:
    """Whether whoever runs the installation vouches for the way to this host: a container beside ours, a machine of the
    same private network. Names and addresses are compared as they are written."""
    return host.lower() in {one.strip().lower() for one in settings.MODEL_HOSTS}


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header (RFC 9110 §10.2.3: seconds or a date); None without a usable one."""
    value = (headers.get("retry-after") or "").strip()
    try:
        seconds = float(value)
    except ValueError:
        return _seconds_until(value)
    return seconds if 0 <= seconds < float("inf") else None


def _seconds_until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, OverflowError):  # of an offset beyond all time
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
