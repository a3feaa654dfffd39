"""What somebody else has put into Redis, and a Redis that goes away and comes back (RELIABILITY R25)."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import redis

from config.cache import FailSafeRedisCache
from tests.live import Caller
from tests.services.installation import ADMIN, Installation, Web
from tests.sign_in import sign_in


class Planted:
    """Unpickled, it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mknod, (str(self.path),)


@pytest.fixture(scope="module")
def settings_wanted() -> dict[str, str]:
    return {"QUOTA_QUESTIONS_PER_MINUTE": "1000"}


@pytest.fixture
def cache(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> FailSafeRedisCache:
    monkeypatch.setattr(FailSafeRedisCache, "_left_alone_until", 0.0)
    return FailSafeRedisCache(installation.services.redis.url(1), {})


def plant(installation: Installation, mark: Path) -> int:
    """A pickle in the place of everything that the cache holds. Returns how much that was."""
    with redis.Redis.from_url(installation.services.redis.url(1)) as server:
        keys: Any = server.keys("*")
        for key in keys:
            server.set(key, pickle.dumps(Planted(mark)))
        return len(keys)


def test_a_planted_pickle_is_a_miss_and_not_code(
    cache: FailSafeRedisCache, installation: Installation, tmp_path: Path
) -> None:
    cache.set("history", [1.5, 2.5])
    assert cache.get("history") == [1.5, 2.5]
    assert plant(installation, tmp_path / "ran") >= 1
    assert cache.get("history", "missing") == "missing"
    assert cache.get_many(["history"]) == {}
    assert not (tmp_path / "ran").exists()
    cache.set("history", [3.5])
    assert cache.get("history") == [3.5]


def test_a_planted_pickle_holds_no_lock_and_no_count(
    cache: FailSafeRedisCache, installation: Installation, tmp_path: Path
) -> None:
    cache.add("lock", True, 60)
    cache.add("count", 0, 60)
    assert plant(installation, tmp_path / "ran") >= 2
    assert cache.add("lock", True, 60) is True
    assert cache.add("lock", True, 60) is False
    assert [cache.incr("count"), cache.incr("count")] == [1, 2]
    cache.set("text", "not a number")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FailSafeRedisCache, "_left_alone_until", 0.0)
        assert cache.incr("text") == 1, "counted in this process"
    assert not (tmp_path / "ran").exists()


def test_who_signs_in_over_planted_pickles_is_signed_in(installation: Installation, web: Web, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{web.port}"
    sign_in(url, ADMIN, "a wrong password")
    assert plant(installation, tmp_path / "ran") >= 1
    password = next(one["password"] for one in installation.sample["users"] if one["email"] == ADMIN)
    assert sign_in(url, ADMIN, password) == (200, True)
    assert not (tmp_path / "ran").exists()


def test_readiness_tells_that_redis_is_away_though_the_process_counts_by_itself(
    installation: Installation, web: Web
) -> None:
    caller = Caller(web.port)
    assert caller.call("GET", "/readyz").body["dependencies"]["cache"] == "ok"
    installation.services.redis.stop()
    try:
        assert caller.call("GET", "/readyz").body["dependencies"]["cache"] == "down"
    finally:
        installation.services.redis.start()
    assert caller.call("GET", "/readyz").body["dependencies"]["cache"] == "ok"


def test_redis_answers_nobody_without_its_password(installation: Installation) -> None:
    without = installation.services.redis.url(1).replace(installation.services.redis.PASSWORD, "wrong")
    with redis.Redis.from_url(without) as server, pytest.raises(redis.AuthenticationError):
        server.ping()
