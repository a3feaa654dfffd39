"""All examinations by name, in the order in which they are told."""

from workers.upkeep.doctor import background, clocks, database, index, others, proxy, stores, versions
from workers.upkeep.doctor.findings import Examination

EXAMINATIONS: dict[str, Examination] = {
    "disk": stores.examine_disk,  # first: what has no room may fail in any way
    "python": versions.examine_python,
    "packages": versions.examine_packages,
    "settings": versions.examine_settings,
    "database": database.examine_database,
    "migrations": database.examine_migrations,
    "role": database.examine_role,
    "row security": database.examine_row_security,
    "triggers": database.examine_triggers,
    "redis": versions.examine_redis,
    "files": stores.examine_files,
    "index": index.examine_index,
    "workers": background.examine_workers,
    "beat": background.examine_beat,
    "watched folder": background.examine_watched_folder,
    "mail": others.examine_mail,
    "models": others.examine_models,
    "embeddings": others.examine_embeddings,
    "re-ranker": others.examine_reranker,
    "clocks": clocks.examine_clocks,
    "proxy": proxy.examine_proxy,
}
