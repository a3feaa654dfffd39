"""Settings that name a model endpoint which may not be called are an error before anything starts."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.checks import (
    ENDPOINTS,
    chat_model_can_be_called,
    endpoints_have_their_path,
    endpoints_may_be_called,
    model_hosts_are_hosts,
)


@pytest.mark.parametrize("name", ENDPOINTS)
def test_an_endpoint_that_may_not_be_called_is_told_in_words_before_anything_starts(settings: Any, name: str) -> None:
    setattr(settings, name, "http://10.1.1.1/v1")
    with pytest.raises(CommandError, match=rf"acervo\.E003\) {name}.*must use https://"):
        call_command("check")
    setattr(settings, name, "not-a-url")
    with pytest.raises(CommandError, match=rf"acervo\.E003\) {name}.*must start with https://"):
        call_command("check")


@pytest.mark.parametrize("url", ["", "https://models.example.org/v1", "http://127.0.0.1:9000/v1"])
def test_other_endpoints_pass(settings: Any, url: str) -> None:
    for name in ENDPOINTS:
        setattr(settings, name, url)
    assert endpoints_may_be_called(None) == []


def test_a_host_that_is_vouched_for_may_be_plain_http(settings: Any) -> None:
    settings.MODEL_HOSTS = ["Ollama", "10.1.1.1"]
    for name, url in zip(ENDPOINTS, ["http://ollama:11434/v1", "http://10.1.1.1:8000/v1", "", ""], strict=True):
        setattr(settings, name, url)
    assert endpoints_may_be_called(None) == []
    settings.OPENAI_BASE_URL = "http://ollama.example:11434/v1"
    assert [one.id for one in endpoints_may_be_called(None)] == ["acervo.E003"]
    settings.OPENAI_BASE_URL = "http://user@ollama:11434/v1"
    assert [one.id for one in endpoints_may_be_called(None)] == ["acervo.E003"]


@pytest.mark.parametrize("wrong", ["http://ollama", "ollama:11434", "*", "", "a b"])
def test_a_host_that_is_none_is_an_error(settings: Any, wrong: str) -> None:
    settings.MODEL_HOSTS = ["vllm", wrong]
    assert [one.id for one in model_hosts_are_hosts(None)] == ["acervo.E009"]
    settings.MODEL_HOSTS = ["vllm", "10.0.0.7", "fd00::1"]
    assert model_hosts_are_hosts(None) == []


def test_the_address_of_ollama_s_own_protocol_is_told_with_what_it_lacks(settings: Any) -> None:
    settings.OPENAI_BASE_URL, settings.EMBEDDING_BASE_URL = "http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1"
    (told,) = endpoints_have_their_path(None)
    assert (told.id, "http://127.0.0.1:11434/v1" in str(told.hint)) == ("acervo.W010", True)


@pytest.mark.parametrize(
    ("model", "openai", "anthropic", "lacks"),
    [
        ("", "", "", ""),
        ("extractive", "", "", ""),
        ("foo", "", "", "OPENAI_API_KEY"),
        ("anthropic:claude", "", "", "ANTHROPIC_API_KEY"),
        ("anthropic:claude", "sk", "", "ANTHROPIC_API_KEY"),
        ("openai:gpt", "sk", "", ""),
        ("anthropic:claude", "", "sk", ""),
    ],
)
def test_a_model_whose_provider_has_no_key_is_told(
    settings: Any, model: str, openai: str, anthropic: str, lacks: str
) -> None:
    settings.CHAT_MODEL, settings.OPENAI_BASE_URL = model, ""
    settings.OPENAI_API_KEY, settings.ANTHROPIC_API_KEY = openai, anthropic
    told = chat_model_can_be_called(None)
    assert [(one.id, lacks in one.msg) for one in told] == ([("acervo.W014", True)] if lacks else [])
