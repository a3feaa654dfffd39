"""The ways of docs/deploy.md from one place to another, by its own commands: what is asked afterwards is a question of
a *personal* corpus, which is what a change of ids or a lost file would hide."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import patience
from tests.services.conftest import object_store_or_skip
from tests.services.documented import block_after, carried_out
from tests.services.installation import (
    MEMBER,
    Installation,
    Services,
    Web,
    indexed,
    new_corpus,
    real_parts,
    uploaded,
)
from tests.services.servers import Postgres, wait_until

WRITER = "escritor-de-libros"
QUESTION = "¿Qué guarda Irene en la caja de fusibles número 7?"


class Embedded(Installation):
    """The embedded default on a folder of its own, with the sample indexed."""

    def __init__(self, folder: Path, settings: dict[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        super().__init__(Folder(folder), settings or {})  # type: ignore[arg-type]


def answers_from_notes(installation: Installation, web: Web) -> None:
    """A question of the member's own notes is answered from them."""
    events = installation.caller(web, MEMBER).answers(WRITER, QUESTION)
    first = events[0].data["sources"][0]
    assert (first["corpus_type"], first["title"]) == ("personal", "Mis notas de novela")
    assert events[-1].data["status"] == "complete"


class Folder:
    """What an installation without services stands on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder


@pytest.fixture
def embedded(wanted: None, folder: Path) -> Iterator[Embedded]:
    made = Embedded(folder / f"number-{len(list(folder.iterdir()))}")
    yield made
    made.stop()


def test_personal_corpora_survive_the_move_from_sqlite_to_postgresql(embedded: Embedded) -> None:
    web = embedded.web()
    answers_from_notes(embedded, web)
    web.stop()
    postgres = Postgres(embedded.folder)
    postgres.start()
    try:
        postgres.create_database("acervo")
        new = postgres.settings("acervo")
        replaced = {rf"{name}=postgres://\S+": f"{name}={url}" for name, url in new.items()}
        said = carried_out(
            "**SQLite to PostgreSQL.**",
            replaced | {r"acervo\.json": str(embedded.folder / "acervo.json")},
            embedded.environment,
        )
        assert " 0 orphans removed, 0 documents queued again" in said
        assert not (embedded.folder / "acervo.json").exists(), "everybody's texts are not left lying about"
        embedded.environment |= {"DATABASE_URL": new["DATABASE_URL"]}
        answers_from_notes(embedded, web.start())
    finally:
        web.stop()
        postgres.stop()


@pytest.mark.parametrize("way", ["*The simple way*", "*Without a pause*"])
def test_a_backup_of_one_folder_is_restored_into_an_empty_one(embedded: Embedded, way: str) -> None:
    needed = "zstd" if way == "*The simple way*" else "sqlite3"
    if not shutil.which(needed):
        pytest.skip(f"{needed} is not installed")
    backup = embedded.folder / "backup"
    backup.mkdir()
    places = {r"/backup\b": str(backup)}
    old, new = embedded.folder / "data", embedded.folder / "elsewhere"
    simple = way == "*The simple way*"
    data = {r"/srv/acervo\b(?!/data)": str(embedded.folder)} if simple else {r"/srv/acervo/data\b": str(old)}
    systemd = {r"systemctl \w+ acervo": "true"} if simple else {}
    carried_out(way, systemd | data | places, embedded.environment)
    old.rename(embedded.folder / "lost")
    if simple:
        found = {r"acervo-DATE": next(backup.iterdir()).name.removesuffix(".tar.zst")}
        carried_out("Of the simple way:", data | places | found, embedded.environment)
        old.rename(new)
    else:
        data = {r"/srv/acervo/data\b": str(new)}
        carried_out("or of the one without a pause", data | places, embedded.environment)
    (backup / "receipts.jsonl").touch()
    embedded.environment |= {"DATA_DIR": str(new)}
    said = carried_out("put it to work:", places | {r"\.venv/bin/python": "python"}, embedded.environment)
    assert " 0 documents queued again" in said
    assert "original" not in said, "every file is there"
    answers_from_notes(embedded, embedded.web())


@pytest.fixture
def objects_wanted() -> None:
    object_store_or_skip()


def test_a_backup_of_the_stack_is_restored_into_empty_services(
    objects_wanted: None, wanted: None, folder: Path, model_server_process: ModelServer
) -> None:
    """The compose stack's commands, with the machine's own programs in the place of Docker's."""
    model_server_process.reset()
    place = folder / "stack"
    backup = place / "backup"
    backup.mkdir(parents=True)
    place.chmod(0o711)
    old = Services(place / "old", objects=True)
    new = None
    try:
        first = Installation(old, settings_of(old, model_server_process))
        web, _worker, _beat = first.web(), first.worker(), first.beat()
        wait_until(lambda: unfinished(first) == 0, patience(60), "the sample is indexed")
        answers_from_notes(first, web)
        admin = first.caller(web)
        corpus = new_corpus(admin)
        erased = uploaded(admin, corpus, "adiós.md", "# Adiós\n\nLa cifra del faro es 4711.\n".encode())
        indexed(admin, erased)
        assert old.objects is not None
        kept = {key for key in old.objects.objects() if erased not in key}
        carried_out(STACK_BACKUP, with_programs(old, backup), first.environment)
        # What is erased after the backup must stay so; nothing else may be missing.
        assert admin.call("DELETE", f"/api/documents/{erased}/?erase=now").status == 204
        gone = "SELECT count(*) FROM corpora_document WHERE id = %s"
        wait_until(lambda: first.query(gone, erased) == [(0,)], patience(30), "it is erased")
        (backup / "receipts.jsonl").write_text(first.manage("erase", "--receipts"))
        first.stop()
        before = holdings(first)
        old.stop()
        new = Services(place / "new", objects=True)
        new.postgres.create_database("acervo")
        second = first.moved(new, settings_of(new, model_server_process))
        said = carried_out(STACK_RESTORE, with_programs(new, backup), second.environment)
        assert "original" not in said, "every file is there"
        assert new.objects is not None
        assert {key for key in new.objects.objects() if erased not in key} == kept
        assert second.query(gone, erased) == [(0,)]
        web, _worker, _beat = second.web(), second.worker(), second.beat()
        wait_until(lambda: unfinished(second) == 0, patience(60), "everything is indexed anew")
        assert holdings(second) == before
        for document, chunks in second.query("SELECT id::text, chunk_count FROM corpora_document"):
            assert new.index.count(document) == chunks > 0
        assert new.index.count(erased) == 0
        answers_from_notes(second, web)
        second.stop()
    finally:
        old.stop()
        if new is not None:
            new.stop()


STACK_BACKUP, STACK_RESTORE = "### Backup and restore of the stack", "Restore into empty volumes"


def settings_of(services: Services, model: ModelServer) -> dict[str, str]:
    parts = real_parts(services, model).values()
    return {name: value for part in parts for name, value in part.items()}


def with_programs(services: Services, backup: Path) -> dict[str, str]:
    """Docker's part of the commands, and the machine's instead."""
    assert services.objects is not None
    own = f"--host 127.0.0.1 --port {services.postgres.port} --username postgres"
    programs = services.postgres.binaries
    said = block_after(STACK_BACKUP if services.folder.name == "old" else STACK_RESTORE)
    everything = {
        r"docker compose exec -T postgres (\w+) --username acervo": rf"{programs}/\1 {own}",
        r"docker run .*debian:stable-slim \\\n": "",
        r"docker compose (up|create) .*": "true",
        r"docker compose (?:exec|run --rm) (?:-T )?web ": "",
        r"/backup/objects": f"{backup}/objects",
        r"(?<= )acervo\.dump": f"{backup}/acervo.dump",
        r"(?<= )receipts\.jsonl": f"{backup}/receipts.jsonl",
        r"--directory /data\b": f"--directory {services.objects.bucket.parent}",
    }
    return {pattern: instead for pattern, instead in everything.items() if re.search(pattern, said)}


# What is made anew after a restore, or is of the moment: caches, claims, sessions, what tells of the erasure.
PASSING = re.compile(r"cachedembedding|claim|session|receipt|audit|idempoten|spacestate|celery")
TEXTS = {"corpora_chunk": "text", "corpora_documenttext": "text", "chat_message": "content", "corpora_corpus": "name"}


def holdings(installation: Installation) -> dict[str, tuple[int, str]]:
    """How many rows each table has, and a digest of what people wrote."""
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    found = {}
    for (table,) in installation.query(tables):
        if PASSING.search(table):
            continue
        text = TEXTS.get(table, "''")
        ((count, digest),) = installation.query(
            f"SELECT count(*), md5(coalesce(string_agg(md5({text}), '' ORDER BY md5({text})), '')) FROM {table}"
        )
        found[table] = (count, digest)
    return found


def unfinished(installation: Installation) -> int:
    ((count,),) = installation.query("SELECT count(*) FROM corpora_document WHERE status <> 'indexed'")
    return int(count)
