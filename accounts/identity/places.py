"""Where a request comes from, in words that its user recognises."""

import ipaddress

from django.http import HttpRequest

# The first that is named counts: Edge and Opera also say Chrome, everybody says Safari, Android also says Linux.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
LONGEST = 80


def ip_of(request: HttpRequest) -> str | None:
    """The network address of the client; behind a proxy the one it tells (`FORWARDED_ALLOW_IPS`). None without one."""
    try:
        return str(ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return None


def browser_of(request: HttpRequest) -> str:
    """ "Firefox, Linux"; the beginning of what a program says of itself; empty where nothing is said."""
    said = request.headers.get("User-Agent", "")
    named = [next((name for mark, name in known if mark in said), "") for known in (BROWSERS, SYSTEMS)]
    if not named[0]:
        return "".join(letter for letter in said[:LONGEST] if letter.isprintable())
    return ", ".join(filter(None, named))
