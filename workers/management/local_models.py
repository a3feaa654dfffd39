"""The process of local models beside a server (LOCAL_MODELS): begins with it, again when it dies, and ends with it."""

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

from django.conf import settings

from config.env import BASE_DIR

logger = logging.getLogger(__name__)

PROGRAM = BASE_DIR / "retrieval" / "embeddings" / "local_server.py"
RESTART_SECONDS = 5.0
STOP_SECONDS = 5.0
# What finding and running models may need of the environment; keys and passwords are not among it.
PASSED_ON = (
    "PATH", "HOME", "TMPDIR", "LANG", "FASTEMBED_CACHE_PATH", "HF_HOME", "HF_ENDPOINT", "HF_HUB_OFFLINE", "HTTPS_PROXY",
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "OMP_NUM_THREADS",
)  # fmt: skip


class ModelProcess:
    """Start once, before serving; stop once, after."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="local models", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._process is not None:
            self._process.terminate()
        self._thread.join(STOP_SECONDS)

    def _keep(self) -> None:
        """Until it is stopped. While the models are away, documents wait and questions go by words."""
        while not self._stopping.is_set():
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(model_command(), env=passed_environment(), stdin=nothing)  # noqa: S603 - ours
            if self._stopping.is_set():
                self._process.terminate()
            code = self._process.wait()
            if not self._stopping.is_set():
                logger.error("the process of local models ended with %s and is started again", code)
                self._stopping.wait(RESTART_SECONDS)


def model_command() -> list[str]:
    """Its own interpreter, without our folders in front of its libraries (`-P`)."""
    place = ["--port", str(settings.LOCAL_MODELS_PORT)]
    model = ["--model", settings.EMBEDDING_MODEL, "--dimensions", str(settings.EMBEDDING_DIMENSIONS)]
    reranker = ["--reranker", settings.LOCAL_RERANKER] if settings.LOCAL_RERANKER else []
    return [sys.executable, "-P", str(PROGRAM), *place, *model, *reranker]


def passed_environment() -> dict[str, str]:
    """Downloaded models lie in DATA_DIR unless the environment says where."""
    cache = {"FASTEMBED_CACHE_PATH": str(Path(settings.DATA_DIR) / "models")}
    return {**cache, **{name: os.environ[name] for name in PASSED_ON if name in os.environ}}
