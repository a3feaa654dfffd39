"""A Redis cache that is allowed to fail and is not believed: JSON alone, and this process's memory while it is away.

Whoever can write to Redis must not be able to run code here, so nothing that comes out of it is unpickled; what is no
JSON was not put there by us, and is a miss. Nothing is put there that JSON would not give back as it was.
"""

import logging
import math
import time
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

import orjson
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient

logger = logging.getLogger(__name__)

T = TypeVar("T")
LEFT_ALONE_SECONDS = 5.0
ENTRIES = (
    100_000  # of one process's memory; beyond them it forgets the oldest third: limits and quotas would begin anew
)
MISSING = object()


class JSONSerializer:
    """What the Redis cache reads and writes."""

    def dumps(self, value: Any) -> Any:
        """Raises TypeError for what JSON does not give back as it was: dates, UUIDs, bytes, tuples, NaN."""
        if type(value) is int:  # as a number, so that Redis can count with it
            return value
        if not is_json(value):
            raise TypeError(f"the cache keeps JSON only, and this is {type(value).__name__} or holds something else")
        return orjson.dumps(value)

    def loads(self, stored: bytes) -> Any:
        """MISSING for what is no JSON."""
        try:
            return orjson.loads(stored)
        except orjson.JSONDecodeError:
            logger.warning("the cache holds something that is not JSON; it is not read")
            return MISSING


def is_json(value: Any) -> bool:
    if type(value) is list:
        return all(map(is_json, value))
    if type(value) is dict:
        return all(type(key) is str for key in value) and all(map(is_json, value.values()))
    return value is None or type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value))


class JSONClient(RedisCacheClient):
    """Django's client, for which a value that cannot be read is none: it is as good as absent, and is written over."""

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        if super().add(key, value, timeout):
            return True
        if super().get(key, None) is not MISSING:
            return False
        self.set(key, value, timeout)
        return True

    def incr(self, key: Any, delta: int) -> int:
        """Raises ValueError for what is not there."""
        from redis.exceptions import ResponseError

        try:
            return int(super().incr(key, delta))
        except ResponseError:
            if super().get(key, None) is not MISSING:
                raise
            self.delete(key)
            raise ValueError(key) from None

    def get(self, key: Any, default: Any) -> Any:
        value = super().get(key, MISSING)
        return default if value is MISSING else value

    def get_many(self, keys: Any) -> dict[Any, Any]:
        return {key: value for key, value in super().get_many(keys).items() if value is not MISSING}


class FailSafeRedisCache(RedisCache):
    """While Redis does not answer, each process counts by itself: nobody is locked out, and no limit is lifted.

    After a failure it is left alone for LEFT_ALONE_SECONDS in the whole process, so that a request with several
    look-ups waits for a silent Redis once and not each time.
    """

    _left_alone_until: ClassVar[float] = 0.0

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = JSONClient
        self._options = {**params.get("OPTIONS", {}), "serializer": JSONSerializer}
        # One memory for all instances, each of which Django makes for a thread: it goes by its name.
        self._meanwhile = LocMemCache("while Redis is away", {**params, "OPTIONS": {"MAX_ENTRIES": ENTRIES}})

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._either(lambda cache: cache.get(key, default, version))

    def set(self, key: Any, value: Any, *rest: Any, **named: Any) -> None:
        self._either(lambda cache: cache.set(key, value, *rest, **named))

    def add(self, key: Any, value: Any, *rest: Any, **named: Any) -> bool:
        return self._is(lambda cache: cache.add(key, value, *rest, **named))

    def touch(self, key: Any, *rest: Any, **named: Any) -> bool:
        return self._is(lambda cache: cache.touch(key, *rest, **named))

    def delete(self, key: Any, version: int | None = None) -> bool:
        return self._is(lambda cache: cache.delete(key, version))

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return self._is(lambda cache: cache.has_key(key, version))

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """A number that the other of the two has begun is begun again, with the time that everything has."""

        def count(cache: Any) -> int:
            try:
                return int(cache.incr(key, delta, version))
            except ValueError:
                cache.add(key, 0, version=version)
                return int(cache.incr(key, delta, version))

        return self._either(count)

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        wanted = list(keys)
        return self._either(lambda cache: cache.get_many(wanted, version))

    def set_many(self, data: dict[Any, Any], *rest: Any, **named: Any) -> list[Any]:
        return self._either(lambda cache: cache.set_many(data, *rest, **named))

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        wanted = list(keys)
        self._either(lambda cache: cache.delete_many(wanted, version))

    def clear(self) -> None:
        self._meanwhile.clear()
        self._either(lambda cache: cache.clear())

    def answers(self) -> bool:
        """Whether Redis itself does, asked now. Raises what its client raises."""
        client: Any = self._cache
        return bool(client.get_client(write=True).ping())

    def _is(self, call: Callable[[Any], Any]) -> bool:
        return bool(self._either(call))

    def _either(self, call: Callable[[Any], T]) -> T:
        """What Redis says, or this process's memory while it says nothing."""
        from redis.exceptions import RedisError

        cls = FailSafeRedisCache
        if time.monotonic() < cls._left_alone_until:
            return call(self._meanwhile)
        try:
            return call(super())
        except (RedisError, OSError) as error:
            cls._left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS
            logger.warning("the cache does not answer; this process counts by itself: %s", type(error).__name__)
            return call(self._meanwhile)
