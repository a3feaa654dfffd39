"""System checks on the model endpoints that the settings name (RELIABILITY R20)."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.checks import register as register_check
from django.utils.translation import override

from agents.llm import client_for
from agents.llm.base import ModelNotConfigured
from config.endpoints import EndpointNotAllowed, allowed_endpoint

ENDPOINTS = ("OPENAI_BASE_URL", "EMBEDDING_BASE_URL", "ANTHROPIC_BASE_URL", "RERANK_URL")


def register_agent_checks() -> None:
    register_check(endpoints_may_be_called)
    register_check(model_hosts_are_hosts)
    register_check(endpoints_have_their_path)
    register_check(chat_model_can_be_called)


def endpoints_may_be_called(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    faults = ((name, _fault(getattr(settings, name))) for name in ENDPOINTS)
    return [
        Error(
            f"{name} is no address that Acervo may call. {fault}",
            hint=f"Set {name} to an https:// address, or to http:// on this machine or on a host that MODEL_HOSTS "
            "names (MODEL_HOSTS=ollama); unset it for the default.",
            id="acervo.E003",
        )
        for name, fault in faults
        if fault
    ]


def model_hosts_are_hosts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """An entry that is an address would name no host, and whoever wrote it would think that it does."""
    return [
        Error(
            f"MODEL_HOSTS names {host!r}, which is no host.",
            hint="Write names or addresses alone, by commas: MODEL_HOSTS=ollama,vllm",
            id="acervo.E009",
        )
        for host in settings.MODEL_HOSTS
        if not host.strip() or any(mark in host for mark in "/@?# *") or (":" in host and host.count(":") == 1)
    ]


def endpoints_have_their_path(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """`http://ollama:11434` is the address of Ollama's own protocol; every call to it would be a 404."""
    return [
        Warning(
            f"{name} has no path: servers that speak OpenAI's protocol have it below one.",
            hint=f"For Ollama and vLLM it ends with /v1: {getattr(settings, name).rstrip('/')}/v1",
            id="acervo.W010",
        )
        for name in ("OPENAI_BASE_URL", "EMBEDDING_BASE_URL")
        if getattr(settings, name) and not _fault(getattr(settings, name)) and not _path(getattr(settings, name))
    ]


def chat_model_can_be_called(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Without a key of its provider's it is left out, or every answer fails: neither says so before somebody asks."""
    if not settings.CHAT_MODEL:
        return []
    try:
        client_for(settings.CHAT_MODEL)
    except ModelNotConfigured as error:
        with override("en"):
            problem = f"CHAT_MODEL is {settings.CHAT_MODEL!r}. {error.detail}"
        hint = "A name alone is of OPENAI_BASE_URL; anthropic:NAME of Anthropic; extractive needs no model."
        return [Warning(problem, hint=hint, id="acervo.W014")]
    return []


def _path(url: str) -> str:
    return urlsplit(url.strip()).path.strip("/")


def _fault(url: str) -> str:
    if not url:
        return ""
    try:
        allowed_endpoint(url)
    except EndpointNotAllowed as error:
        with override("en"):
            return str(error)
    return ""
