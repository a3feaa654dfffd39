"""What a request's head may say: what is parsed in more than linear time, or not at all, does not reach a parser.

Both parse it for anybody, on the event loop, before it is known who asks. Measured with 31 KB each: a cookie of
backslashes took two seconds (Python before 3.11.10, CVE-2024-7592), a content type of semicolons half of one, and a
megabyte that called itself punycode fifteen.
"""

import re

from accounts.problems import UnsupportedMediaType
from config.incoming.bodies import refuse
from config.straight import App, HttpScope, Receive, Send

LONGEST_TYPE = 512
TYPE = re.compile(rb"""[\w!#$&^.+*-]+(/[\w!#$&^.+*-]+)?(?:\s*;\s*[\w-]+=(?:"[^"\\]*"|[^\s;"\\]*)|\s*;)*\s*""")
CHARSET = re.compile(rb"""charset="?([^\s;"]*)""", re.IGNORECASE)
CHARSETS = {b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"latin-1", b"windows-1252", b"cp1252"}


class PlainHeads:
    """Answers 415 to a content type that is none, and leaves backslashes out of cookies: none of ours has any."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            kinds = [value for name, value in scope["headers"] if name == b"content-type"]
            if len(kinds) > 1 or not all(is_plain(kind) for kind in kinds):
                await refuse(send, UnsupportedMediaType())
                return
            if any(name == b"cookie" and b"\\" in value for name, value in scope["headers"]):
                scope = {**scope, "headers": [without_backslashes(*header) for header in scope["headers"]]}
        await self.app(scope, receive, send)


def without_backslashes(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    return name, value.replace(b"\\", b"") if name == b"cookie" else value


def is_plain(kind: bytes) -> bool:
    """Whether a content type has the form that it must have, and names no unusual encoding."""
    if len(kind) > LONGEST_TYPE or not (kind == b"" or TYPE.fullmatch(kind)):
        return False
    return all(name.lower() in CHARSETS for name in CHARSET.findall(kind))
