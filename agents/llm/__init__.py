"""Model providers: `client_for` picks the one that a model's name asks for (SPEC §5, §6)."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from agents.llm.base import ModelClient, ModelNotConfigured

EXTRACTIVE = "extractive"
DEFAULT_MODELS = {"openai": "gpt-4o-mini", "anthropic": "claude-sonnet-5-5"}


def client_for(model: str) -> ModelClient:
    """The client for `model`; nothing is imported, opened or called before it is used.

    `extractive`, `openai:NAME`, `anthropic:NAME`; a bare name is OpenAI-compatible; "" and "default" are the
    installation's default. Raises `ModelNotConfigured`, with advice, for a provider that has no key.
    """
    provider, name = resolve(model)
    if provider == EXTRACTIVE:
        from agents.llm.extractive import ExtractiveClient

        return ExtractiveClient()
    return _anthropic(name) if provider == "anthropic" else _openai(name)


def resolve(model: str) -> tuple[str, str]:
    """Provider and its model's name: `("openai", "gpt-4o-mini")`. The default needs no further settings than
    a key: CHAT_MODEL, or a small model of the provider that has one, or the extractive answerer."""
    model = model.strip()
    if model in {"", "default"}:
        model = _default()
    if model == EXTRACTIVE:
        return EXTRACTIVE, EXTRACTIVE
    prefix, colon, name = model.partition(":")
    if colon and prefix in DEFAULT_MODELS:
        return prefix, name or DEFAULT_MODELS[prefix]
    return "openai", model


def _default() -> str:
    configured = str(settings.CHAT_MODEL)
    if settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL:
        return configured or "openai:"
    if settings.ANTHROPIC_API_KEY:
        return configured or "anthropic:"
    return EXTRACTIVE


def _openai(name: str) -> ModelClient:
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        raise ModelNotConfigured(
            _("This model needs OPENAI_API_KEY or OPENAI_BASE_URL. An admin must set one of them.")
        )
    from agents.llm.openai import OpenAIClient

    return OpenAIClient(name, settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY)


def _anthropic(name: str) -> ModelClient:
    if not settings.ANTHROPIC_API_KEY:
        raise ModelNotConfigured(_("This model needs ANTHROPIC_API_KEY. An admin must set it."))
    from agents.llm.anthropic import AnthropicClient

    return AnthropicClient(name, settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL)
