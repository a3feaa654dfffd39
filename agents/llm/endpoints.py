"""Which model endpoints may be called at all (RELIABILITY R20): HTTPS unless loopback, no userinfo."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.utils.translation import gettext_lazy as _

from agents.llm.base import ModelNotConfigured, Text


def checked(url: str) -> str:
    """The endpoint without its trailing slash; `ModelNotConfigured`, saying why, if it may not be used.

    Only settings and an admin's allow-list reach this function, never a request. Redirects are refused where
    the connection is made, because an address can only be judged before it is called.
    """
    try:
        parts = urlsplit(url.strip())
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError as error:
        raise ModelNotConfigured(_("The model's address is not a URL.")) from error
    if (fault := _fault(parts)) or not port_is_valid:
        raise ModelNotConfigured(fault or _("The model's address is not a URL."))
    return parts.geturl().rstrip("/")


def _fault(parts: SplitResult) -> Text | None:
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return _("The model's address must start with https://.")
    if "@" in parts.netloc:
        return _("The model's address must not contain a user name or a password.")
    if parts.query or parts.fragment or "\\" in parts.netloc:
        return _("The model's address must end with its path.")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        return _("The model's address must use https:// unless it is on this machine.")
    return None


def is_loopback(host: str) -> bool:
    """Literal loopback addresses and `localhost`; no name is looked up, because an answer can change."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
