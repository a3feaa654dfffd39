"""The disk under a folder: whether it takes what is to be written there; if not, why, in a sentence for operators. And
what a database says of its own."""

import os
import sqlite3
from pathlib import Path

MEGABYTE = 2**20
PRIMARY = 0xFF  # of SQLite's extended codes
NO_ROOM = (sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP)  # for the memory that its processes share
DISK_FULL = "53100"  # PostgreSQL's


def room_at(folder: Path) -> int:
    """Bytes that any user may still write there. Of a folder that is yet to be made, where it would be.

    Not what is kept for root: of that ext4 gives root no 16 MB either."""
    about = os.statvfs(_standing(folder))
    return about.f_frsize * about.f_bavail


def disk_fault(folder: Path, least: int = 1) -> str:
    """Why `least` bytes cannot be written into `folder`; empty if they can. OSError: it cannot even be asked."""
    standing = _standing(folder)
    if os.statvfs(standing).f_flag & os.ST_RDONLY:
        return f"the disk of {folder} is read-only. Mount it for writing, or let DATA_DIR name another folder"
    if not os.access(standing, os.W_OK | os.X_OK):
        return f"{folder} may not be written to. Give it to the user that runs Acervo, or let DATA_DIR name another"
    if (free := room_at(folder)) < least:
        need = f", {least / MEGABYTE:.0f} MB are needed" if least >= MEGABYTE else ""
        return (
            f"the disk of {folder} is full: {free / MEGABYTE:.1f} MB are free{need}. "
            "Make room on it, or move DATA_DIR to a larger one"
        )
    return ""


def _standing(folder: Path) -> Path:
    return next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))


def database_disk(cause: BaseException | None) -> str:
    """What a driver's error says of the database's disk: `full`, `read-only`, `failing`; empty if nothing.

    "disk I/O error" is SQLite's word also for a file beside the database that found no room.
    """
    if getattr(cause, "sqlstate", None) == DISK_FULL:
        return "full"
    states = {
        sqlite3.SQLITE_FULL: "full",
        sqlite3.SQLITE_READONLY: "read-only",
        sqlite3.SQLITE_IOERR: "failing",
        sqlite3.SQLITE_CANTOPEN: "failing",
    }
    code = getattr(cause, "sqlite_errorcode", 0)
    return "full" if code in NO_ROOM else states.get(code & PRIMARY, "")
