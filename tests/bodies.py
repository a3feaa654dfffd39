"""The body of an answer of the test client."""

from typing import Any

from asgiref.sync import async_to_sync


def body_of(response: Any) -> bytes:
    """The whole body, also of a stream that an asynchronous view made."""
    if not response.streaming:
        return bytes(response.content)

    async def collected() -> bytes:
        return b"".join([part async for part in response])

    return async_to_sync(collected)() if response.is_async else b"".join(response)
