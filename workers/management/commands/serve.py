"""`manage.py serve`: the web server, with the workers in the same process when there is no broker (API.md)."""

import logging
import resource
import signal
import sys
import threading
from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from accounts.management.base import DatabaseCommand
from config.env import MOST_PORT, env, keep_files_private
from config.observability.disk import disk_fault
from config.observability.logs import log_what_nobody_catches
from retrieval.index.base import IndexDiskFault, IndexLocked, IndexUnavailable
from retrieval.index.edge_shard import ROOM_TO_OPEN, ROOM_TO_WRITE
from retrieval.spaces import opened
from retrieval.spaces.registry import active_space
from retrieval.waiting.openai_sdk import load_sdk
from workers.management.listening import Sockets, port_of, taken_sockets

logger = logging.getLogger(__name__)

OPEN_FILES = 65_536  # one per open stream and one per model connection
BACKLOG = 8_192


class Command(DatabaseCommand):
    help = "Serve the web application; without a broker also the background workers, in one process."
    requires_migrations_checks = False  # of one replica of many: it may be started while another migrates

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=env.int("PORT", default=8000, least=0, most=MOST_PORT))

    def handle(self, *args: Any, **options: Any) -> None:
        keep_files_private()
        log_what_nobody_catches()
        raise_file_limit()
        self.check_disk()
        sockets = taken_sockets(options["host"], options["port"])
        workers = self.embedded_workers() if settings.WORKERS_EMBEDDED else None
        if workers is None:
            threading.Thread(target=connect_index, name="open index", daemon=True).start()
        models = local_models() if settings.LOCAL_MODELS else None
        commands = self.relayed_commands() if workers and settings.EMBEDDED else None
        # uvicorn ends its streams at SIGTERM and then raises it again, which would kill us before the workers drain.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self.serve(options["host"], sockets)
        finally:
            if commands:
                commands.stop()
            if models:
                models.stop()
            if workers:
                workers.stop()
                opened.close()

    def relayed_commands(self) -> Any:
        """Commands that need the index come through this process, which owns it."""
        from workers.management.relay_server import CommandServer

        commands = CommandServer(settings.DATA_DIR)
        commands.start()
        return commands

    def check_disk(self) -> None:
        """Of what is kept in DATA_DIR: without writing nothing is answered, and the log would say little of it."""
        if settings.EMBEDDED or connection.vendor == "sqlite":
            least = ROOM_TO_OPEN if settings.EMBEDDED else ROOM_TO_WRITE
            if fault := disk_fault(Path(settings.DATA_DIR), least):
                raise CommandError(f"Nothing is served: {fault}.")

    def embedded_workers(self) -> Any:
        from workers.embedded import EmbeddedWorkers

        self.check_migrations()
        try:
            opened.current_index()
        except (IndexLocked, IndexDiskFault) as error:
            raise CommandError(str(error)) from error
        except IndexUnavailable:
            logger.warning("the index does not answer; documents wait until it does")
        load_embedding_client()
        workers = EmbeddedWorkers()
        workers.start()
        return workers

    def serve(self, host: str, sockets: Sockets) -> None:
        from uvicorn.config import STARTUP_FAILURE, Config

        from workers.management.leaving import LeavingServer

        config = Config(
            "config.asgi:application",
            loop="asyncio",
            http="config.incoming.connections:BoundedProtocol",
            ws="none",
            lifespan="off",
            backlog=BACKLOG,
            access_log=False,
            server_header=False,
            proxy_headers=settings.HTTPS,
            forwarded_allow_ips=env.str("FORWARDED_ALLOW_IPS", default="127.0.0.1"),
            timeout_graceful_shutdown=20,
            log_config=None,  # our own (`config.faults.logging_of`)
            log_level="warning",
        )
        server = LeavingServer(config, lambda: self.tell_address(host, port_of(sockets)))
        with suppress(KeyboardInterrupt):  # SIGTERM too, which uvicorn raises again once it has ended
            server.run(sockets)
        if not server.started:
            sys.exit(STARTUP_FAILURE)

    def tell_address(self, host: str, port: int) -> None:
        named = f"[{host}]" if ":" in host else host
        self.stdout.write(f"Acervo is at http://{named}:{port}/  (stop with Ctrl+C)")
        self.stdout.flush()


def local_models() -> Any:
    """Models of our own in a process of their own, beside this one."""
    from workers.management.local_models import ModelProcess

    models = ModelProcess()
    models.start()
    return models


def load_embedding_client() -> None:
    """Half a second that the first document would wait for, and everybody with it."""
    if opened.provider_of(active_space()).waits:
        load_sdk()


def connect_index() -> None:
    """Load the index's client and connect before the first question has to; a server that is down is tried again."""
    try:
        opened.current_index()
    except IndexUnavailable as error:
        logger.warning("the index is not there yet: %s", error)


def raise_file_limit() -> None:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
