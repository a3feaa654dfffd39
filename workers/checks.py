"""System checks on how the parts fit together."""

from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning
from django.core.checks import register as register_check

from agents.presets import PRESETS

NO_AGENT = "none"


def register_worker_checks() -> None:
    register_check(several_processes_on_the_embedded_index)
    register_check(local_models_are_installed)
    register_check(the_watched_folder_s_agent_is_known)
    register_check(production_needs_its_own_secret, Tags.security, deploy=True)


def several_processes_on_the_embedded_index(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Qdrant Edge belongs to one process: a broker means that other processes would need it too."""
    if settings.EMBEDDED and not settings.CELERY_BROKER_URL.startswith("memory:"):
        return [
            Error(
                "CELERY_BROKER_URL is set, so web and workers are several processes, but the index is the embedded "
                "one, which a single process must own.",
                hint="Set QDRANT_URL to a Qdrant server, or unset CELERY_BROKER_URL to run everything in one process.",
                id="acervo.E001",
            )
        ]
    return []


def the_watched_folder_s_agent_is_known(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A misspelt preset would make no agent, and nobody would hear of it."""
    if settings.INGEST_AGENT in (*PRESETS, NO_AGENT, ""):
        return []
    hint = f"Known: {', '.join(PRESETS)}; {NO_AGENT}: no agent is made."
    return [Error(f"INGEST_AGENT is {settings.INGEST_AGENT!r}, which is no preset.", hint=hint, id="acervo.E010")]


def local_models_are_installed(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Looked for, not loaded: only their own process ever loads them."""
    if not settings.LOCAL_MODELS:
        return []
    if settings.LOCAL_MODELS != "fastembed":
        problem = f"LOCAL_MODELS is {settings.LOCAL_MODELS!r}, which is no way to run models."
        return [Error(problem, hint="Set it to fastembed, or unset it.", id="acervo.E011")]
    if find_spec("fastembed") is None:
        hint = "Install it: pip install -r requirements-local.txt"
        return [Error("LOCAL_MODELS needs fastembed, which is not installed.", hint=hint, id="acervo.E011")]
    return []


def production_needs_its_own_secret(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    from config.env import env

    if not settings.EMBEDDED and not env.str("SECRET_KEY", default=""):
        return [
            Warning(
                "Several processes need the same SECRET_KEY; this one was generated in DATA_DIR.",
                hint="Set SECRET_KEY in the environment of every process.",
                id="acervo.W001",
            )
        ]
    return []
