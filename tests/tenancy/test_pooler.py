"""Through pgbouncer in transaction mode, with one connection for everybody: each statement has its own scope."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.servers import ROOT, NotInstalled, PgBouncer, Postgres, Server

LOOK = """
import sys, threading
import django
django.setup()
from django.db import connection, transaction
from accounts.models import Organization
from accounts.tenancy.scope import current_party, request_scope, system_scope, tenant_scope
from corpora.models import Corpus

with system_scope():
    homes = [Organization.objects.create(name=str(n), slug=str(n)) for n in range(4)]
    for home in homes:
        Corpus.objects.create(organization=home, corpus_type="global", name=home.name)
wrong = []

def look(home, others):
    for turn in range(60):
        with tenant_scope(home.pk):
            seen = list(Corpus.objects.values_list("name", flat=True).iterator())
            if turn % 3 == 0:
                with transaction.atomic():
                    seen += Corpus.objects.values_list("name", flat=True)
                    with request_scope():
                        assert not Corpus.objects.exists()
                    with connection.cursor() as cursor:
                        cursor.executemany("UPDATE corpora_corpus SET description = %s", [("a",), ("b",)])
            if set(seen) != {home.name}:
                wrong.append(seen)
        with request_scope():
            if Corpus.objects.exists():
                wrong.append("nobody saw something")
    connection.close()

threads = [threading.Thread(target=look, args=(home, homes)) for home in homes]
for one in threads: one.start()
for one in threads: one.join()
with system_scope():
    print(len(wrong), Corpus.objects.count(), Corpus.objects.filter(description="b").count())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="acervo-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.services
@pytest.mark.skipif(not os.environ.get("TEST_SERVICES"), reason="TEST_SERVICES=1 starts PostgreSQL and pgbouncer")
def test_four_organizations_on_one_connection_never_see_each_other(folder: Path) -> None:
    servers: list[Server] = []
    try:
        servers.append(postgres := Postgres(folder).start())
        postgres.create_database("acervo")
        try:
            pooler = PgBouncer(folder, postgres)
        except NotInstalled as missing:
            pytest.skip(str(missing))
        servers.append(pooler.serving("acervo"))
        settings = postgres.settings("acervo")
        pooled = settings["DATABASE_URL"].replace(f":{postgres.port}/", f":{pooler.port}/")
        environment = {**os.environ, **settings, "DATABASE_URL": pooled, "DATA_DIR": str(folder / "data")}
        environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        for command in (["manage.py", "migrate", "--verbosity", "0"], ["-c", LOOK]):
            done = subprocess.run(
                [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
            )
            assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["0", "4", "4"]
    finally:
        for server in reversed(servers):
            server.stop()
