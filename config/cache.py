"""A Redis cache that is allowed to fail: what it cannot say is a miss, never an error (SPEC §4, "Fail-safe")."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

from django.core.cache.backends.redis import RedisCache

logger = logging.getLogger(__name__)

T = TypeVar("T")
LEFT_ALONE_SECONDS = 5.0


class FailSafeRedisCache(RedisCache):
    """Quotas count nothing, and nobody is slowed down at the sign-in, while Redis does not answer.

    After a failure it is left alone for LEFT_ALONE_SECONDS in the whole process, so that a request with several
    look-ups waits for a silent Redis once and not each time.
    """

    _left_alone_until: ClassVar[float] = 0.0

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._safely(lambda: RedisCache.get(self, key, default, version), default)

    def set(self, key: Any, value: Any, *rest: Any, **named: Any) -> None:
        self._safely(lambda: RedisCache.set(self, key, value, *rest, **named), None)

    def add(self, key: Any, value: Any, *rest: Any, **named: Any) -> bool:
        return self._safely(lambda: RedisCache.add(self, key, value, *rest, **named), False)

    def touch(self, key: Any, *rest: Any, **named: Any) -> bool:
        return self._safely(lambda: RedisCache.touch(self, key, *rest, **named), False)

    def delete(self, key: Any, version: int | None = None) -> bool:
        return self._safely(lambda: RedisCache.delete(self, key, version), False)

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return self._safely(lambda: RedisCache.has_key(self, key, version), False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        return self._safely(lambda: RedisCache.incr(self, key, delta, version), 0)

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        return self._safely(lambda: RedisCache.get_many(self, keys, version), {})

    def set_many(self, data: dict[Any, Any], *rest: Any, **named: Any) -> list[Any]:
        return self._safely(lambda: RedisCache.set_many(self, data, *rest, **named), list(data))

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        self._safely(lambda: RedisCache.delete_many(self, keys, version), None)

    def clear(self) -> None:
        self._safely(lambda: RedisCache.clear(self), None)

    def _safely(self, call: Callable[[], T], otherwise: T) -> T:
        from redis.exceptions import RedisError

        cls = FailSafeRedisCache
        if time.monotonic() < cls._left_alone_until:
            return otherwise
        try:
            return call()
        except (RedisError, OSError) as error:
            cls._left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS
            logger.warning("the cache does not answer: %s", type(error).__name__)
            return otherwise
