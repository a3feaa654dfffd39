"""A stream that stands open for long, of which nothing but its frames is held (`config.straight`)."""

from collections.abc import AsyncGenerator
from typing import Any

from django.http import StreamingHttpResponse


class FramedResponse(StreamingHttpResponse):
    """Django's handler holds a response and its headers to the last frame, and puts three generators before each: three
    kilobytes for each of the hundreds that are open. It sets no cookies."""

    def __init__(self, frames: AsyncGenerator[bytes, None], **options: Any) -> None:
        super().__init__(frames, **options)
        self.frames = frames
