"""What holds when several processes serve one installation: a sign-out ends everywhere, and counts are shared."""

from typing import Any

import pytest

from accounts import checks
from tests.cast import browser, make_cast


def memory_of(process: str) -> dict[str, Any]:
    return {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": process}}


@pytest.mark.django_db
def test_who_signs_out_in_one_process_is_signed_out_in_those_that_have_seen_the_session(settings: Any) -> None:
    settings.CACHES = memory_of("one")
    client = browser(make_cast().alice)
    cookies = client.cookies.copy()
    settings.CACHES = memory_of("another")
    assert client.get("/corpora/").status_code == 200
    settings.CACHES = memory_of("one")
    client.post("/accounts/logout/")
    settings.CACHES = memory_of("another")
    client.cookies = cookies
    assert client.get("/corpora/").status_code == 302


def found(settings: Any, **changes: Any) -> list[str | None]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return [message.id for message in checks.several_processes_need_one_cache(None)]


def test_several_processes_without_a_cache_in_common_are_an_error(settings: Any) -> None:
    settings.CACHES = memory_of("one")
    assert found(settings, WORKERS_EMBEDDED=True, EMBEDDED=True) == []
    assert found(settings, WORKERS_EMBEDDED=False, EMBEDDED=False) == ["acervo.E002"]
    settings.CACHES = {"default": {"BACKEND": "config.cache.FailSafeRedisCache", "LOCATION": "redis://redis/1"}}
    assert found(settings) == []


def test_an_index_server_alone_is_a_warning_because_one_process_may_use_it(settings: Any) -> None:
    settings.CACHES = memory_of("one")
    assert found(settings, WORKERS_EMBEDDED=True, EMBEDDED=False) == ["acervo.W002"]
