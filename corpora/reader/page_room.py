"""How many bytes the images of pages may take in the file store, and which go first: those that were asked for longest
ago.

When an image was last asked for stands in the cache, so that whoever looks at one writes no row and no file; what the
cache has lost counts from when the image was made. Upkeep counts all of them once an hour and makes room. In between
whoever keeps one adds its size to that number, and keeps none beyond the limit: it is drawn anew each time until then.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import default_storage

from corpora.uploads.inventory import stored_names

logger = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024
FILLED = 0.9  # of the limit, after a round that made room: the next hour wants some
LONGEST = 60.0  # seconds of a round
BYTES = "page-images:bytes"
DAY = 86_400  # seconds
AT_ONCE = 500  # names that the cache is asked for


class StoredImage(NamedTuple):
    name: str
    size: int
    made: float


def image_limit() -> int:
    return int(settings.PAGE_IMAGES_MEGABYTES) * MEGABYTE


def note_use(name: str) -> None:
    """Until its generation is forgotten."""
    cache.set(_used_key(name), int(time.time()), 2 * DAY * settings.PAGE_IMAGES_DAYS)


def take_room(size: int) -> bool:
    """Whether an image of that size may be kept, by what is known of the others; where nothing is, it may."""
    taken = cache.get(BYTES)
    if not isinstance(taken, int):
        return size <= image_limit()
    if taken + size > image_limit():
        return False
    with suppress(ValueError):  # lost in this very moment
        cache.incr(BYTES, size)
    return True


def make_room_for_images(folder: str) -> int:
    """Remove images below the folder until they fit, those that were asked for longest ago first; how many went. What
    a round has no time for is left to the next."""
    until = time.monotonic() + LONGEST
    images = list(_images(folder))
    taken, gone = sum(one.size for one in images), 0
    if taken > image_limit():
        used = _last_used(images)
        for one in sorted(images, key=lambda image: used[image.name]):
            if taken <= image_limit() * FILLED or time.monotonic() > until:
                break
            default_storage.delete(one.name)
            taken, gone = taken - one.size, gone + 1
        logger.info("%d images of pages deleted to make room", gone)
    cache.set(BYTES, taken, None)
    return gone


def _images(folder: str) -> Iterator[StoredImage]:
    bucket = getattr(default_storage, "bucket", None)
    if bucket is not None:  # S3 tells both with the names
        prefix = default_storage._normalize_name(folder)  # type: ignore[attr-defined]
        above = len(prefix) - len(folder)
        for one in bucket.objects.filter(Prefix=prefix):
            yield StoredImage(one.key[above:], one.size, one.last_modified.timestamp())
        return
    for name in stored_names(folder):
        with suppress(FileNotFoundError):  # gone with its document meanwhile
            made: datetime = default_storage.get_modified_time(name)
            yield StoredImage(name, default_storage.size(name), made.timestamp())


def _last_used(images: list[StoredImage]) -> dict[str, float]:
    used = {one.name: one.made for one in images}
    for first in range(0, len(images), AT_ONCE):
        some = images[first : first + AT_ONCE]
        said = cache.get_many(_used_key(one.name) for one in some)
        for one in some:
            if isinstance(at := said.get(_used_key(one.name)), int):
                used[one.name] = max(at, one.made)
    return used


def _used_key(name: str) -> str:
    return f"page-image-used:{name}"
