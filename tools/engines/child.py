"""One request to one source, in a process that does nothing else and dies with it: `python -c "…main()"`.

It knows no Django, no settings and no secret but the one of its source, which comes by standard input. Files are read
without a network; a server is asked with the network and without any file. Memory and time are limited either way.
"""

import importlib
import json
import os
import sys
from dataclasses import asdict
from typing import Any

from config.concurrency.confinement import ChildLimits, confine, die_with_parent, leave_the_network, restrain
from tools.engines.cells import visible
from tools.engines.failures import EngineFailed, QueryFailed

ENGINES = {
    "postgresql": ("postgresql", "PostgresServer"),
    "mysql": ("mysql", "MySqlServer"),
    "sqlite": ("sqlite", "SqliteFile"),
    "duckdb": ("duck", "DuckFiles"),
    "workbook": ("workbook", "Workbook"),
    "hubspot": ("hubspot", "HubSpot"),
    "salesforce": ("salesforce", "Salesforce"),
    "rest": ("rest", "RestService"),
    "bucket": ("bucket", "S3Bucket"),
}
OF_A_SERVER = ("postgresql", "mysql")
OF_A_SERVICE = ("hubspot", "salesforce", "rest", "bucket")  # asked by several requests: each may open a connection
OF_RECORDS = ("records", "record")
WHAT_THERE_IS = ("tables", "objects", "object")
LONGEST_SAID = 500
FILES_BESIDE_A_CONNECTION = 32  # the descriptors that waiting on a socket takes


def main() -> None:
    request = json.load(sys.stdin)
    die_with_parent(request["parent"])
    with os.fdopen(_own_output(), "w", encoding="utf-8", errors="replace") as output:
        json.dump(_answer(request), output, ensure_ascii=False)
    os._exit(0)  # without what libraries would still do


def _own_output() -> int:
    """Standard output for the answer alone: libraries that print (DuckDB: how far it is) print into nothing."""
    output, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    return output


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"found": _asked(request)}
    except EngineFailed as error:
        return {"error": error.code, "said": first_line_said(error.said)}
    except MemoryError:
        return {"error": "query_too_large", "said": ""}


def first_line_said(said: str) -> str:
    """The first line of what an engine says, which may be a program's whole trace, without paths of this machine."""
    line = said.strip()[:LONGEST_SAID].partition("\n")[0]
    return " ".join("…" if _is_path(word) else word for word in visible(line).split(" "))


def _is_path(word: str) -> bool:
    bare = word.strip("\"'`(),.:;[]")
    return bare.startswith(("/", "file:/")) and bare.count("/") > 1


def _asked(request: dict[str, Any]) -> Any:
    module, name = ENGINES[request["kind"]]
    engine = getattr(importlib.import_module(f"tools.engines.{module}"), name)
    limits = ChildLimits(request["memory"], request["cpu"], request["seconds"])
    is_service = request["kind"] in OF_A_SERVICE
    is_remote = is_service or request["kind"] in OF_A_SERVER
    if not is_remote:
        leave_the_network()
    restrain(limits)
    source = engine(request)
    towards = (request["place"]["address"], request["place"]["port"]) if is_service else None
    confine(limits, files=FILES_BESIDE_A_CONNECTION if is_remote else 0, towards=towards)
    if request["asked"] in WHAT_THERE_IS:
        return getattr(source, request["asked"])(request)
    try:
        return asdict(getattr(source, request["asked"] if request["asked"] in OF_RECORDS else "query")(request))
    except (EngineFailed, MemoryError):
        raise
    except Exception as error:  # a value that Python does not have: the statement's fault, and the source is well
        raise QueryFailed(type(error).__name__) from None
