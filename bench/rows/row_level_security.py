"""What row-level security costs: two installations with the same documents, one under the rules and one past them.

    python -m bench.rows.row_level_security [--documents 300] [--rounds 400]

Both run on one PostgreSQL, each with its embedded index, and are asked the same questions in turns. The other one
connects as a superuser by Django's own engine, so it pays neither for the setting nor for the policies.
"""

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from tests.services.servers import ROOT, Postgres, Server

ADMIN, AGENT = "admin@aurora.example", "investigador-tecnico"
PAST_THE_RULES = "from config.settings import *\nDATABASES['default']['ENGINE'] = 'django.db.backends.postgresql'\n"
WORDS = [
    f"{a}{b}{c}" for a in ("ma", "lo", "ti", "re", "su") for b in ("ne", "pa", "ri", "do") for c in ("ca", "l", "s")
]


class Caller(NamedTuple):
    """Who asks one installation, each time on a connection of their own."""

    port: int
    key: str

    def post(self, path: str, body: dict[str, Any]) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        assert answer.status == 200, content
        return content


class Web(Server):
    """`manage.py serve` of one installation."""

    def __init__(self, folder: Path, name: str, settings: dict[str, str]) -> None:
        super().__init__(folder, name)
        self.settings = {**os.environ, "DATA_DIR": str(self.folder / "data"), "QUOTAS": "off", **settings}

    def environment(self) -> dict[str, str]:
        return self.settings

    def command(self) -> list[str]:
        return [sys.executable, "manage.py", "serve", "--port", str(self.port)]

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.settings, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def furnish(self, documents: Path) -> Caller:
        self.manage("migrate", "--verbosity", "0")
        sample = json.loads(self.manage("demo", "--json"))
        corpus = sample["corpora"][0]["name"] if sample.get("corpora") else "Bench"
        self.manage("ingest", str(documents), "--organization", sample["organization"]["slug"], "--corpus", corpus)
        self.start()
        key = next(one["api_key"] for one in sample["users"] if one["email"] == ADMIN)
        return Caller(self.port, key)


def write_documents(folder: Path, count: int) -> list[str]:
    """Texts of the same few words, so that every question has many passages; and questions."""
    chosen = random.Random(7)
    for number in range(count):
        paragraphs = [" ".join(chosen.choices(WORDS, k=90)) + "." for _ in range(12)]
        (folder / f"text-{number}.md").write_text(f"# Text {number}\n\n" + "\n\n".join(paragraphs))
    return [" ".join(chosen.choices(WORDS, k=6)) for _ in range(50)]


def analyze(server: Postgres) -> None:
    """As autovacuum does within minutes: without statistics both would be measured in plans that soon are others."""
    for name in ("under", "past"):
        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{server.port}/{name}", autocommit=True) as link:
            link.execute("ANALYZE")


def timed(ask: Any, caller: Caller, question: str) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    ask(caller, question)
    return (time.perf_counter() - start) * 1000


def retrieve(caller: Caller, question: str) -> None:
    found = caller.post(f"/api/agents/{AGENT}/retrieve/", {"query": question})
    assert json.loads(found)["chunks"], "nothing was found"


def chat(caller: Caller, question: str) -> None:
    told = caller.post(f"/api/agents/{AGENT}/chat/", {"messages": [{"role": "user", "content": question}]})
    assert b"event: done" in told


def measure(callers: dict[str, Caller], questions: list[str], rounds: int) -> None:
    for name, ask in (("retrieve", retrieve), ("chat", chat)):
        taken: dict[str, list[float]] = {one: [] for one in callers}
        for number in range(rounds + 20):
            order = list(callers) if number % 2 else list(callers)[::-1]
            for one in order:
                took = timed(ask, callers[one], questions[number % len(questions)])
                if number >= 20:
                    taken[one].append(took)
        medians = {one: statistics.median(values) for one, values in taken.items()}
        ratio = statistics.median(a / b for a, b in zip(taken["under"], taken["past"], strict=True))
        print(f"{name}: {medians['under']:.2f} ms under the rules, {medians['past']:.2f} ms past them, "
              f"median ratio {ratio:.3f}, {rounds} pairs")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="acervo-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        texts = folder / "texts"
        texts.mkdir()
        questions = write_documents(texts, options.documents)
        (folder / "past_the_rules.py").write_text(PAST_THE_RULES)
        server = Postgres(folder).start()
        webs: list[Web] = []
        try:
            server.create_database("under")
            server.create_database("past")
            past = {
                "DATABASE_URL": f"postgres://postgres@127.0.0.1:{server.port}/past",
                "DJANGO_SETTINGS_MODULE": "past_the_rules",
                "PYTHONPATH": str(folder),
            }
            webs = [Web(folder, "under-web", server.settings("under")), Web(folder, "past-web", past)]
            callers = dict(zip(("under", "past"), [web.furnish(texts) for web in webs], strict=True))
            analyze(server)
            measure(callers, questions, options.rounds)
        finally:
            for web in webs:
                web.stop()
            server.stop()


if __name__ == "__main__":
    main()
