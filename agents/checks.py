"""System checks on the model endpoints that the settings name (RELIABILITY R20)."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.checks import register as register_check
from django.utils.translation import override

from config.endpoints import EndpointNotAllowed, allowed_endpoint

ENDPOINTS = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "RERANK_URL")


def register_agent_checks() -> None:
    register_check(endpoints_may_be_called)


def endpoints_may_be_called(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    faults = ((name, _fault(getattr(settings, name))) for name in ENDPOINTS)
    return [
        Error(
            f"{name} is no address that Acervo may call. {fault}",
            hint=f"Set {name} to an https:// address, or to http:// on this machine; unset it for the default.",
            id="acervo.E003",
        )
        for name, fault in faults
        if fault
    ]


def _fault(url: str) -> str:
    if not url:
        return ""
    try:
        allowed_endpoint(url)
    except EndpointNotAllowed as error:
        with override("en"):
            return str(error)
    return ""
