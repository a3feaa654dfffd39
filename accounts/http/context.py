"""What every template knows of who asks."""

from typing import Any

from django.http import HttpRequest

from accounts.http.principal import membership_of_session


def membership_context(request: HttpRequest) -> dict[str, Any]:
    """Template context: the active membership."""
    membership = membership_of_session(request) if hasattr(request, "user") else None
    return {"membership": membership}
