"""requirements.txt names all that the processes load: what only the tests' own environment has would be missing."""

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
OPTIONAL = {
    "greenlet",
    "msgpack",
    "mypy_extensions",
    "psutil",
    "pygments",
}  # libraries take these where they find them, and do without
# What web, worker and beat load on real services, the broker's transport included.
LOADED = """
import json, os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
before = set(sys.modules)
import config.asgi, config.urls, config.celery, workers.tasks, celery.worker, celery.beat
import kombu.transport.redis, django.core.cache.backends.redis, django.db.backends.postgresql.base, storages.backends.s3
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""


def loaded_modules() -> set[str]:
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def shipped() -> set[str]:
    """The distributions that installing requirements.txt brings, each by its canonical name."""
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    waiting = [Requirement(line) for line in lines if line and not line.startswith("#")]
    brought: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        for extra in ("", *wanted.extras):
            if (canonical(wanted.name), extra) in brought:
                continue
            brought.add((canonical(wanted.name), extra))
            try:
                needs = metadata.requires(wanted.name) or []
            except metadata.PackageNotFoundError:  # for another system or Python
                continue
            parsed = map(Requirement, needs)
            waiting += [one for one in parsed if one.marker is None or one.marker.evaluate({"extra": extra})]
    return {name for name, _extra in brought}


def test_whatever_the_processes_load_comes_with_the_requirements() -> None:
    known, named = metadata.packages_distributions(), shipped()
    missing = {
        module: known[module]
        for module in loaded_modules() & known.keys() - OPTIONAL
        if not {canonical(one) for one in known[module]} & named
    }
    assert missing == {}


def test_no_file_names_a_registry() -> None:
    """Which one is used is the machine's affair: a mirror, a proxy, or none."""
    hosts = r"(?:pypi|pythonhosted|npmjs|yarnpkg|crates|rubygems|ghcr|quay|gcr|docker|golang)\.(?:org|io|com)\b"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    named = [
        path
        for path in listed.split("\0")
        if path and re.search(hosts.encode(), (ROOT / path).read_bytes() if (ROOT / path).is_file() else b"")
    ]
    assert named == []


def test_what_computes_statistics_is_loaded_by_its_child_alone() -> None:
    """It takes seconds and 170 MB (tools/statistics)."""
    assert not {"pandas", "scipy", "statsmodels"} & loaded_modules()
