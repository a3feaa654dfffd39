"""Which endpoints may be called, and which client a model's name picks."""

import pytest

from agents.llm import client_for, resolve
from agents.llm.anthropic import AnthropicClient
from agents.llm.base import ModelNotConfigured, ModelUnavailable
from agents.llm.extractive import ExtractiveClient
from agents.llm.failures import from_status, usable_endpoint
from agents.llm.openai import OpenAIClient
from config.endpoints import retry_after


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        (" https://llm.example:8443/v1 ", "https://llm.example:8443/v1"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("http://127.0.0.2:1/v1", "http://127.0.0.2:1/v1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_https_and_loopback_may_be_called(url, kept):
    assert usable_endpoint(url) == kept


@pytest.mark.parametrize(
    "url",
    [
        "http://api.openai.com/v1",
        "http://10.0.0.5/v1",
        "http://169.254.169.254/latest",
        "http://127.0.0.1.evil.example/v1",
        "http://localhost.evil.example",
        "http://evil.localhost",
        "http://127.0.0.1@evil.example/",
        "https://user:password@api.example/v1",
        "https://user@api.example",
        "http://localhost\\@evil.example/",
        "https://api.example/v1?key=1",
        "https://api.example/#x",
        "ftp://api.example",
        "file:///etc/passwd",
        "https://",
        "api.example/v1",
        "https://[::1",
        "https://a:99999/",
        "",
    ],
)
def test_any_other_address_is_refused_with_advice(url):
    with pytest.raises(ModelNotConfigured) as caught:
        usable_endpoint(url)
    assert "address" in caught.value.detail or "dirección" in caught.value.detail


@pytest.fixture
def unset(settings):
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = settings.ANTHROPIC_API_KEY = settings.CHAT_MODEL = ""
    settings.ANTHROPIC_BASE_URL = ""
    return settings


def test_without_any_setting_the_default_is_extractive(unset):
    assert isinstance(client_for(""), ExtractiveClient)
    assert isinstance(client_for("default"), ExtractiveClient)
    unset.CHAT_MODEL = "gpt-4o"
    assert isinstance(client_for("default"), ExtractiveClient)


@pytest.mark.parametrize("model", ["gpt-4o", "openai:gpt-4o", "anthropic:claude-sonnet-5-5", "llama3.2:3b"])
def test_a_model_without_its_key_is_not_configured_and_says_what_is_missing(unset, model):
    with pytest.raises(ModelNotConfigured) as caught:
        client_for(model)
    assert caught.value.code == "model_not_configured"
    assert "_API_KEY" in caught.value.detail


def test_a_name_picks_its_provider_and_keeps_the_rest(unset):
    assert resolve("openai:gpt-4o-mini") == ("openai", "gpt-4o-mini")
    assert resolve("anthropic:claude-haiku-5-5") == ("anthropic", "claude-haiku-5-5")
    assert resolve("llama3.2:3b") == ("openai", "llama3.2:3b")
    assert resolve("extractive") == ("extractive", "extractive")


def test_a_key_alone_is_enough_for_a_default(unset):
    unset.ANTHROPIC_API_KEY = "k"
    assert isinstance(client_for("default"), AnthropicClient)
    unset.OPENAI_API_KEY = "k"
    client = client_for("")
    assert isinstance(client, OpenAIClient)
    assert client.model == "gpt-4o-mini"


def test_the_installations_model_is_the_default(unset):
    unset.OPENAI_BASE_URL = "http://localhost:11434/v1"
    unset.CHAT_MODEL = "qwen3:8b"
    client = client_for("default")
    assert isinstance(client, OpenAIClient)
    assert client.model == "qwen3:8b"


def test_an_insecure_base_url_is_not_configured(unset):
    unset.OPENAI_BASE_URL = "http://llm.example/v1"
    with pytest.raises(ModelNotConfigured):
        client_for("m")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2", 2), ("0.5", 0.5), ("", None), ("soon", None), ("-1", None), ("inf", None), ("nan", None)],
)
def test_retry_after_in_seconds(value, seconds):
    assert retry_after({"retry-after": value}) == seconds


def test_retry_after_as_a_date():
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "Wed, 21 Oct 2065 07:28:00 -0000"}) > 1e6


def test_an_overloaded_provider_says_so():
    error = from_status(429, {"retry-after": "3"})
    assert isinstance(error, ModelUnavailable)
    assert error.retry_after == 3
