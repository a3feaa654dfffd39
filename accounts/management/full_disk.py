"""What commands say where the database's disk is at fault: which disk it is, and what to do."""

from pathlib import Path

from django.conf import settings
from django.db import connection

from accounts.problems import DatabaseFull
from config.observability.disk import MEGABYTE, database_disk, disk_fault


def disk_advice(error: BaseException | None) -> str:
    """A sentence for operators of an error of the database, as Django raises it; empty where no disk is at fault."""
    return advice_of_kind(database_disk(error.__cause__ if error else None))


def advice_of_code(code: str) -> str:
    """The same where only a problem's code is known."""
    return advice_of_kind("full" if code == DatabaseFull.code else "")


def advice_of_kind(kind: str) -> str:
    if not kind:
        return ""
    if connection.vendor != "sqlite":
        host = connection.settings_dict.get("HOST") or "this machine"
        return f"The disk of PostgreSQL on {host} is {kind}. Make room on it: everything goes on by itself then."
    if fault := disk_fault(Path(settings.DATA_DIR), MEGABYTE):
        return f"{fault[0].upper()}{fault[1:]}."
    return f"The disk of {settings.DATA_DIR} is {kind}. Look at its room and at the kernel's log (dmesg)."
