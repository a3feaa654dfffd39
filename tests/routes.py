"""The routes of the URL configuration as patterns, and those of the matrix's cases: what the route guard compares."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver, resolve

# Whole branches with guards of their own, or without anything of ours.
BRANCHES = {
    "oauth/register": "open to anybody: accounts/tests/test_oauth.py",
    "oauth/token": "opened by a code or a token alone: accounts/tests/test_oauth.py",
    "oauth/revoke": "the same",
    "admin/": "tests/test_admin_isolation.py visits every page of every registered model",
    "i18n/": "Django's own language switch: sets a cookie and touches no row",
}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """Every leaf of the URL configuration as one pattern: `api/corpora/<uuid:pk>/`."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern, route)


def own_routes() -> set[str]:
    return {route for route in routes() if not route.startswith(tuple(BRANCHES))}


def route_of(path: str) -> str:
    """The pattern that serves a path. `Resolver404` when none does."""
    return str(resolve(path.partition("?")[0]).route)
