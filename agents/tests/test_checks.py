"""Settings that name a model endpoint which may not be called are an error before anything starts."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.checks import ENDPOINTS, endpoints_may_be_called


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
