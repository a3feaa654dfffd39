"""What the environment's addresses become: options that survive, patience that is short, a cache that may fail."""

import time
from typing import Any

import pytest

from config import env
from config.cache import FailSafeRedisCache


@pytest.fixture
def dead_cache(monkeypatch: pytest.MonkeyPatch) -> FailSafeRedisCache:
    monkeypatch.setattr(FailSafeRedisCache, "_left_alone_until", 0.0)
    return FailSafeRedisCache("redis://127.0.0.1:9/0", {})


def test_the_options_of_the_database_address_are_kept_beside_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me:secret@db.example.org:5432/acervo?sslmode=require")
    monkeypatch.setenv("DATABASE_POOL", "3")
    database: dict[str, Any] = env.database()
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert database["OPTIONS"]["sslmode"] == "require"
    assert database["OPTIONS"]["pool"]["max_size"] == 3


def test_a_redis_cache_is_the_one_that_may_fail_and_waits_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHE_URL", "redis://127.0.0.1:6379/1?socket_timeout=3")
    found: dict[str, Any] = env.cache()
    assert found["BACKEND"] == "config.cache.FailSafeRedisCache"
    assert found["OPTIONS"] == {"socket_timeout": 3, "socket_connect_timeout": 1}


def test_without_an_address_the_cache_is_this_processs_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CACHE_URL", raising=False)
    assert str(env.cache()["BACKEND"]).endswith("LocMemCache")


def test_an_object_store_is_addressed_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_STORAGE_BUCKET_NAME", "acervo")
    monkeypatch.setenv("AWS_S3_ADDRESSING_STYLE", "path")
    options: dict[str, Any] = env.storages("static")["default"]["OPTIONS"]  # type: ignore[assignment]
    client = options["client_config"]
    assert (client.s3, client.connect_timeout) == ({"addressing_style": "path"}, 3)


def test_a_cache_that_does_not_answer_knows_nothing_and_counts_nothing(dead_cache: FailSafeRedisCache) -> None:
    assert dead_cache.get("key", "default") == "default"
    assert dead_cache.get_many(["key"]) == {}
    assert dead_cache.add("key", 1) is False
    assert dead_cache.incr("key") == 0
    assert dead_cache.has_key("key") is False
    dead_cache.set("key", 1)
    dead_cache.delete("key")
    dead_cache.clear()


def test_a_cache_that_has_just_failed_is_left_alone_for_a_while(
    dead_cache: FailSafeRedisCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead_cache.get("key")
    monkeypatch.setattr(FailSafeRedisCache, "_cache", property(lambda _: pytest.fail("it was asked again")))
    assert dead_cache.get("key", "default") == "default"
    monkeypatch.setattr(FailSafeRedisCache, "_left_alone_until", time.monotonic() - 1)
    with pytest.raises(pytest.fail.Exception):
        dead_cache.get("key")
