"""A pytest plugin (`-p tests.services.own_cache`): each pytest-xdist worker has a Redis database of its own as cache.

Tests clear the cache, and clearing Redis empties a whole database: one worker would forget what another has just
counted. A plugin, because the settings are read before any conftest.
"""

import os
import re

FIRST = 2  # 0 is the broker's, 1 that of a run without workers

if worker := re.search(r"\d+", os.environ.get("PYTEST_XDIST_WORKER", "")):
    server, _, _database = os.environ["CACHE_URL"].rpartition("/")
    os.environ["CACHE_URL"] = f"{server}/{FIRST + int(worker[0])}"
