"""Commands that work on the index: in their own process or, where a running server owns the embedded index, in that."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from accounts.management.base import DatabaseCommand
from accounts.management.relay.client import NobodyListens, send_command
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.spaces import opened

OWNED = (
    "A running server of another user or version, or another command, owns the embedded index and takes no commands of "
    "yours. Wait for it or stop it, or set QDRANT_URL to share an index."
)
INDEX_AWAY = (
    "{}. Nothing can be compared or found without the index: look whether its server runs and at QDRANT_URL or "
    "PGVECTOR_URL; the embedded one is in DATA_DIR."
)


class IndexCommand(DatabaseCommand):
    """Says what it does in `work`. Relative paths in its arguments begin at `folder`."""

    folder = Path()
    typed: tuple[str, ...] | None = None  # as on the command line; None where the command was called otherwise

    def run_from_argv(self, argv: list[str]) -> None:
        self.typed = tuple(argv[2:])
        super().run_from_argv(argv)

    def handle(self, *args: Any, **options: Any) -> None:
        if self.needs_index(options) and is_index_owned_elsewhere():
            self.relay(options)
        else:
            self.do(options)

    def do(self, options: dict[str, Any]) -> None:
        try:
            self.work(options)
        except IndexUnavailable as error:
            raise CommandError(INDEX_AWAY.format(error)) from error

    def work(self, options: dict[str, Any]) -> None:
        """Do it in this process."""
        raise NotImplementedError

    def needs_index(self, options: dict[str, Any]) -> bool:
        return True

    def arguments_to_send(self, typed: tuple[str, ...], options: dict[str, Any]) -> tuple[str, ...]:
        """What the server is told; whatever must be asked at a terminal is asked here."""
        return typed

    def relay(self, options: dict[str, Any]) -> None:
        """Have the running server do it; its exit code is this command's."""
        if self.typed is None:
            raise CommandError(OWNED)
        name = type(self).__module__.rpartition(".")[2]
        arguments = self.arguments_to_send(self.typed, options)
        try:
            ending = send_command(Path(settings.DATA_DIR), name, arguments, self.stdout, self.stderr)
        except NobodyListens:
            raise CommandError(OWNED) from None
        if ending.error:
            raise CommandError(ending.error, returncode=ending.code)
        if ending.code:
            raise SystemExit(ending.code)


def is_index_owned_elsewhere() -> bool:
    """Whether a running server has the embedded index open."""
    if not settings.EMBEDDED:
        return False
    try:
        opened.current_index()
    except IndexLocked:
        return True
    except IndexUnavailable:
        return False  # the work itself says what it cannot do
    return False
