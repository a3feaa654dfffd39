"""Acervo on real services for a load: PostgreSQL, Redis, an index, a model at the wire, perhaps an object store.

The services and processes are those of tests/services, started with the commands of compose.yml. The index is the
server of QDRANT_URL, or the stand-in that puts Qdrant's engine behind its protocol; what that costs is not Acervo's.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()  # the clients of tests/services know the models

from bench.client import Target  # noqa: E402
from bench.processes import Server as Measured  # noqa: E402
from bench.processes import children, cpu_of, resident  # noqa: E402
from bench.targets.systems import Model, target_of  # noqa: E402
from tests.services.installation import ADMIN, Installation, Services  # noqa: E402
from tests.services.servers import NotInstalled, ObjectStore, Server  # noqa: E402

AGENT = "escritor-de-libros"  # answers without context too


@dataclass
class House:
    """`settings` tells the processes what they stand on; `kept` is where files are."""

    services: Services
    model: Model
    installation: Installation
    kept: str
    webs: list[Server] = field(default_factory=list)

    @property
    def key(self) -> str:
        return str(self.installation.keys[ADMIN])

    def target(self, web: Server, agent: str = AGENT) -> Target:
        return target_of(web, agent, self.key)

    def others(self) -> dict[str, float]:
        """CPU seconds so far of whoever is not Acervo: the load itself, the model, the services."""
        services = {type(one).__name__.lower(): tree_cpu(one) for one in self.services.all}
        own = os.times()
        return services | {"model": self.model.server.cpu_seconds(), "generator": own.user + own.system}


@contextmanager
def open_house(**settings: str) -> Iterator[House]:
    folder = Path(tempfile.mkdtemp(prefix="acervo-load-"))
    folder.chmod(0o711)  # PostgreSQL's own user goes through it
    objects = has_object_store()
    try:
        with Measured(["-m", "bench.model_server"], folder / "model.log") as server:
            server.until_ready("/stats")
            services = Services(folder, objects=objects)
            try:
                installation = Installation(services, {**parts(services), **models(server.url), **settings})
                try:
                    kept = "an object store (versitygw)" if objects else "a folder (no object store is installed)"
                    yield House(services, Model(server), installation, kept)
                finally:
                    installation.stop()
            finally:
                services.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def parts(services: Services) -> dict[str, str]:
    index = {"QDRANT_URL": services.index.url, "QDRANT_API_KEY": services.index.KEY}
    if url := os.environ.get("QDRANT_URL"):
        index = {"QDRANT_URL": url, "QDRANT_API_KEY": os.environ.get("QDRANT_API_KEY", "")}
    return {
        **services.postgres.settings("acervo"),
        "CELERY_BROKER_URL": services.redis.url(0),
        "CACHE_URL": services.redis.url(1),
        **index,
        **(services.objects.settings() if services.objects else {}),
    }


def models(url: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "load",
        "CHAT_MODEL": "openai:bench",
        "EMBEDDING_MODEL": "text-embedding-3-small",
        "LOG_LEVEL": "WARNING",
    }


def has_object_store() -> bool:
    folder = Path(tempfile.mkdtemp(prefix="acervo-load-"))
    try:
        ObjectStore(folder)
    except NotInstalled as missing:
        sys.stderr.write(f"WITHOUT AN OBJECT STORE: {missing}\n")
        return False
    finally:
        shutil.rmtree(folder)
    return True


def tree_cpu(server: Server) -> float:
    """CPU seconds of a service and its children so far."""
    return sum(map(cpu_of, pids_of(server)))


def tree_memory(server: Server) -> int:
    """Resident bytes of a process and its children."""
    return sum(map(resident, pids_of(server)))


def pids_of(server: Server) -> list[int]:
    found = [server.process.pid] if server.process else []
    for pid in found:  # grows while it is walked
        found += children(pid)
    return found
