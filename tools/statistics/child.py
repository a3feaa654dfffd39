"""One series in a process of its own, which imports what no web process does, and dies with its answer.

It knows no Django and no settings; it is asked by standard input, without a network and without any file.
"""

import importlib
import json
import os
import sys
from typing import Any

from config.concurrency.confinement import ChildLimits, confine, die_with_parent, leave_the_network, restrain

MODULES = {"decompose": "tools.statistics.decomposition", "forecast_series": "tools.statistics.forecasting"}


def main() -> None:
    request = json.load(sys.stdin)
    die_with_parent(request["parent"])
    limits = ChildLimits(request["memory"], request["cpu"], request["seconds"])
    leave_the_network()
    restrain(limits)
    compute = getattr(importlib.import_module(MODULES[request["asked"]]), request["asked"])
    confine(limits)
    json.dump(computed(compute, request["arguments"]), sys.stdout, allow_nan=False)
    sys.stdout.flush()
    os._exit(0)


def computed(compute: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"found": compute(**arguments)}
    except MemoryError:
        return {"error": "query_too_large"}
    except Exception as error:  # whatever a library says of numbers that nobody has thought of
        return {"error": "query_failed", "said": type(error).__name__}
