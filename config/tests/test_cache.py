"""The cache keeps JSON and believes nothing else; while Redis is away this process counts by itself."""

import pickle
import time
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from allauth.core.internal.ratelimit import cache_lock
from django.test import Client
from redis.exceptions import RedisError

from accounts.models import User
from config.cache import MISSING, FailSafeRedisCache, JSONClient, JSONSerializer
from tests.factories import MembershipFactory, UserFactory

NOTHING_LISTENS = "redis://127.0.0.1:9/0"


class Kept(dict[str, Any]):
    """As much of a Redis client as reading takes."""

    def mget(self, keys: Any) -> list[Any]:
        return [self.get(key) for key in keys]


@pytest.fixture
def dead_cache(monkeypatch: pytest.MonkeyPatch) -> FailSafeRedisCache:
    monkeypatch.setattr(FailSafeRedisCache, "_left_alone_until", 0.0)
    cache = FailSafeRedisCache(NOTHING_LISTENS, {})
    cache.clear()
    return cache


@pytest.mark.parametrize("value", [None, True, 7, -1, 1.5, "é", [], [1.5, "a", None], {"a": [{"b": True}]}])
def test_json_comes_back_as_it_was(value: Any) -> None:
    stored = JSONSerializer().dumps(value)
    assert JSONSerializer().loads(str(stored).encode() if type(value) is int else stored) == value


@pytest.mark.parametrize(
    "value",
    [datetime.now(UTC), uuid4(), b"bytes", (1, 2), {1: "a"}, float("nan"), {"a": {1, 2}}, [object()], User],
    ids=lambda value: type(value).__name__,
)
def test_what_json_would_not_give_back_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        JSONSerializer().dumps(value)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_a_miss_and_is_logged(
    protocol: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept(planted=pickle.dumps(["a"], protocol), ours=b'["b"]')
    monkeypatch.setattr(JSONClient, "get_client", lambda *_args, **_options: kept)
    client = JSONClient([NOTHING_LISTENS], serializer=JSONSerializer)
    assert client.get("planted", "default") == "default"
    assert client.get_many(["planted", "ours", "absent"]) == {"ours": ["b"]}
    assert client.get("absent", None) is None
    assert caplog.text.count("not JSON") == 2


def test_nothing_that_is_configured_reads_anything_but_json(dead_cache: FailSafeRedisCache) -> None:
    client: Any = FailSafeRedisCache(NOTHING_LISTENS, {"OPTIONS": {"serializer": pickle}})._cache
    assert isinstance(client._serializer, JSONSerializer)
    assert JSONSerializer().loads(b"\x80\x04N.") is MISSING


def test_while_redis_does_not_answer_this_process_remembers(dead_cache: FailSafeRedisCache) -> None:
    assert dead_cache.get("key", "default") == "default"
    assert dead_cache.add("key", 1) is True
    assert dead_cache.add("key", 2) is False
    assert dead_cache.incr("key") == 2
    assert dead_cache.get_many(["key"]) == {"key": 2}
    assert FailSafeRedisCache(NOTHING_LISTENS, {}).get("key") == 2  # the instance of another thread
    dead_cache.set("key", [3])
    assert dead_cache.get("key") == [3]
    dead_cache.delete("key")
    assert dead_cache.has_key("key") is False
    with pytest.raises(RedisError):
        dead_cache.answers()


def test_a_number_begun_in_the_other_place_begins_again(dead_cache: FailSafeRedisCache) -> None:
    assert [dead_cache.incr("elsewhere"), dead_cache.incr("elsewhere")] == [1, 2]


def test_allauths_lock_is_free_the_first_time(dead_cache: FailSafeRedisCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allauth.core.internal.ratelimit.cache", dead_cache)
    with cache_lock("key") as locked:
        assert locked


@pytest.mark.django_db
def test_with_redis_down_the_right_password_signs_in_and_wrong_ones_are_still_counted(
    dead_cache: FailSafeRedisCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("allauth.core.internal.ratelimit.cache", dead_cache)
    for name in ("guessed", "other"):
        user = UserFactory(email=f"{name}@example.org")
        user.set_password("the right password")
        user.save()
        MembershipFactory(user=user)

    def attempt(name: str, password: str) -> int:
        return Client().post("/accounts/login/", {"login": f"{name}@example.org", "password": password}).status_code

    assert attempt("other", "the right password") == 302
    assert {attempt("guessed", f"wrong {n}") for n in range(5)} == {200}
    assert attempt("guessed", "the right password") == 200  # refused: the form again
    assert attempt("other", "the right password") == 302


def test_a_redis_that_has_just_failed_is_left_alone_for_a_while(
    dead_cache: FailSafeRedisCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead_cache.get("key")
    monkeypatch.setattr(FailSafeRedisCache, "_cache", property(lambda _: pytest.fail("it was asked again")))
    assert dead_cache.get("key", "default") == "default"
    monkeypatch.setattr(FailSafeRedisCache, "_left_alone_until", time.monotonic() - 1)
    with pytest.raises(pytest.fail.Exception):
        dead_cache.get("key")
