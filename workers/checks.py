"""System checks on how the parts fit together."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning
from django.core.checks import register as register_check
from django.db import DatabaseError

from accounts.models import LEAST_TRACE_DAYS
from agents.presets import PRESETS
from config.env import MOST_PORT
from retrieval.index import POSTGRESQL, IndexUnavailable, outdated_server
from retrieval.index.server.layout import LAYOUTS, MOST_REPLICAS, MOST_SHARDS
from workers.ingestion.chunk.tokens import ENCODING, folder_setting, vocabulary_fault, vocabulary_file

NO_AGENT = "none"
MOST_DAYS = 36_500


def register_worker_checks() -> None:
    register_check(documents_have_their_structure, Tags.database)
    register_check(several_processes_on_the_embedded_index)
    register_check(local_models_are_installed)
    register_check(the_watched_folder_s_agent_is_known)
    register_check(the_watched_folder_can_be_read)
    register_check(tokens_are_counted_exactly)
    register_check(the_layout_of_the_index_is_known)
    register_check(one_place_for_the_index)
    register_check(records_are_kept_for_days)
    register_check(the_index_server_ranks_rightly, deploy=True)
    register_check(production_needs_its_own_secret, Tags.security, deploy=True)


def documents_have_their_structure(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """What an earlier version has read is found by its words only. Said by `migrate` and `check --database default`."""
    from corpora.models import Document

    try:
        count = Document.objects.without_structure().count() if databases else 0
    except DatabaseError:  # before the first migration
        return []
    if not count:
        return []
    problem = f"{count} documents were read before sections and names were kept: no question finds a place in them."
    return [Warning(problem, hint="Run: python manage.py reindex (readers keep what they have)", id="acervo.W011")]


def several_processes_on_the_embedded_index(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Qdrant Edge belongs to one process: a broker means that other processes would need it too."""
    if settings.EMBEDDED and not settings.CELERY_BROKER_URL.startswith("memory:"):
        return [
            Error(
                "CELERY_BROKER_URL is set, so web and workers are several processes, but the index is the embedded "
                "one, which a single process must own.",
                hint="Set QDRANT_URL or PGVECTOR_URL to a server, or unset CELERY_BROKER_URL to run everything in one "
                "process.",
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


def the_watched_folder_can_be_read(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """No error: its disk may be mounted later. Whose it is stands in the database, where `doctor` looks it up."""
    if not settings.INGEST_DIR:
        if not settings.INGEST_ORGANIZATION:
            return []
        problem = "INGEST_ORGANIZATION is set, and INGEST_DIR is not: no folder is watched."
        return [Warning(problem, hint="Set INGEST_DIR to the folder, or unset both.", id="acervo.W016")]
    try:
        next(Path(settings.INGEST_DIR).iterdir(), None)
    except OSError as error:
        problem = f"INGEST_DIR is {settings.INGEST_DIR!r}, {error.strerror}: nothing is taken in from it."
        hint = "Name a folder that the user who runs the workers may read, or mount its disk."
        return [Warning(problem, hint=hint, id="acervo.W016")]
    return []


def tokens_are_counted_exactly(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Whoever names a folder wants exact counts; without one nobody has asked for them, nor by one in DATA_DIR, as the
    compose stack names it before there is a file in it."""
    folder = vocabulary_file().parent
    if not (name := folder_setting()) or folder.is_relative_to(settings.DATA_DIR) or not (fault := vocabulary_fault()):
        return []
    problem = f"{name} is {str(folder)!r}, which {fault}: token counts are estimates (about 10 % off)."
    hint = (
        f'Have it filled on a machine with internet ({name}=FOLDER python -c "import tiktoken; '
        f"tiktoken.get_encoding('{ENCODING}')\"), let the user who runs Acervo read it, or unset {name}."
    )
    return [Warning(problem, hint=hint, id="acervo.W017")]


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


def the_layout_of_the_index_is_known(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A misspelt layout would be another one, and the collection would be filled anew for it."""
    if settings.QDRANT_LAYOUT not in LAYOUTS:
        problem = f"QDRANT_LAYOUT is {settings.QDRANT_LAYOUT!r}, which is no layout."
        return [Error(problem, hint=f"Known: {', '.join(LAYOUTS)}.", id="acervo.E012")]
    shards, replicas, copies = settings.QDRANT_SHARDS, settings.QDRANT_REPLICAS, settings.QDRANT_WRITE_CONSISTENCY
    if not (1 <= shards <= MOST_SHARDS and 1 <= replicas <= MOST_REPLICAS and 1 <= copies <= replicas):
        problem = f"QDRANT_SHARDS, QDRANT_REPLICAS and QDRANT_WRITE_CONSISTENCY are {shards}, {replicas} and {copies}."
        hint = (
            f"1 to {MOST_SHARDS} shards, 1 to {MOST_REPLICAS} replicas, and no more of them waited for than there are."
        )
        return [Error(problem, hint=hint, id="acervo.E012")]
    return []


def one_place_for_the_index(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Two places would leave it to the order of this code which of them is asked."""
    url, problem = settings.PGVECTOR_URL, ""
    if url and settings.QDRANT_URL:
        problem = "QDRANT_URL and PGVECTOR_URL are both set, and the index is in one of them."
    elif url and not _names_postgresql(url):
        problem = "PGVECTOR_URL names no database of PostgreSQL."
    elif url and settings.PGVECTOR_CONNECTIONS < 1:
        problem = f"PGVECTOR_CONNECTIONS is {settings.PGVECTOR_CONNECTIONS}: nothing could be searched."
    hint = "Set PGVECTOR_URL to postgresql://USER:PASSWORD@HOST:5432/NAME and unset QDRANT_URL, or the other way round."
    return [Error(problem, hint=hint, id="acervo.E015")] if problem else []


def _names_postgresql(url: str) -> bool:
    """As psycopg reads it."""
    if not url.startswith(POSTGRESQL):
        return False
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        said = conninfo_to_dict(url)
    except ProgrammingError:
        return False
    ports = str(said.get("port") or "5432").split(",")
    return bool(said.get("dbname") or said.get("service")) and all(
        one.isdecimal() and 0 < int(one) <= MOST_PORT for one in ports
    )


def records_are_kept_for_days(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A number that is none would delete what it shall keep."""
    least = {"TRACES_KEPT_DAYS": LEAST_TRACE_DAYS, "AUDIT_KEPT_DAYS": 1, "AUDIT_MINIMUM_DAYS": 1, "WEBHOOK_LOG_DAYS": 1}
    given = {name: getattr(settings, name) for name in least}
    return [
        Error(
            f"{name} is {days}, which is no number of days to keep records.",
            hint=f"{least[name]} to {MOST_DAYS}, or 0 for ever.",
            id="acervo.E014",
        )
        for name, days in given.items()
        if days and not least[name] <= days <= MOST_DAYS
    ]


def the_index_server_ranks_rightly(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Asks the server, so with `--deploy` alone; one that does not answer is `/readyz`'s to tell."""
    try:
        outdated = outdated_server()
    except IndexUnavailable:
        return []
    return [Error(outdated, hint="Upgrade it, and start again.", id="acervo.E013")] if outdated else []


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
